// Text from outside that is longer than what a database indexes.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { booked, journalRig, label, SCOPE, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

// Random, because a database compresses what repeats.
const LONG = randomBytes(5000).toString('hex');
const OTHER = `${LONG.slice(0, -1)}-`;

// A fingerprint is always short.
const labelOf = (shipment: string) => label([shipment], { fingerprint: shipment.slice(-9) });

describeBoth('An id of 10,000 bytes from the service', kind => {
  test('is recorded, found again by itself only, and shown whole', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'K' }), 'created', { ids: { shipment: LONG } });
    expect(await journal.bookingOf(SCOPE, LONG)).toMatchObject({
      booking: { id, ids: { shipment: LONG } },
      kind: 'shipment',
    });
    expect(await journal.bookingOf(SCOPE, OTHER)).toBeUndefined();
    expect(await journal.knownAmong(SCOPE, 'shipment', ['K', 'L'], [LONG, OTHER])).toEqual(
      new Set(['K', LONG]),
    );
  });

  test('has its label once', async () => {
    const { journal } = await journalRig(kind);
    const labels = { international: { made: true } };
    const id = await booked(journal, labelOf(LONG), 'created', { ids: {}, labels });
    expect(await journal.bookingOfLabel(SCOPE, LONG)).toMatchObject({ booking: { id } });
    expect(await journal.bookingOfLabel(SCOPE, OTHER)).toBeUndefined();
    expect(await journal.claim(labelOf(LONG))).toMatchObject({ kind: 'taken', booking: { id } });
    expect(await journal.claim(labelOf(OTHER))).toMatchObject({ kind: 'claimed' });
  });
});

test('a longer address or account than fits with a key is refused: exit 2, in a config that was edited by hand, too', async () => {
  const rig = await createRig();
  const refused = async (argv: string, env = {}) => {
    const ran = await rig.run(`${argv} --json`, { stdin: JSON.stringify(SHIPMENT), env });
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    return errorOf(ran).message;
  };
  const env = { WAYBILL_BASE_URL: `https://api.example/${LONG}` };
  expect(await refused('ship -f - --key K', env)).toMatch(/has \d+ bytes, but at most 512 are allowed/);
  await rig.run(`profile add shop --base-url ${rig.address}`);
  const tooLong = 'account has 10000 bytes, but at most 256 are allowed';
  expect(await refused(`profile set shop account=${LONG}`)).toBe(tooLong);
  rig.file('config/config.json', {
    current: 'shop',
    profiles: { shop: { baseUrl: rig.address, account: LONG, credentials: { kind: 'token', token: 't' } } },
  });
  expect(await refused('ship -f - --key K --profile shop')).toContain('account');
});
