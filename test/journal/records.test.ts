// What a journal stores and finds, also of text that is longer than what a database indexes: one suite for both journals.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Booking } from '../../src/booking/booking.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { createRig } from '../rig/command.ts';
import {
  booked,
  claimed,
  ended,
  intentOf,
  journalRig,
  label,
  ofLeg,
  SCOPE,
  settle,
  ship,
} from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const { createDualShipment } = OPERATIONS;
const HOUR = 60 * 60 * 1000;

/** All that the journal has of the order of a booking. */
async function orderOf(journal: Journal, id: string): Promise<Booking[]> {
  const booking = await journal.byId(id);
  return journal.wholeOrders(booking ? [booking] : []);
}

const idsOf = (bookings: readonly Booking[]) => bookings.map(({ id }) => id);

describeBoth('An outcome', kind => {
  test('is read with every field as it was recorded', async () => {
    const { journal, other } = await journalRig(kind);
    const intent = intentOf(createDualShipment, {
      ...{ key: 'K', source: 'line 1', fingerprint: 'f', profile: 'shop', sandbox: true },
      ...{ run: 'https://ci.example/7', actor: 'Änna', maxPrice: '20 EUR' },
      request: { weight: 1.5, text: 'ß \' " \\ \u0001 😀', list: [null, true] },
    });
    const id = await claimed(journal, intent);
    expect(await (await other(2)).byId(id)).toMatchObject({ state: 'pending', settledAt: null, ids: {} });
    const outcome = ended('partial', {
      ...{ code: 'partial', why: 'no label', httpStatus: 201, answer: '{"id": "Ä"}' },
      ids: { international: 'I-1', domestic: 'D-1' },
      labels: { international: { made: true, trackingNumber: 'T' }, domestic: { made: false } },
      overPrice: true,
    });
    await journal.recordOutcome(id, outcome);
    const { request, scope, labels: _, perDay, allowDuplicate, refusesSameOrder, ...recorded } = intent;
    expect([perDay, allowDuplicate, refusesSameOrder]).toEqual([[], false, false]);
    const found = await (await other(3)).byId(id);
    expect(found).toEqual({
      ...{ ...recorded, ...scope, ...outcome, id, request: request.value, files: {} },
      ...{ facts: [], version: 1, milestones: {}, keyHolder: null },
      ...{ at: expect.any(Number), settledAt: expect.any(Number) },
      holder: { host: 'here', process: 1, start: '1' },
    });
    expect(Number.isInteger(found?.at) && (found?.settledAt ?? 0) >= (found?.at ?? 0)).toBe(true);
    expect(await journal.byId('bk_none')).toBeUndefined();
  });

  test('is never overwritten, unless it was unknown', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship(), 'unknown');
    await journal.recordOutcome(id, ended('created'));
    await expect(journal.recordOutcome(id, ended('rejected'))).rejects.toThrow('ended twice');
    expect(await journal.byId(id)).toMatchObject({ state: 'created', ids: { shipment: 'S-1' } });
  });

  test('may contain any text from the service, even a NUL and half a character', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ request: { text: 'a\0b\ud800' } }), 'created', {
      ...{ why: 'a\0b', answer: '{"id":"a\0b\ud800"}' },
      ids: { shipment: 'S\0-1' },
    });
    expect((await journal.byId(id))?.state).toBe('created');
    expect(await journal.bookingOf(SCOPE, ofLeg('S\0-1'))).toBeDefined();
  });
});

describeBoth('A refusal that has the record of a shipment', kind => {
  const doubtful = (ids: Booking['ids']) =>
    ended('unknown', {
      ...{ code: 'outcome_unknown', why: 'in doubt', httpStatus: 409, ids: {} },
      refusal: { ids, code: 'rejected', why: 'exists' },
    });
  const S_1 = { shipment: 'S-1' };

  test('is a refusal where another order of the place has it, whatever became of that', async () => {
    const { journal } = await journalRig(kind);
    const owner = await booked(journal, ship({ key: 'A' }), 'created', { ids: S_1 });
    await booked(journal, ship({ key: 'C', scope: { ...SCOPE, account: 'other' } }), 'created', {
      ids: { shipment: 'S-2' },
    });
    const refused = await claimed(journal, ship({ key: 'B' }));
    const amended = await journal.recordOutcome(refused, doubtful(S_1));
    const why = `exists (shipment S-1 in it is that of another order, "A", booking ${owner})`;
    expect(amended).toMatchObject({ booking: { id: refused, state: 'rejected', code: 'rejected', why } });
    const again = await claimed(journal, ship({ key: 'B' }));
    await journal.recordOutcome(again, doubtful({ shipment: 'S-2' }));
    expect(await journal.byId(again)).toMatchObject({ state: 'unknown' });
  });

  test('takes nothing from an order that is answered with it at the same moment', async () => {
    const { journal, other } = await journalRig(kind);
    const second = await other(2);
    for (let round = 0; round < 20; round += 1) {
      const ids = { shipment: `S-${round}` };
      const [refused, answered] = await Promise.all([
        claimed(journal, ship({ key: `A-${round}` })),
        claimed(second, ship({ key: `B-${round}` })),
      ]);
      await Promise.all([
        journal.recordOutcome(refused, doubtful(ids)),
        second.recordOutcome(answered, ended('created', { ids })),
      ]);
      expect((await journal.byId(answered))?.state).toBe('created');
      expect(['unknown', 'rejected']).toContain((await journal.byId(refused))?.state);
    }
  });

  test('that comes after a person said that it was not created is unknown again', async () => {
    const { journal, other } = await journalRig(kind);
    const id = await claimed(journal, ship({ key: 'A' }));
    const person = await other(2);
    await person.recordOutcome(id, ended('unknown', { code: 'outcome_unknown' }));
    await settle(person, id, 'rejected');
    const amended = await journal.recordOutcome(id, doubtful(S_1));
    expect(amended).toMatchObject({ booking: { state: 'unknown' }, late: { counts: true } });
  });
});

