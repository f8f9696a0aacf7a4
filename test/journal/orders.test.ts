// The orders of a journal, how words are compared, and how a booking is found: one suite for both journals.
import { expect, test } from 'vitest';
import { INPUT_UNKNOWN } from '../../src/booking/booking.ts';
import type { OrderFilter } from '../../src/booking/questions.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { claimNames } from '../../src/journal/words.ts';
import { folded } from '../../src/text.ts';
import { booked, claimed, ended, journalRig, label, settle, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const person = (firstName: string, lastName: string, city: string, code: string, more = {}) => ({
  ...{ firstName, lastName, ...more },
  address: { city, country: { code } },
});
const orderOf = (number: number, receiver: unknown, more = {}) =>
  ship({ key: `ORDER-${number}`, request: { receiver, carrier: { id: 'EXP' } }, ...more });
const yes = (search: string): [string, boolean] => [search, true];
const no = (search: string): [string, boolean] => [search, false];
const made = (shipment: string) => ({ ids: { shipment } });

const keys = async (journal: Journal, filter: Partial<OrderFilter>) =>
  (await journal.orders({ limit: 100, ...filter })).map(({ booking }) => booking.key ?? booking.operation);

const JUERGEN = person('Jürgen', 'Groß', 'München', 'DE', { companyName: 'Müller & Söhne GmbH' });
const SIOBHAN = {
  ...person('Siobhán', 'O’Neill', 'London', 'GB', { email: 'S.ONeill+shop@Example.com' }),
  phone: { code: '+44', number: '2079460958' },
  address: {
    ...{ line1: '221b Bäcker Street', line2: "c/o D'Arcy", city: 'London' },
    ...{ zipCode: 'NW1 6XE', country: { code: 'GB' } },
  },
};
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
  test('are found by the run that made their label, also if the shipment is of another run', async () => {
    const { journal } = await shop(kind);
    const labelled = (shipment: string, run: string) =>
      booked(journal, label([shipment], { run }), 'created', {
        ...{ ids: {}, labels: { international: { made: true } } },
      });
    await labelled('SHP-200', 'Labels');
    expect(await keys(journal, { run: 'labels' })).toEqual(['ORDER-3']);
    await booked(journal, orderOf(10, JUERGEN), 'created', made('SHP-1010'));
    await labelled('SHP-1010', 'Labels');
    expect(await keys(journal, { run: 'LABELS' })).toEqual(['ORDER-10', 'ORDER-3']);
    expect(await keys(journal, { run: 'night 7' })).toEqual(['ORDER-1']);
  });

  test('are found by the whole of a long run, such as the address of a CI job', async () => {
    const { journal } = await shop(kind);
    const jobs = [1, 2].map(
      number => `https://ci.example/a-team/a-warehouse/actions/runs/of-this-year/${number}`,
    );
    for (const [index, run] of jobs.entries())
      await booked(journal, orderOf(20 + index, JUERGEN, { run }), 'created', made(`SHP-${20 + index}`));
    expect(await keys(journal, { run: jobs[1] ?? '' })).toEqual(['ORDER-21']);
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

  test('finds beginnings of words without case and marks, keys, shipments and tracking numbers', async () => {
    const { journal } = await shop(kind);
    await others(journal, 600);
    for (const [search, found] of SEARCHES)
      expect([search, await keys(journal, { search })]).toEqual([search, found]);
    expect(await keys(journal, { country: 'tr' })).toEqual(['ORDER-2']);
    expect(await keys(journal, { carrier: 'ECO' })).toEqual(['ORDER-2']);
    expect(await keys(journal, { run: 'night 7' })).toEqual(['ORDER-1']);
    expect(await keys(journal, { run: 'night' })).toEqual([]);
    expect(await keys(journal, { country: 'DE', search: 'shp-1', states: ['created'] })).toEqual(['ORDER-1']);
  });

  const ON_THE_PHONE: [string, boolean][] = [
    ...[
      '020 7946 0958',
      '02079460958',
      '+44 (0)20 7946-0958',
      '0044 20 79460958',
      '44207946',
      '+44 20 7946',
      '20794',
    ].map(yes),
    ...['NW1 6XE', 'nw16xe', 'nw1', 'NW1-6XE', 'oneill NW1 6XE london'].map(yes),
    ...['s.oneill+shop@example.com', 'S.Oneill+', 's.oneill+shop@'].map(yes),
    ...['backer str', '221B backer', 'darcy', "d'arcy", 'arcy'].map(yes),
    ...["o'neill", 'ONEILL', 'neill', 'o neill', 'O’Ne'].map(yes),
    ...['#77 41', '7741', '77 41', 'jd01 4600', 'JD014600', 'jd 0146 00'].map(yes),
    ...['0958', '7946', '2079', '6xe', 'example.com', 'NW1 6XF', '020 7946 0959', 's.oneill@'].map(no),
  ];

  test('finds what a customer says on the phone, and nothing else', async () => {
    const { journal } = await shop(kind);
    const labels = { international: { made: true, trackingNumber: 'JD01 4600' } };
    await booked(journal, ship({ key: '#77 41', request: { receiver: SIOBHAN } }), 'created', { labels });
    for (const [search, isFound] of ON_THE_PHONE)
      expect([search, await keys(journal, { search })]).toEqual([search, isFound ? ['#77 41'] : []]);
  });

  test('takes signs as they are written, and any length', async () => {
    const { journal } = await shop(kind);
    const written = ['[A]1*', 'A1B', '*A', '?A', 'X[!A]', '%_A', '\u{1f4e6}'.repeat(41)];
    for (const [index, key] of written.entries())
      await booked(journal, ship({ key }), 'created', made(`SIGNS-${index}`));
    for (const key of written) expect([key, await keys(journal, { search: key })]).toEqual([key, [key]]);
    for (const search of ['[a', '[A]1', '*', '?', '%', 'x[!'])
      expect(await keys(journal, { search })).toHaveLength(1);
    for (const search of ['a?b', '*1', '[A]B', 'a_', '*A*', '7'.repeat(70_000), 'x'.repeat(70_000)])
      expect(await keys(journal, { search })).toEqual([]);
  });

  test('finds a tracking number and a shipment from the moment in which the answer is recorded', async () => {
    const { journal } = await shop(kind);
    const id = await claimed(journal, ship({ key: 'LATE' }));
    expect(await keys(journal, { search: 'late-t' })).toEqual([]);
    const labels = { international: { made: true, trackingNumber: 'LATE-T' } };
    await journal.recordOutcome(id, ended('created', { ids: { shipment: 'LATE-S' }, labels }));
    expect(await keys(journal, { search: 'late-t' })).toEqual(['LATE']);
    expect(await keys(journal, { search: 'LATE-S' })).toEqual(['LATE']);
  });

  test('finds a shipment by the label that was made before it was known, as after an import or a settlement', async () => {
    const { journal } = await shop(kind);
    const unknown = await booked(journal, orderOf(5, CIGDEM), 'unknown');
    const labels = { international: { made: true, trackingNumber: 'EARLY-T' } };
    await booked(journal, label(['SHP-500'], { run: 'early' }), 'created', { ids: {}, labels });
    expect(await keys(journal, { search: 'early-t' })).toEqual(['label']);
    await settle(journal, unknown, 'created', { shipment: 'SHP-500' });
    expect(await keys(journal, { search: 'early-t' })).toEqual(['ORDER-5']);
    expect(await keys(journal, { run: 'early' })).toEqual(['ORDER-5']);
  });

  test('finds an order that was imported after its label', async () => {
    const { journal } = await shop(kind);
    const labels = { international: { made: true, trackingNumber: 'EARLY-T' } };
    await booked(journal, label(['SHP-500']), 'created', { ids: {}, labels });
    const [order] = await journal.orders({ search: 'order-1', limit: 1 });
    if (order === undefined) throw new Error('there is no booking');
    const imported = {
      id: 'bk_other',
      key: 'OTHER',
      ids: { shipment: 'SHP-500' },
      fingerprint: INPUT_UNKNOWN,
    };
    await journal.importBookings([{ booking: { ...order.booking, ...imported, version: 0 }, labels: [] }]);
    expect(await keys(journal, { search: 'early-t' })).toEqual(['OTHER']);
  });
});

/** Adds further bookings, which no search of these tests means unless it says so. */
async function others(journal: Journal, count: number): Promise<void> {
  const [order] = await journal.orders({ search: 'order-1', limit: 1 });
  if (order === undefined) throw new Error('there is no booking');
  await journal.importBookings(
    Array.from({ length: count }, (_, number) => ({
      booking: {
        ...order.booking,
        ...{ id: `bk_other_${number}`, key: `other-${number}`, state: 'rejected', run: null },
        ...{ ids: {}, labels: {}, request: OTHER },
      },
      labels: [],
    })),
  );
}

test.each([
  ['İSTANBUL', 'istanbul'],
  ['Çağla Yıldız', 'cagla yildiz'],
  ['Straße', 'strasse'],
  ['Łódź', 'lodz'],
  ['Ærø', 'aero'],
  ['Zoë ﬁne', 'zoe fine'],
  ['王小明', '王小明'],
])('%s is compared as %s', (given, plain) => {
  expect(folded(given)).toBe(plain);
});

test('a word of any length is kept by its beginning, which does not end in half a character', () => {
  const names = claimNames({ key: '😀'.repeat(100), run: null });
  expect(names).toBe(` ${'😀'.repeat(60)} `);
});

describeBoth('A name', kind => {
  test('of several bookings gives them all, the newest first, and one that is two names of a booking gives it once', async () => {
    const { journal } = await journalRig(kind);
    const first = await booked(journal, ship({ key: 'X' }), 'rejected');
    const second = await booked(journal, ship({ key: 'X' }), 'created', { ids: { shipment: 'X' } });
    expect((await journal.named('X')).map(({ id }) => id)).toEqual([second, first]);
  });

  test('is known although the outcome came after its booking counted as lost', async () => {
    const { journal, other, dies } = await journalRig(kind);
    const dual = OPERATIONS.createDualShipment;
    const id = await claimed(journal, { ...ship({ key: 'K' }), operation: dual.command });
    await dies(1);
    expect((await (await other(2)).named('K'))[0]?.state).toBe('unknown');
    const labels = { international: { made: true, trackingNumber: 'T-1' } };
    await journal.recordOutcome(id, ended('created', { ids: { international: 'I' }, labels }));
    expect((await journal.named('T-1')).map(one => one.id)).toEqual([id]);
  });
});
