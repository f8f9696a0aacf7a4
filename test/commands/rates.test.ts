import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { bodyOf, errorOf, sent } from '../rig/service.ts';

const RATES = 'rates --from tr --to de --postal-code 10115 --package 2x1.5kg@30x20x10cm';

test('rates asks for rates and shows them as a table', async () => {
  const rig = await createRig();
  const ran = await rig.run(RATES);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(ran.stdout).toBe(
    [
      'COMPANY      NAME              SERVICE  DELIVERY      PRICE',
      'company-101  Emulated Economy  Economy  5-7 days  19.10 EUR',
      'company-102  Emulated Express  Express  1-3 days  37.70 EUR',
      '',
    ].join('\n'),
  );
  expect(sent(ran)).toEqual(['POST /api/v1/shipping/rates']);
  expect(bodyOf(ran)).toEqual({
    data: {
      countryFrom: 'TR',
      countryTo: 'DE',
      postalCode: '10115',
      packages: [{ height: 10, width: 20, lengthCm: 30, piece: 2, pieceWeight: 1.5 }],
    },
  });
});

test('rates asks for no credential', async () => {
  const rig = await createRig({ env: { WAYBILL_TOKEN: '' } });
  const ran = await rig.run(RATES);
  expect([ran.exitCode, ran.requests[0]?.headers.authorization]).toEqual([0, undefined]);
});

test('no carrier for it is exit 4', async () => {
  const rig = await createRig();
  const ran = await rig.run('rates --from DE --to DE --package 1@1x1x1 --json');
  expect(errorOf(ran)).toMatchObject({ code: 'not_found', exitCode: 4, operation: 'rates', httpStatus: 404 });
  expect(errorOf(ran).message).toContain('no shipping carriers found');
  expect(ran).toMatchObject({ stdout: '', waits: [] });
});
