// Records that were mended in the file of --failed are done in the file of the night, too; and nothing else is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  created,
  issuesOf,
  jsonLines,
  linesIn,
  order,
  type Reply,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import type { Ran, Rig } from '../../rig/command.ts';
import { COLUMNS, csvShop, row, FLAGS as SHARED } from '../../rig/csv-orders.ts';
import { CLOSED } from '../../rig/person.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { errorOf, posted, SHIPMENT, switchable } from '../../rig/service.ts';

const REFUSAL: Reply = { status: 422, body: { message: 'no such street' } };
const SHIP = 'batch ship orders.jsonl --json';
const NIGHT = `${SHIP} --skip-invalid --failed mend.jsonl`;
const MEND = 'batch ship mend.jsonl --json';
const FLAGS = `${SHARED} --carrier cheapest`;

const { receiver } = SHIPMENT as { receiver: Record<string, unknown> & { address: Record<string, unknown> } };
const to = (change: Record<string, unknown>, address: Record<string, unknown> = {}) => ({
  receiver: { ...receiver, ...change, address: { ...receiver.address, ...address } },
});
/** An order to a country that is none. */
const wrong = (key: string) => order(key, to({}, { country: { code: 'Deutschlnd' } }));

const states = (ran: Ran) => [ran.exitCode, summaryOf(ran).states];

/** A person edits a file. */
function edit(rig: Rig, name: string, from: string | RegExp, into: string): void {
  const before = readFileSync(join(rig.folder, name), 'utf8');
  const after = before.replaceAll(new RegExp(from, 'g'), into);
  expect(after).not.toBe(before);
  rig.file(name, after);
}

/** What a person has to mend. */
const failedIn = (rig: Rig) => linesIn(rig, 'mend.jsonl') as unknown as Record<string, unknown>[];

/** After a night with these records, of which some failed. */
async function afterNight(records: readonly unknown[], options = {}): Promise<Rig> {
  const rig = await shop(records, options);
  expect((await rig.run(NIGHT)).exitCode).toBe(9);
  return rig;
}

describe('A record that failed, and was mended in the file of --failed, is done in the file of the night', () => {
  test('of CSV with a map, of which each row has its name, and a person adds a row without one', async () => {
    const header = COLUMNS.replace('key', 'Order').replace('receiver.address.country.code', 'Land');
    const rows = [row('A', 'DE'), row('B', 'Deutschlnd', 'cup'), row('B', 'Deutschlnd', 'pot')];
    const rig = await csvShop(`${header},Memo`, ...rows.map(cells => `${cells},call first`));
    const columns = { Order: 'key', Land: 'receiver.address.country.code', Memo: '' };
    rig.file('map.json', { columns });
    const flags = `${FLAGS} --map map.json`;
    await rig.run(`batch ship orders.csv ${flags} --skip-invalid --failed mend.csv`);
    edit(rig, 'mend.csv', 'Deutschlnd', 'DE');
    edit(rig, 'mend.csv', '$', `,,${row('B', 'DE', 'lid')},\n`);
    expect(states(await rig.run(`batch ship mend.csv ${flags} --json`))).toEqual([0, { created: 1 }]);
    const ran = await rig.run(`batch ship orders.csv ${flags} --json`);
    expect([...states(ran), posted(ran)]).toEqual([0, { created: 2 }, []]);
    expect(summaryOf(ran)).toMatchObject({ already: 2, mended: 1, failed: null });
    expect(linesIn(rig)).toMatchObject([
      { key: 'A', sent: false, mended: false },
      { key: 'B', sent: false, mended: true, exitCode: 0, carrier: 'EXP', shipmentId: expect.any(String) },
    ]);
  });

  test('if its key is what was mended; and its label is made for that booking', async () => {
    const rig = await afterNight([order('A'), order('1.23457E+17')]);
    edit(rig, 'mend.jsonl', '1.23457E\\+17', '123457000000000019');
    expect((await rig.run(MEND)).exitCode).toBe(0);
    const ran = await rig.run(SHIP);
    expect([...states(ran), ran.requests]).toEqual([0, { created: 2 }, []]);
    expect(linesIn(rig)[1]).toMatchObject({ key: '1.23457E+17', mended: true, sent: false });
    const labelled = await rig.run(`${SHIP} --label`);
    expect([labelled.exitCode, posted(labelled)]).toEqual([0, Array(2).fill('POST /v2/carriers/create')]);
    expect(linesIn(rig).find(({ line }) => line === 2)).toMatchObject({
      ...{ mended: true, sent: false, state: 'created', trackingNumber: expect.any(String) },
    });
  });
});

