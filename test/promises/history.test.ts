import { expect, onTestFinished } from 'vitest';
import type { Ran } from '../rig/command.ts';
import { bookingAt, labelAt, said, UNKNOWN } from '../rig/journal.ts';
import { DAY, failing, files, recorded, SHIP } from './begin.ts';
import { each, promises } from './promise.ts';

const to = (firstName: string, city: string, code: string, more: object = {}) => ({
  receiver: {
    ...{ firstName, lastName: 'Example', email: `${firstName}@example.com` },
    ...{ phone: { code: '+49', number: '305550123' }, ...more },
    address: { line1: 'Torstraße 4', zipCode: '10119', city, country: { code } },
  },
  carrier: { id: 'EXP' },
});
const priced = (number: number, price: unknown, currency = 'EUR', id = 'EXP') => ({
  answer: JSON.stringify({ id: `S-${number}`, carrier: { id, price, currency } }),
});

/** K-1 is labelled, K-2 unknown, K-3 above its bound, K-4 rejected, K-5 of another day, K-6 cancelled, K-7 of the demo. */
const shop = recorded(rig => [
  bookingAt(rig, 1, { request: to('Jürgen', 'München', 'DE'), run: 'night', actor: 'ci', ...priced(1, 10) }),
  labelAt(rig, 101, 1),
  bookingAt(rig, 2, {
    ...UNKNOWN,
    request: to('Çağla', 'İzmir', 'TR'),
    why: 'the connection ended',
    profile: 'live',
  }),
  bookingAt(rig, 3, {
    ...{ request: { ...to("O'Brien", 'Leeds', 'GB'), carrier: { id: 'ECO' } } },
    ...{ overPrice: true, maxPrice: '5 EUR' },
    ...priced(3, 20.5, 'EUR', 'ECO'),
  }),
  bookingAt(rig, 4, { state: 'rejected', code: 'rejected', ids: {}, answer: null, httpStatus: 422 }),
  bookingAt(rig, 5, {
    request: to('Eva', 'Bonn', 'DE'),
    at: rig.clock.now - 3 * DAY,
    ...priced(5, 7, 'USD'),
  }),
  bookingAt(rig, 6, { state: 'cancelled', request: to('Mia', 'Bonn', 'DE'), ...priced(6, 9) }),
  bookingAt(rig, 7, { address: 'demo', profile: 'demo', request: to('Demo', 'Nowhere', 'FR') }),
]);
const keys =
  (...expected: string[]) =>
  ({ stdout }: Ran) =>
    expect(
      JSON.parse(stdout)
        .map(({ key }: { key: string }) => key)
        .sort(),
    ).toEqual(expected.toSorted());