describeBoth('Look-ups', kind => {
  describe('list', () => {
    test('has all since a time, also what was booked before the clock was put back', async () => {
      const { journal, later, alter } = await journalRig(kind);
      const ahead = await booked(journal, ship({ key: 'AHEAD' }));
      await alter(`UPDATE bookings SET at = at + ${2 * HOUR}`);
      const behind = await booked(journal, ship({ key: 'BEHIND' }));
      await later(HOUR);
      const now = await booked(journal, ship({ key: 'NOW' }));
      const since = async (id: string) => ({ since: ((await journal.byId(id))?.at ?? 0) - 1000 });
      expect(idsOf(await journal.list(await since(now)))).toEqual([now, ahead]);
      expect(idsOf(await journal.list(await since(behind)))).toEqual([now, behind, ahead]);
      const found = await journal.orders({ ...(await since(now)), search: 'ahead', limit: 2 });
      expect(found.map(({ booking }) => booking.id)).toEqual([ahead]);
    });
  });

  test('what prune dropped does not come back with a label that another command has got before', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'OLD' }));
    expect(await journal.prune(Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(await journal.prune(Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(await journal.saveLabel(id, 'international', Buffer.from('%PDF'), '/a.pdf')).toBe(false);
    expect((await journal.byId(id))?.files).toEqual({});
    expect(await journal.savedLabel(id, 'international')).toBeUndefined();
  });

  test('what prune dropped does not come back with an answer that is late', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'LATE', request: { of: 'Ada' } }), 'unknown');
    expect(await journal.pruneOrders(await orderOf(journal, id))).toBe(1);
    const answer = '{"id":"S-1","receiver":"Ada"}';
    const labels = { international: { made: true, trackingNumber: 'T-1', link: 'https://l.example/1' } };
    const excerpt = {
      receiver: { name: 'Ada', city: null, country: null },
      ...{ carrier: null, price: null, currency: null, trackingLink: null },
    };
    // Its confirmation may be lost on the way: then it is recorded once more.
    for (const _ of [1, 2]) await journal.recordOutcome(id, ended('created', { answer, labels, excerpt }));
    expect(await journal.byId(id)).toMatchObject({
      ...{ state: 'created', ids: { shipment: 'S-1' }, request: null, answer: null },
      labels: { international: { made: true, trackingNumber: 'T-1' } },
    });
    const all = [await journal.byId(id), await journal.excerptedOrders({ limit: 1 })];
    expect(JSON.stringify(all)).not.toMatch(/Ada|l\.example/);
  });

  test('prune reaches all old bookings of a long journal, a few hundred at a time', async () => {
    const { journal } = await journalRig(kind);
    const one = await journal.byId(await booked(journal, ship({ request: { of: 'one' } })));
    if (one === undefined) throw new Error('it is not recorded');
    const older = Array.from({ length: 1200 }, (_, index) => ({
      booking: { ...one, id: `bk_${index}`, ids: {}, at: one.at - (index % 2 === 0 ? HOUR : 0) },
      labels: [],
    }));
    await journal.importBookings(older);
    expect(await journal.prune(one.at - 1)).toBe(600);
    const kept = (await journal.list({})).filter(({ request }) => request !== null);
    expect(kept).toHaveLength(601);
  });
});

// Random, because a database compresses what repeats.
const LONG = randomBytes(5000).toString('hex');
const OTHER = `${LONG.slice(0, -1)}-`;

// A fingerprint is always short.
const labelOf = (shipment: string) => label([shipment], { fingerprint: shipment.slice(-9) });

describeBoth('An id of 10,000 bytes from the service', kind => {
  test('is found again by itself only, and has its label once', async () => {
    const { journal } = await journalRig(kind);
    const labels = { international: { made: true } };
    const shipped = await booked(journal, ship({ key: 'K' }), 'created', { ids: { shipment: LONG } });
    expect(await journal.bookingOf(SCOPE, ofLeg(LONG))).toMatchObject({
      id: shipped,
      ids: { shipment: LONG },
    });
    expect(await journal.bookingOf(SCOPE, ofLeg(OTHER))).toBeUndefined();
    const id = await booked(journal, labelOf(LONG), 'created', { ids: {}, labels });
    expect(await journal.bookingOfLabel(SCOPE, ofLeg(OTHER))).toBeUndefined();
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
