// The orders of a journal, and how they are found: one suite for both journals.
import { expect, test } from 'vitest';
import type { Journal, OrderFilter } from '../../src/journal/journal.ts';
import { booked, ended, journalRig, label, NOON, SCOPE, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const person = (firstName: string, lastName: string, city: string, code: string, more = {}) => ({
  ...{ firstName, lastName, ...more },
  address: { city, country: { code } },
});
const orderOf = (number: number, receiver: unknown, more = {}) =>
  ship({ key: `ORDER-${number}`, request: { receiver, carrier: { id: 'EXP' } }, ...more });
const made = (shipment: string) => ({ ids: { shipment } });

const keys = async (journal: Journal, filter: Partial<OrderFilter>, indexing = (_: number) => {}) =>
  (await journal.orders({ limit: 100, ...filter }, indexing)).map(
    ({ booking }) => booking.key ?? booking.operation,
  );

const JUERGEN = person('Jürgen', 'Groß', 'München', 'DE', { companyName: 'Müller & Söhne GmbH' });
const OTHER = { receiver: person('Other', 'Person', 'Elsewhere', 'FR') };
const CIGDEM = person('Çiğdem', 'Jean-Luc', 'İzmir', 'TR');

async function shop(kind: 'local' | 'shared') {
  const rig = await journalRig(kind);
  const { journal } = rig;
  const ids = [
    await booked(journal, orderOf(1, JUERGEN, { run: 'Night 7' }), 'created', made('SHP-100')),
    await booked(
      journal,
      orderOf(2, CIGDEM, { request: { receiver: CIGDEM, carrier: { id: 'Eco' } } }),
      'unknown',
    ),
    await booked(journal, orderOf(3, JUERGEN), 'created', made('SHP-200')),
  ];
  const labels = { international: { made: true, trackingNumber: '1Z-ABC' } };
  ids.push(await booked(journal, label(['SHP-100']), 'created', { ids: {}, labels }));
  return { ...rig, ids };
}

describeBoth('Orders', kind => {
  test('have the labels that were made of them, and no row for these', async () => {
    const { journal, ids } = await shop(kind);
    const orders = await journal.orders({ limit: 10 });
    expect(orders.map(({ booking }) => booking.key)).toEqual(['ORDER-3', 'ORDER-2', 'ORDER-1']);
    expect(orders.map(({ labels }) => labels.map(one => [one.leg, one.booking.id]))).toEqual([
      ...[[], [], [['international', ids[3]]]],
    ]);
    expect(await keys(journal, { operation: 'label' })).toEqual(['label']);
  });

  test('have a row for a label that failed or is unknown, or whose shipment is not here; it knows the shipment', async () => {
    const { journal } = await shop(kind);
    const asked = (shipment: string, more = {}) =>
      label([shipment], { request: { international: shipment }, ...more });
    await booked(journal, asked('SHP-200'), 'unknown');
    const elsewhere = { international: { made: true, trackingNumber: 'T' } };
    await booked(journal, asked('ELSEWHERE'), 'created', { ids: {}, labels: elsewhere });
    const other = { scope: { ...SCOPE, account: 'another' } };
    await booked(journal, asked('SHP-100', other), 'created', { ids: {}, labels: elsewhere });
    const orders = await journal.orders({ limit: 3 });
    expect(orders.map(({ booking, labelOf }) => [booking.operation, booking.state, labelOf?.key])).toEqual([
      ['label', 'created', undefined],
      ['label', 'created', undefined],
      ['label', 'unknown', 'ORDER-3'],
    ]);
  });

  test('are found by the run that made their label, also if the shipment is of another run', async () => {
    const { journal } = await shop(kind);
    const labelled = (shipment: string, run: string) =>
      booked(journal, label([shipment], { run }), 'created', {
        ...{ ids: {}, labels: { international: { made: true } } },
      });
    await labelled('SHP-200', 'Labels');
    expect(await keys(journal, { run: 'labels' })).toEqual(['ORDER-3']);
    // So many more that a search indexes them, and then again some that it does not.
    for (let number = 10; number < 115; number += 1)
      await booked(journal, orderOf(number, JUERGEN), 'created', made(`SHP-${1000 + number}`));
    expect(await keys(journal, { run: 'labels' })).toEqual(['ORDER-3']);
    await labelled('SHP-1010', 'Labels');
    expect(await keys(journal, { run: 'LABELS' })).toEqual(['ORDER-10', 'ORDER-3']);
    expect(await keys(journal, { run: 'night 7' })).toEqual(['ORDER-1']);
  });

  test('come in pages, and by state, time, profile and place', async () => {
    const { journal, ids } = await shop(kind);
    const demo = { scope: { ...SCOPE, address: 'demo' }, profile: 'demo' };
    await booked(journal, orderOf(9, JUERGEN, demo), 'created', made('SHP-9'));
    expect(await keys(journal, { demo: false, limit: 2 })).toEqual(['ORDER-3', 'ORDER-2']);
    expect(await keys(journal, { demo: false, limit: 2, before: ids[1] ?? '' })).toEqual(['ORDER-1']);
    expect(await keys(journal, { demo: true })).toEqual(['ORDER-9']);
    expect(await keys(journal, { profile: 'demo' })).toEqual(['ORDER-9']);
    expect(await keys(journal, { states: ['unknown'] })).toEqual(['ORDER-2']);
    expect(await keys(journal, { since: NOON * 10 })).toEqual([]);
  });
});

describeBoth('A search', kind => {
  const SEARCHES: [string, string[]][] = [
    ['jurgen', ['ORDER-3', 'ORDER-1']],
    ['MUNCH', ['ORDER-3', 'ORDER-1']],
    ['gross sohne', ['ORDER-3', 'ORDER-1']],
    ['izmir', ['ORDER-2']],
    ['cigdem luc', ['ORDER-2']],
    ['jean-l', ['ORDER-2']],
    ['rgen', []],
    ['order-1', ['ORDER-1']],
    ['ORDER-', ['ORDER-3', 'ORDER-2', 'ORDER-1']],
    ['shp-2', ['ORDER-3']],
    ['1z-a', ['ORDER-1']],
    ['jurgen izmir', []],
    ['jurgen 1z', ['ORDER-1']],
  ];
  const isNew = [
    ['before anything is indexed', 0],
    ['when all of it is indexed', 600],
  ] as const;

  test.each(isNew)(
    'finds beginnings of words without case and marks, keys, shipments and tracking numbers, %s',
    async (_, more) => {
      const { journal, alter } = await shop(kind);
      if (more > 0) await alter(copies(more));
      for (const [search, found] of SEARCHES)
        expect([search, await keys(journal, { search })]).toEqual([search, found]);
      expect(await keys(journal, { country: 'tr' })).toEqual(['ORDER-2']);
      expect(await keys(journal, { carrier: 'ECO' })).toEqual(['ORDER-2']);
      expect(await keys(journal, { run: 'night 7' })).toEqual(['ORDER-1']);
      expect(await keys(journal, { country: 'DE', search: 'shp-1', states: ['created'] })).toEqual([
        'ORDER-1',
      ]);
    },
  );

  test('indexes what is new once, and finds what is newer', async () => {
    const { journal, alter } = await shop(kind);
    await alter(copies(3000));
    const told: number[] = [];
    expect(await keys(journal, { search: 'izmir' }, done => told.push(done))).toEqual(['ORDER-2']);
    expect(told.at(-1)).toBe(3004);
    const steps = told.length;
    await booked(journal, orderOf(4, CIGDEM), 'rejected');
    expect(await keys(journal, { search: 'izmir' }, done => told.push(done))).toEqual(['ORDER-4', 'ORDER-2']);
    expect(told).toHaveLength(steps);
    const [first] = await journal.orders({ search: 'other', limit: 1 });
    const rest = await journal.orders({ search: 'other', limit: 5000, before: first?.booking.id ?? '' });
    expect(rest).toHaveLength(2999);
  });

  test('finds a tracking number and a shipment that came after their booking was indexed', async () => {
    const { journal, alter } = await shop(kind);
    await alter(copies(600));
    const claim = await journal.claim(ship({ key: 'LATE' }));
    await alter(copies(600, { from: 600 }));
    expect(await keys(journal, { search: 'late-t' })).toEqual([]);
    const labels = { international: { made: true, trackingNumber: 'LATE-T' } };
    await journal.recordOutcome(
      claim.kind === 'claimed' ? claim.id : '',
      ended('created', { ids: { shipment: 'LATE-S' }, labels }),
    );
    expect(await keys(journal, { search: 'late-t' })).toEqual(['LATE']);
    expect(await keys(journal, { search: 'LATE-S' })).toEqual(['LATE']);
  });

  test('does not find the receiver of a pruned booking, and finds its key and shipment', async () => {
    const { journal, alter, later } = await shop(kind);
    await alter(copies(600));
    expect(await keys(journal, { search: 'jurgen' })).toHaveLength(2);
    await later(1000);
    await journal.prune(Number.MAX_SAFE_INTEGER);
    expect(await keys(journal, { search: 'jurgen' })).toEqual([]);
    expect(await keys(journal, { country: 'DE' })).toEqual([]);
    for (const search of ['order-3', 'shp-200']) expect(await keys(journal, { search })).toEqual(['ORDER-3']);
    expect(await keys(journal, { search: 'izmir' })).toEqual(['ORDER-2']);
  });
});

/** A statement that adds further bookings, like one of another key, which no search of these tests means unless it says so. */
const copies = (
  count: number,
  { from = 0, id = 'other', request = OTHER, state = "'rejected'" } = {},
): string => `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})
  INSERT INTO bookings (id, address, account, operation, key_space, key, fingerprint, state, sandbox, at, lease_until,
    holder, request)
  SELECT 'bk_${id}_' || i, address, account, operation, key_space, '${id}-' || i, fingerprint, ${state}, sandbox, at,
    lease_until, holder, '${JSON.stringify(request)}'
  FROM bookings, n WHERE key = 'ORDER-1'`;
