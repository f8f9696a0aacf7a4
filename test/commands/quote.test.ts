import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bodyOf, errorOf, sent } from '../rig/service.ts';

const QUOTE = 'quote --from tr --to de --postal-code 10115 --package 2x1.5kg@30x20x10cm';

test('quote asks for proposals and shows them as a table', async () => {
  const rig = await createRig();
  const ran = await rig.run(QUOTE);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '', asked: [] });
  expect(ran.stdout).toBe(
    [
      'CARRIER  NAME              SERVICE  DELIVERY      PRICE  VALID',
      'ECO      Emulated Economy  economy  5-7 days  19.10 EUR  yes',
      'EXP      Emulated Express  express  1-3 days  37.70 EUR  yes',
      '',
      'Chargeable weight: 3 kg',
      '',
    ].join('\n'),
  );
  expect(sent(ran)).toEqual(['POST /v1/carriers/proposal']);
  expect(ran.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  expect(bodyOf(ran)).toEqual({
    originCountry: 'TR',
    destinationCountry: 'DE',
    postalCode: '10115',
    packages: [{ quantity: 2, weight: 1.5, dimensions: { length: 30, width: 20, height: 10 } }],
  });
});

describe('Narrowing', () => {
  const formats = ['json', 'jsonl', 'csv', 'text', 'table'];

  test.each([
    ['--cheapest', 'ECO', 'EXP'],
    ['--fastest', 'EXP', 'ECO'],
    ['--service EXPRESS', 'EXP', 'ECO'],
    ['--service economy --fastest', 'ECO', 'EXP'],
  ])('%s leaves %s and not %s in every format', async (flags, kept, dropped) => {
    const rig = await createRig();
    for (const format of formats) {
      const { stdout, exitCode } = await rig.run(`${QUOTE} ${flags} -o ${format}`);
      expect(exitCode).toBe(0);
      expect(stdout, format).toContain(kept);
      expect(stdout, format).not.toContain(dropped);
    }
    expect((await rig.run(`${QUOTE} ${flags} -q`)).stdout).toBe(`${kept}\n`);
    const query = await rig.run([...`${QUOTE} ${flags}`.split(' '), '--query', 'proposals[].id']);
    expect(JSON.parse(query.stdout)).toEqual([kept]);
    expect(JSON.parse((await rig.run(`${QUOTE} ${flags} --json`)).stdout).chargeableWeight).toBe(3);
  });

  test('a service that no carrier offers is exit 4 and lists the offered ones', async () => {
    const rig = await createRig();
    const ran = await rig.run(`${QUOTE} --service same-day --json`);
    expect(errorOf(ran)).toMatchObject({ code: 'not_found', exitCode: 4, operation: 'quote' });
    expect(errorOf(ran).message).toContain('The services are: economy, express');
    const cheapest = await rig.run(`${QUOTE} --service same-day --cheapest --json`);
    expect(errorOf(cheapest).message).toContain('no carrier offers this with the service same-day');
    expect(errorOf(cheapest).message).toContain('EXP (express, 1-3 days, 37.70 EUR)');
  });

  test('without proposals an empty list is shown, and a choice is exit 4', async () => {
    const rig = await createRig();
    const nowhere = 'quote --from DE --to DE --package 1@1x1x1';
    expect(await rig.run(nowhere)).toMatchObject({ exitCode: 0, stdout: 'No carrier offers this.\n' });
    expect((await rig.run(`${nowhere} --json`)).stdout).toContain('"proposals": []');
    expect(await rig.run(`${nowhere} --cheapest`)).toMatchObject({ exitCode: 4, stdout: '' });
  });
});