describe('Nothing else counts as mended:', () => {
  test('a record whose booking is not known to exist: it is told as unknown', async () => {
    const fault = switchable('reset-after');
    const rig = await afterNight([order('A'), wrong('B')], fault);
    edit(rig, 'mend.jsonl', 'Deutschlnd', 'DE');
    fault.turn('on');
    expect((await rig.run(MEND)).exitCode).toBe(8);
    fault.turn('off');
    const ran = await rig.run(SHIP);
    expect([...states(ran), summaryOf(ran).mended]).toEqual([8, { created: 1, unknown: 1 }, 0]);
  });

  test('the second of two records that are equal', async () => {
    const { key: _, ...keyless } = order('B');
    const rig = await afterNight([order('A'), keyless, keyless]);
    rig.file('mend.jsonl', jsonLines([{ ...failedIn(rig)[0], key: 'B' }]));
    expect((await rig.run(MEND)).exitCode).toBe(0);
    expect(states(await rig.run(`${SHIP} --skip-invalid`))).toEqual([9, { created: 2, invalid: 1 }]);
  });

  test('another order, made out of a record that was mended: it has a key of its own', async () => {
    const rig = await afterNight([order('A'), wrong('B')]);
    const [failed] = failedIn(rig);
    edit(rig, 'mend.jsonl', 'Deutschlnd', 'DE');
    expect((await rig.run(MEND)).exitCode).toBe(0);
    rig.file('mend.jsonl', jsonLines([{ ...failed, key: 'C', category: 'sale' }]));
    expect((await rig.run(MEND)).exitCode).toBe(2);
  });
});

describe('The name of a record in a mended file', () => {
  test('that was booked under another key since: other content is not valid with --strict, and else warned of', async () => {
    const rig = await afterNight([order('A'), wrong('B')]);
    const mended: Record<string, unknown> = { ...failedIn(rig)[0], ...to({}), key: 'B2' };
    rig.file('mend.jsonl', jsonLines([mended]));
    expect((await rig.run(MEND)).exitCode).toBe(0);
    rig.file('mend.jsonl', jsonLines([{ ...mended, ...to({ firstName: 'Eva' }), key: 'B3' }]));
    const refused = await rig.run(`${MEND} --strict`);
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(issuesOf(refused)).toEqual([expect.stringMatching(/^line 1 .*_record .*the key "B2"/)]);
    const ran = await rig.run('batch ship mend.jsonl -q');
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 1]);
    expect(ran.stderr).toContain('line 1, B3: the same record (_record');
  });

  test('is that of one record: a copy is booked as an order of its own without it', async () => {
    const rig = await afterNight([order('A'), wrong('B')]);
    const mended = { ...failedIn(rig)[0], ...to({}) };
    rig.file('mend.jsonl', jsonLines([mended, { ...order('C'), _record: '' }]));
    expect(states(await rig.run(MEND))).toEqual([0, { created: 2 }]);
    expect(states(await rig.run(SHIP))).toEqual([0, { created: 2 }]);
  });

  test('is refused in an order made of the rows of two records', async () => {
    const rig = await csvShop(COLUMNS, row('A', 'Deutschlnd'), row('B', 'Deutschlnd'));
    expect((await rig.run(`batch ship orders.csv ${FLAGS} --failed mend.csv`)).exitCode).toBe(2);
    edit(rig, 'mend.csv', 'Deutschlnd', 'DE');
    edit(rig, 'mend.csv', ',B,DE', ',A,DE');
    const ran = await rig.run(`batch ship mend.csv ${FLAGS} --json`);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).issues.map(({ path }) => path)).toEqual(['line 2: _record']);
  });
});