promises('history list', [
  ...each({ rig: shop }, [
    ...each(
      { says: '`history` alone is `history list`', also: keys('K-6', 'K-4', 'K-3', 'K-2', 'K-1', 'K-5') },
      ['history --json', 'history list --json'],
    ),
    {
      says: 'It has one row for each order: labels that were made are columns of their shipment',
      run: 'history list --key K-1 --json',
      also: ({ stdout }) => {
        const rows = JSON.parse(stdout);
        expect(rows).toHaveLength(1);
        expect(rows[0]).toMatchObject({
          ...{ id: expect.stringMatching(/^bk_/), operation: 'ship', key: 'K-1', state: 'created' },
          ...{ at: '2026-03-02T09:00:00.001Z', profile: null, address: expect.any(String) },
          ...{ receiver: { name: 'Jürgen Example', city: 'München', country: 'DE' } },
          ...{ shipmentIds: ['S-1'], trackingNumbers: ['T-1'], carrier: 'EXP', price: 10, currency: 'EUR' },
          ...{ overPrice: null, labelFile: '/labels/K-1.pdf', exitCode: 0, httpStatus: 201, reason: null },
          ...{ run: 'night', actor: 'ci', bookedBy: expect.anything(), settlements: [] },
        });
      },
    },
  ]),
  {
    says: 'A label without its shipment in the journal has a row',
    rig: recorded(rig => [labelAt(rig, 101, 1)]),
    run: 'history list --json',
    json: [{ operation: 'label', shipmentIds: ['S-1'] }],
  },
  {
    says: 'A label that is unknown has a row',
    rig: recorded(rig => [bookingAt(rig, 1), labelAt(rig, 101, 1, UNKNOWN)]),
    run: 'history list --json',
    json: [
      { operation: 'label', key: 'K-1', state: 'unknown' },
      { operation: 'ship', key: 'K-1' },
    ],
  },
  ...(
    [
      ['--state created', ['K-3', 'K-1', 'K-5']],
      ['--state unknown', ['K-2']],
      ['--state rejected', ['K-4']],
      ['--state partial', []],
      ['--state pending', []],
      ['--state not_sent', []],
      ['--since 1d', ['K-6', 'K-4', 'K-3', 'K-2', 'K-1']],
      ['--since today', ['K-6', 'K-4', 'K-3', 'K-2', 'K-1']],
      ['--since 2026-02-27 --until 2026-02-28', ['K-5']],
      ['--until yesterday', ['K-5']],
      ['--key K-3', ['K-3']],
      ['--operation ship', ['K-6', 'K-4', 'K-3', 'K-2', 'K-1', 'K-5']],
      ['--operation ship-dual', []],
      ['--profile live', ['K-2']],
      ['--country TR', ['K-2']],
      ['--country gb', ['K-3']],
      ['--carrier ECO', ['K-3']],
      ['--run night', ['K-1']],
    ] as const
  ).map(([flags, expected]) => ({
    says: 'It shows those that fit',
    rig: flags.includes('--profile') ? withProfile : shop,
    run: `history list --json ${flags}`,
    also: keys(...expected),
  })),
  ...(
    [
      ['jurg', ['K-1']],
      ['JÜRGEN', ['K-1']],
      ['cagl', ['K-2']],
      ['obrien', ['K-3']],
      ['example', ['K-6', 'K-3', 'K-2', 'K-1', 'K-5']],
      ['k-3', ['K-3']],
      ['s-5', ['K-5']],
      ['eva@example.com', ['K-5']],
    ] as const
  ).map(([text, expected]) => ({
    says: '--search finds names, keys, shipments, tracking numbers and e-mail addresses by their beginning',
    rig: shop,
    run: `history list --json --search ${text}`,
    also: keys(...expected),
  })),
  ...['torstr', 'TORSTRASSE', '10119', '101 19', '030 5550123', '+49 30 555-01-23', '0049305550123'].map(
    text => ({
      says: '--search finds the street, the postal code and the phone number, national or not',
      rig: recorded(rig => [bookingAt(rig, 1, { request: to('Ann', 'Berlin', 'DE') }), bookingAt(rig, 2)]),
      run: ['history', 'list', '--json', '--search', text],
      also: keys('K-1'),
    }),
  ),
  {
    says: 'Bookings of the demo are shown where the demo is in force',
    rig: shop,
    run: 'history list --profile demo --json',
    also: keys('K-7'),
  },
  {
    says: 'CSV always has the same columns',
    run: 'history list -o csv',
    stdout:
      /^key,state,at,receiver,country,carrier,price,currency,overPrice,shipmentId,trackingNumber,domesticShipmentId,domesticTrackingNumber,labelFile,reason,httpStatus,run,actor,profile,operation,id,resolution\r?\n$/,
  },
  {
    says: 'CSV has a row for each order, with times in UTC',
    rig: shop,
    run: 'history list --key K-1 -o csv',
    stdout:
      /\nK-1,created,2026-03-02T09:00:00\.001Z,Jürgen Example,DE,EXP,10,EUR,,S-1,T-1,,,\/labels\/K-1\.pdf,,201,night,ci,,ship,bk_\w+,\r?\n$/,
  },
  ...each({ run: 'history list', terminal: true, columns: 80, env: { NO_COLOR: '1' } }, [
    {
      says: 'The table fits 80 columns with a row each',
      rig: shop,
      also: ({ stdout }) => {
        const lines = stdout.trimEnd().split('\n');
        expect(lines).toHaveLength(7);
        expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
      },
    },
    {
      says: 'The table names a label that is unknown with the key and the receiver of its order',
      rig: recorded(rig => [
        bookingAt(rig, 1, { request: to('Ann', 'Leeds', 'GB') }),
        labelAt(rig, 101, 1, UNKNOWN),
      ]),
      stdout: /^K-1 +Ann Example \(Leeds\) +- +label unknown /m,
    },
  ]),
  {
    says: 'The table has the zone of the machine',
    rig: () => {
      const zone = process.env.TZ;
      process.env.TZ = 'Asia/Tokyo';
      onTestFinished(() => {
        if (zone === undefined) delete process.env.TZ;
        else process.env.TZ = zone;
      });
      return shop();
    },
    run: 'history list --key K-1',
    stdout: ' 2 Mar 18:00 ',
  },
  ...each({ says: 'A wrong filter is exit 2', exit: 2 }, [
    'history list --state lost',
    'history list --country Almanya',
    'history list --operation shp',
    { run: ['history', 'list', '--search', ' '] },
  ]),
  ...each({ says: 'An empty journal is an empty list in every format', exit: 0 }, [
    { run: 'history list --json', stdout: /^\[\]\n$/ },
    { run: 'history list -o jsonl', stdout: /^$/ },
    { run: 'history list -q', stdout: /^$/ },
    { run: 'history list', stdout: /^No bookings\.\n$/ },
  ]),
  ...each({ says: 'A list without a booking says what was asked for', rig: shop }, [
    {
      run: 'history list --search nobody',
      stdout:
        /^Nothing matches "nobody"\. Searched were bookings: receiver, street, .*, tracking number\.\n$/,
    },
    {
      run: 'history list --search jurg --country TR --since 7d',
      stdout: /^Nothing matches "jurg"\. Searched were bookings since \d+ Feb 09:00 to TR: /,
    },
    {
      run: 'history list --state pending --profile demo',
      stdout: /^No bookings of the demo that are pending\.\n$/,
    },
  ]),
  {
    says: 'What a person called not created reads so, and is rejected for scripts',
    rig: recorded(rig => [
      bookingAt(rig, 1, { ...UNKNOWN, state: 'rejected', facts: [said('rejected')] }),
      bookingAt(rig, 2, { state: 'rejected', code: 'rejected', ids: {}, answer: null, httpStatus: 422 }),
    ]),
    run: 'history list',
    stdout: [/^K-1 .* not created /m, /^K-2 .* rejected /m],
    also: async (_, rig) =>
      expect(await rig.json('history list')).toMatchObject([{ state: 'rejected' }, { state: 'rejected' }]),
  },
  ...['5003', '500', '#5003'].map(text => ({
    says: '--search finds a key with and without the # before it',
    rig: recorded(rig => [bookingAt(rig, 1, { key: '#5003' }), bookingAt(rig, 2)]),
    run: ['history', 'list', '--json', '--search', text],
    also: keys('#5003'),
  })),
  {
    says: 'CSV has empty cells for what is not known, and why it is not',
    rig: shop,
    run: 'history list --key K-2 -o csv',
    stdout: /\nK-2,unknown,2026-03-02T09:00:00\.002Z,Çağla Example,TR,EXP,{9}the connection ended,/,
  },
  {
    says: 'CSV has how an order was resolved, and of one that was booked again since nothing',
    rig: recorded(rig => {
      const settled = bookingAt(rig, 2, { ...UNKNOWN, state: 'rejected', facts: [said('rejected')] });
      const answered = { kind: 'answered', at: 2, counts: true, state: 'unknown' } as const;
      const again = { ...UNKNOWN, facts: [said('rejected'), answered], keyHolder: settled.id };
      return [bookingAt(rig, 1, again), settled];
    }),
    run: 'history list -o csv',
    stdout: [/^K-2,.*,not-created\r$/m, /^K-1,.*,\r$/m],
  },
  {
    says: 'The table has the year of another year',
    rig: shop,
    after: [{ later: 366 * DAY }],
    run: 'history list --key K-1',
    stdout: / 2 Mar 2026 /,
  },
]);

async function withProfile() {
  const rig = await shop();
  rig.file('config/config.json', {
    profiles: { live: { baseUrl: rig.address, credentials: { kind: 'token', token: 'demo' } } },
  });
  return rig;
}

const page = (ref: string) => `history show ${ref}`;

promises('history show', [
  ...each({ rig: shop }, [
    {
      says: 'It shows a page for people',
      run: page('K-1'),
      stdout: [/^K-1: created\n/, 'Jürgen Example', 'T-1', '/labels/K-1.pdf', 'waybill track K-1'],
    },
    ...each(
      { says: 'A REF is an id in the journal, a key, a shipment or a tracking number', json: { key: 'K-1' } },
      [
        'history show K-1 --json',
        'history show S-1 --json',
        'history show T-1 --json',
        'history show bk_00000000000000000000000000000001 --json',
        { run: ['history', 'show', ' T-1 ', '--json'] },
      ],
    ),
  ]),
  ...each({ rig: shop, exit: 4 }, [
    { says: 'A REF that nobody knows is exit 4', run: page('NONE'), stdout: /^$/ },
    {
      says: 'A REF that fits the words of an order names it: exit 4',
      run: page('jurg'),
      stderr: '"K-1" to Jürgen Example',
    },
  ]),
  {
    says: 'It has what was sent and what came back; `overPrice` is null where there was no bound',
    rig: files,
    after: [SHIP],
    run: 'history show A-1 --json',
    json: {
      ...{ request: { type: 'package' }, answer: { carrier: { id: 'EXP' } } },
      ...{ httpStatus: 201, overPrice: null },
    },
  },
  {
    says: '`overPrice` is null where there was no price',
    rig: recorded(rig => [bookingAt(rig, 1, { maxPrice: '5 EUR', answer: '{"id":"S-1"}' })]),
    run: 'history show K-1 --json',
    json: { overPrice: null },
  },
  {
    says: '`overPrice` is false within the bound',
    rig: files,
    after: [`${SHIP} --max-price 60EUR`],
    run: 'history show A-1 --json',
    json: { overPrice: false },
  },
  {
    says: 'An order that is unknown says how to resolve it',
    rig: shop,
    run: page('K-2'),
    stdout: [/^K-2: unknown/, 'the connection ended', 'waybill history resolve K-2 --created SHIPMENT_ID'],
  },
  {
    says: 'A rejected order has the words of the service',
    rig: failing('422'),
    after: [{ line: SHIP, exit: 5 }],
    run: 'history show A-1 --json',
    json: { state: 'rejected', exitCode: 5, httpStatus: 422 },
  },
  ...each({ says: 'A label that is unknown is told with its order, and has a page', exit: 0 }, [
    {
      rig: recorded(rig => [bookingAt(rig, 1), labelAt(rig, 2, 1, UNKNOWN)]),
      run: page('K-1'),
      stdout: /waybill history show bk_0+2\n/,
    },
    {
      rig: recorded(rig => [bookingAt(rig, 1), labelAt(rig, 2, 1, UNKNOWN)]),
      run: page('bk_00000000000000000000000000000002'),
      stdout: [/Label of +K-1\n/, /waybill history resolve bk_0+2 --created S-1\n/],
    },
  ]),
  {
    says: 'A price above its bound names the command that accepts it',
    rig: shop,
    run: page('K-3'),
    stdout: [
      /^K-3: created, above --max-price\n/,
      'above --max-price 5 EUR\n',
      'waybill history accept K-3\n',
    ],
  },
]);