describeBoth('A record that was rejected', journal => {
  /** B is rejected at night; in the morning a file with this record, in place of it, is booked. */
  async function rejected(mendedAs: (failed: Record<string, unknown>) => Record<string, unknown>) {
    const service = await scriptedService((key, attempt) =>
      key === 'B' && attempt === 1 ? REFUSAL : created(key),
    );
    const rig = await afterNight([order('A'), order('B')], { journal, env: service.env });
    rig.file('mend.jsonl', jsonLines([mendedAs({ ...failedIn(rig)[0] })]));
    expect((await rig.run(MEND)).exitCode).toBe(0);
    return { rig, service };
  }

  test.each([
    ['', { category: 'gift' }],
    [', also with another key', { category: 'gift', key: 'B-2' }],
    [', also if its key is all that was mended', { key: 'B-2' }],
  ])('is done if it was booked from the file of --failed%s', async (_, change) => {
    const { rig, service } = await rejected(failed => ({ ...failed, ...change }));
    for (const more of ['--dry-run', '--retry-rejected --strict', '--retry-rejected']) {
      const ran = await rig.run(`${SHIP} ${more}`);
      expect([...states(ran), ran.stderr]).toEqual([0, { created: 2 }, '']);
    }
    expect(service.arrivals.map(({ key }) => key)).toEqual(['A', 'B', 'B']);
    expect(linesIn(rig)[1]).toMatchObject({ key: 'B', mended: true, sent: false, shipmentId: 'S-B' });
  });

  test('is told to be booked, under another key, if it is corrected in the file of the night, too', async () => {
    const { rig, service } = await rejected(failed => ({ ...failed, key: 'B2', category: 'gift' }));
    rig.file('orders.jsonl', jsonLines([order('A'), order('B', to({ lastName: 'Somebody' }))]));
    const strict = await rig.run(`${SHIP} --strict`);
    expect([strict.exitCode, service.arrivals.length]).toEqual([2, 3]);
    expect(issuesOf(strict)).toEqual([expect.stringMatching(/^line 2 .*_record .*the key "B2"/)]);
    const ran = await rig.run(`${SHIP} -q`);
    expect([ran.exitCode, service.arrivals.length]).toEqual([0, 4]);
    expect(ran.stderr).toContain('line 2, B: the same record (_record');
  });

  test('is not sent again while its mended record, which has another key, may exist', async () => {
    const service = await scriptedService((key, attempt) =>
      key !== 'B' ? created(key) : attempt === 1 ? REFUSAL : 'reset',
    );
    const rig = await afterNight([order('A'), order('B')], { journal, env: service.env });
    edit(rig, 'mend.jsonl', '"key":"B"', '"key":"B-2"');
    expect((await rig.run(MEND)).exitCode).toBe(8);
    expect(states(await rig.run(`${SHIP} --retry-rejected`))).toEqual([8, { created: 1, unknown: 1 }]);
    expect(service.arrivals.map(({ key }) => key)).toEqual(['A', 'B', 'B']);
  });
});

test.each<[string, string, number, Record<string, string>?]>([
  ['would send', '--dry-run', 0],
  ['asked for prices only', '--dry-run --estimate --carrier cheapest', 0],
  ['could send nothing', '--retries 0', 9, { WAYBILL_BASE_URL: CLOSED }],
  ['has options that are no use together', '--download labels', 2],
])(
  'The --failed file that a person mends stays in a run that %s: %s',
  async (_, flags, exitCode, env = {}) => {
    const rig = await afterNight([order('A'), order('B', { category: 'sale' })]);
    edit(rig, 'mend.jsonl', '"sale"', '"sales"');
    const mends = readFileSync(join(rig.folder, 'mend.jsonl'), 'utf8');
    rig.file('next.jsonl', jsonLines([order('C')]));
    const ran = await rig.run(`batch ship next.jsonl --failed mend.jsonl ${flags}`, { env });
    expect([ran.exitCode, readFileSync(join(rig.folder, 'mend.jsonl'), 'utf8')]).toEqual([exitCode, mends]);
    expect(ran.stderr).not.toContain('removed');
  },
);

test('A record with a warning that was booked as it stands is booked before, and not refused by --strict; changed since, it is a duplicate', async () => {
  const doubtful = order('B', { customs: { totalGoodsValue: 1, currency: 'EUR' } });
  const rig = await shop([order('A'), doubtful]);
  expect(await rig.run(`${SHIP} --strict`)).toMatchObject({ exitCode: 2, requests: [] });
  expect((await rig.run(SHIP)).exitCode).toBe(0);
  // Another text of the same records.
  rig.file('orders.jsonl', jsonLines([order('A'), doubtful].map(record => ({ ...record, _note: 'seen' }))));
  for (const [more, labels] of [
    ['', 0],
    ['--label', 2],
  ]) {
    const ran = await rig.run(`${SHIP} --strict ${more}`);
    expect([...states(ran), posted(ran).length]).toEqual([0, { created: 2 }, labels]);
    expect(summaryOf(ran)).toMatchObject({ already: 2, mended: 0 });
    expect(ran.stderr).toMatch(/warning.*line 2, B: .*totalGoodsValue/);
  }
  rig.file('orders.jsonl', jsonLines([{ ...doubtful, ...to({ lastName: 'Somebody' }) }]));
  const changed = await rig.run(`${SHIP} --strict`);
  expect([...states(changed), changed.requests]).toEqual([9, { duplicate: 1 }, []]);
});