const groups = (...expected: unknown[]) => ({ exit: 0, json: expected });

promises('history summary', [
  {
    says: 'It has for each group its shipments, labels and cost, and what is open',
    rig: shop,
    run: 'history summary --by country --json',
    ...groups(
      {
        group: 'DE',
        shipments: 1,
        labels: 1,
        cost: { EUR: 10 },
        withoutPrice: 0,
        overPrice: 0,
        unlabelled: 0,
        unknown: 0,
      },
      { group: 'GB', shipments: 1, labels: 0, cost: { EUR: 20.5 }, overPrice: 1, unlabelled: 1 },
      { group: 'TR', shipments: 0, cost: {}, unknown: 1 },
      {},
    ),
  },
  ...(
    [
      ['--by day', ['2026-03-02']],
      ['--by day --since 7d', ['2026-02-27', '2026-03-02']],
      ['--by month --since 7d', ['2026-02', '2026-03']],
      ['--by run', ['night', null]],
      ['--by profile', ['live', null]],
      ['--since 7d --until 2026-02-28', ['2026-02-27']],
      // A day of --until counts whole, and what belongs to no group comes last.
      ['--since 7d --until 2026-02-27', ['2026-02-27']],
      ['--since 7d --until 2026-02-26', []],
      ['--by carrier', ['ECO', 'EXP', null]],
    ] as const
  ).map(([flags, expected]) => ({
    says: 'It has the groups that were asked for',
    rig: shop,
    run: `history summary --json ${flags}`,
    also: ({ stdout }: Ran) =>
      expect(JSON.parse(stdout).map(({ group }: { group: unknown }) => group)).toEqual(expected),
  })),
  {
    says: 'Of two words it has each pair',
    rig: shop,
    run: 'history summary --json --since 7d --by month,carrier',
    also: ({ stdout }) =>
      expect(
        JSON.parse(stdout).map(({ group, subgroup, shipments }: Record<string, unknown>) => [
          group,
          subgroup,
          shipments,
        ]),
      ).toEqual(
        expect.arrayContaining([
          ['2026-02', 'EXP', 1],
          ['2026-03', 'ECO', 1],
          ['2026-03', 'EXP', 1],
        ]),
      ),
  },
  ...each({ says: 'Another word is exit 2', exit: 2 }, [
    'history summary --by week',
    'history summary --by day,day',
    'history summary --by day,month,run',
  ]),
  {
    says: 'A person sees what needs one, with the command to type',
    rig: shop,
    run: 'history summary',
    stdout: ['waybill history list --state unknown', 'waybill history accept K-3', 'waybill label K-3'],
  },
  {
    says: 'A pair is two shipments',
    rig: files,
    after: ['ship-dual pair.json --label --key P-1'],
    run: 'history summary --json',
    ...groups({ shipments: 2, labels: 2 }),
  },
  {
    says: 'Currencies are not added to each other, and amounts are exact',
    rig: recorded(rig => [
      bookingAt(rig, 1, priced(1, '0.1')),
      bookingAt(rig, 2, priced(2, 0.2)),
      bookingAt(rig, 3, priced(3, 5, 'USD')),
      bookingAt(rig, 4, priced(4, null)),
    ]),
    run: 'history summary --json',
    ...groups({ shipments: 4, cost: { EUR: 0.3, USD: 5 }, withoutPrice: 1 }),
  },
  { says: 'Of an empty journal it is an empty list', run: 'history summary --json', stdout: /^\[\]\n$/ },
  {
    says: 'What was accepted is not above its bound any more',
    rig: recorded(rig => [
      bookingAt(rig, 1, {
        overPrice: true,
        maxPrice: '5 EUR',
        facts: [said('accepted', { ids: { shipment: 'S-1' } })],
      }),
    ]),
    run: 'history summary --json',
    ...groups({ overPrice: 0, shipments: 1 }),
  },
  ...each({ says: 'It has a form for each reader, also where there is nothing', exit: 0 }, [
    { run: 'history summary', stdout: /^Since 1 Mar 09:00: no bookings\.\n$/ },
    { run: 'history summary -q', stdout: /^0\n$/ },
    { rig: shop, run: 'history summary -o csv', stdout: /^group,shipments,labels,/ },
  ]),
  ...each(
    {
      says: 'What is unknown needs a person however old it is, and stays out of the groups',
      rig: recorded(rig => [bookingAt(rig, 1, { ...UNKNOWN, at: rig.clock.now - 3 * DAY })]),
    },
    [
      {
        run: 'history summary',
        stdout: /no bookings\.\n\n1 unknown from before: K-1\n {2}waybill history list --state unknown\n$/,
      },
      { run: 'history summary -q', stdout: /^1\n$/ },
      { run: 'history summary --json', stdout: /^\[\]\n$/ },
      { run: 'history summary --since 7d', stdout: '1 unknown: K-1', lacks: 'from before' },
    ],
  ),
]);
