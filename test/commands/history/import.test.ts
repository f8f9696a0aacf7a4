// Imports of what another machine booked: a whole journal, or the results of a batch.
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/host/sqlite.ts';
import { SCHEMA } from '../../../src/journal/sqlite/database.ts';
import { dualOrder, jsonLines, linesIn, order, orders } from '../../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../../rig/command.ts';
import { bookingAt, fill, inJournal, machine } from '../../rig/journal.ts';
import { FIRST_TABLES } from '../../rig/older-journals.ts';
import { describeBoth, sharedPlace } from '../../rig/postgres.ts';
import { DUAL, errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const JOURNAL = 'history import a/journal.db --json';
const RESULTS = 'history import orders.results.jsonl --json';
const BATCH = 'batch ship orders.jsonl --json';

const summary = ({ stdout }: Ran) => JSON.parse(stdout);
const many = (rig: Rig, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => bookingAt(rig, from + index));

/** Two machines at one service, with one folder to hand files over in. */
async function machines(options: Parameters<typeof createRig>[0] = {}) {
  const rig = await createRig(options);
  return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
}

/** A line of results as a batch of another machine at the same service writes it. */
const lineAt = (rig: Rig, line: Record<string, unknown>) => ({
  operation: 'ship',
  place: rig.address,
  key: 'ORDER-1',
  line: 1,
  sandbox: false,
  ...line,
});

async function listOf(run: ReturnType<typeof machine>) {
  return JSON.parse((await run('history list --json')).stdout);
}

describe('A journal', () => {
  test('is imported completely, in pages; another import completes the first, and a third changes nothing', async () => {
    const { rig, a, b } = await machines();
    await fill(rig, 'a', many(rig, 1, 500));
    const first = await b(JOURNAL.replace('--json', ''));
    expect(first.stdout).toBe('Journal       a/journal.db\nImported      500\nKnown before  0\n');
    await fill(rig, 'a', many(rig, 501, 1203));
    expect(summary(await b(JOURNAL))).toEqual({
      ...{ file: 'a/journal.db', kind: 'journal', taken: 703, known: 500, held: 0, unknown: 0 },
      ...{ unclear: [], leftOut: [] },
    });
    expect(await listOf(b)).toEqual(await listOf(a));
    expect(summary(await b(JOURNAL))).toMatchObject({ taken: 0, known: 1203, held: 0 });
    expect(await listOf(b)).toEqual(await listOf(a));
  });

  test('leaves out bookings whose key or label has another booking here, and reports them: exit 9', async () => {
    const { rig, b } = await machines();
    const label = (number: number, id: string) => ({
      booking: bookingAt(rig, number, { id, operation: 'label', keySpace: 'label', key: null, ids: {} }),
      labels: [{ leg: 'international' as const, shipment: 'S-9' }],
    });
    await fill(rig, 'a', [...many(rig, 1, 2), { ...label(3, 'bk_there') }]);
    const here = bookingAt(rig, 9, { id: 'bk_here', key: 'K-1', ids: { shipment: 'S-8' } });
    const unsure = label(8, 'bk_label');
    await fill(rig, 'b', [here, { ...unsure, booking: { ...unsure.booking, state: 'unknown' } }]);
    const ran = await b(JOURNAL);
    expect(summary(ran)).toMatchObject({ taken: 1, known: 1, held: 1 });
    expect(summary(ran).leftOut).toEqual([
      {
        ...{ booking: bookingAt(rig, 1).id, operation: 'ship', key: 'K-1', state: 'created' },
        ...{ shipmentIds: ['S-1'], heldBy: 'bk_here' },
      },
    ]);
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(errorOf(ran).message).toContain('"K-1"');
    const shown = JSON.parse((await b('history show K-1 --json')).stdout);
    expect([shown.id, shown.shipmentIds]).toEqual(['bk_here', ['S-8']]);
  });

  test('makes a booking that the other machine is sending unknown here, with a note', async () => {
    const { rig, b } = await machines();
    const pending = bookingAt(rig, 1, { state: 'pending', settledAt: null, answer: null, ids: {} });
    await fill(rig, 'a', [{ ...pending, holder: { ...pending.holder, process: process.pid } }]);
    const store = await openStore(join(rig.folder, 'a/journal.db'), {
      durability: 'full',
      schema: SCHEMA,
    });
    store.run('UPDATE bookings SET lease_until = ?', rig.clock.now + 60_000);
    store.close();
    const ran = await b(JOURNAL);
    expect(summary(ran)).toMatchObject({ taken: 1, unknown: 1 });
    expect(ran.stderr).toContain('history list --state unknown');
    const shown = JSON.parse((await b('history show K-1 --json')).stdout);
    expect([shown.state, shown.exitCode, shown.why]).toEqual([
      'unknown',
      8,
      expect.stringContaining(`process ${process.pid} on desk`),
    ]);
  });

  test('of the first version can be imported, and is no journal to book with', async () => {
    const { rig, a, b } = await machines();
    rig.file('a/none', '');
    const store = await openStore(join(rig.folder, 'a/journal.db'), {
      durability: 'full',
      schema: { version: 1, create: FIRST_TABLES },
    });
    store.run(
      `INSERT INTO bookings (id, address, account, operation, key_space, key, fingerprint, state, sandbox, at, lease_until, holder, ids)
       VALUES ('bk_old', ?, '', 'ship', 'shipment', 'OLD', 'f', 'created', 0, 1, 0, '{"host":"old","process":1,"start":""}', '{"shipment":"S"}')`,
      rig.address,
    );
    store.close();
    const refused = await a(BATCH);
    expect([refused.exitCode, refused.requests]).toEqual([10, []]);
    expect(errorOf(refused).message).toMatch(
      /older version of waybill .* waybill history import FOLDER\/journal.db/,
    );
    expect(summary(await b(JOURNAL))).toMatchObject({ taken: 1 });
    expect(JSON.parse((await b('history show OLD --json')).stdout)).toMatchObject({ shipmentIds: ['S'] });
  });

  test('of a newer version, or a database that is no journal, is refused: exit 2, and nothing is created', async () => {
    const { rig, b } = await machines();
    rig.file('a/none', '');
    const file = join(rig.folder, 'a/journal.db');
    const schema = { version: 1, create: 'CREATE TABLE other (id TEXT)' };
    (await openStore(file, { durability: 'full', schema })).close();
    const ran = await b(JOURNAL);
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect(errorOf(ran).message).toContain('not a journal of waybill');
    await fill(rig, 'c', many(rig, 1, 1));
    const newer = join(rig.folder, 'c/journal.db');
    const store = await openStore(newer, { durability: 'full' });
    store.run(`PRAGMA user_version = ${SCHEMA.version + 1}`);
    store.close();
    const refused = await b('history import c/journal.db --json');
    expect([refused.exitCode, errorOf(refused).message]).toEqual([
      2,
      expect.stringContaining('newer version'),
    ]);
    expect(existsSync(join(rig.folder, 'b/journal.db'))).toBe(false);
  });

  test('that another process is using can be read; of a machine that stopped, with its write-ahead log', async () => {
    const { rig, b } = await machines();
    await fill(rig, 'a', many(rig, 1, 1));
    rig.file('copy/none', '');
    // As a disk is found whose machine lost its power: the last bookings are in the WAL alone.
    await inJournal(rig, 'a', async journal => {
      await journal.importBookings(many(rig, 2, 4).map(booking => ({ booking, labels: [] })));
      for (const end of ['', '-wal'])
        copyFileSync(join(rig.folder, `a/journal.db${end}`), join(rig.folder, `copy/journal.db${end}`));
      expect(summary(await machine(rig, 'c')(JOURNAL))).toMatchObject({ taken: 4 });
    });
    const copied = () => [
      readFileSync(join(rig.folder, 'copy/journal.db')),
      readdirSync(join(rig.folder, 'copy')),
    ];
    const before = copied();
    expect(statSync(join(rig.folder, 'copy/journal.db-wal')).size).toBeGreaterThan(0);
    expect(summary(await b('history import copy/journal.db --json'))).toMatchObject({ taken: 4 });
    expect(copied()).toEqual(before);
    expect(readdirSync(join(rig.folder, 'b')).filter(name => name.startsWith('import-'))).toEqual([]);
  });
});

describe('The results of a batch', () => {
  test('are imported, and the batch sends its new records only, and makes the labels that are missing', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(3)));
    expect(posted(await a(BATCH))).toHaveLength(3);
    const refused = await b(BATCH);
    expect(errorOf(refused)).toMatchObject({ code: 'duplicate', exitCode: 2 });
    expect(errorOf(refused).message).toContain('waybill history import orders.results.jsonl');
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([
      0,
      expect.objectContaining({ kind: 'results', taken: 3, known: 0, held: 0, unclear: [] }),
    ]);
    const again = await b(BATCH);
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
    expect(summary(again)).toMatchObject({ sent: 0, already: 3, states: { created: 3 } });
    const FACTS = 'sort_by(@,&key)[].[key,operation,state,shipmentIds[0],carrier,price,currency,exitCode]';
    const { stdout } = await b(['history', 'list', '-o', 'text', '--query', FACTS]);
    expect(stdout).toContain('ORDER-3\tship\tcreated\t');
    expect(stdout).toBe((await a(['history', 'list', '-o', 'text', '--query', FACTS])).stdout);
    rig.file('orders.jsonl', jsonLines(orders(4)));
    expect(posted(await b(BATCH))).toHaveLength(1);
    expect(posted(await b(`${BATCH} --label`))).toEqual(Array(4).fill('POST /v2/carriers/create'));
  });

  test('reserve their keys for any input: it shows their answer and says why, and is a duplicate of a pair', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(1)));
    await a(BATCH);
    await b(RESULTS);
    for (const change of ['', '--category gift']) {
      const ran = await b(`ship -f - --key ORDER-1 --json ${change}`, { stdin: JSON.stringify(SHIPMENT) });
      expect([ran.exitCode, ran.requests]).toEqual([0, []]);
      expect(ran.stderr).toContain('imported from a results file');
    }
    rig.file('orders.jsonl', jsonLines([order('ORDER-1', { category: 'gift' })]));
    expect(posted(await b(BATCH))).toEqual([]);
    const pair = await b('ship-dual -f - --key ORDER-1 --json', { stdin: JSON.stringify(DUAL) });
    expect([pair.requests, errorOf(pair).code]).toEqual([[], 'duplicate']);
  });

  test('as CSV are guarded as well, but are not imported: the journal of that machine is', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(3)));
    const batch = `${BATCH} --results ends.csv`;
    expect(posted(await a(batch))).toHaveLength(3);
    const refused = await b(batch);
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(errorOf(refused).message).toContain('import the journal of that machine');
    const ran = await b('history import ends.csv --json');
    expect([ran.exitCode, ran.stdout, errorOf(ran).message]).toEqual([
      2,
      '',
      expect.stringContaining('Results in CSV are not imported: import the journal of that machine'),
    ]);
    expect((await b(JOURNAL)).exitCode).toBe(0);
    expect(posted(await b(batch))).toEqual([]);
  });

  test.each([
    ['ship', orders(2)],
    ['ship-dual', [dualOrder('P-1'), dualOrder('P-2')]],
  ])('of labels have the keys of %s: no shipment and no label is made again', async (operation, records) => {
    const { rig, a, b } = await machines();
    const batches = [
      [`batch ${operation}`, jsonLines(records)],
      ['batch label', jsonLines(records.map(({ key }) => ({ key })))],
    ] as const;
    for (const run of [a, b])
      for (const [batch, text] of batches) {
        if (run === b) await b('history import orders.label.jsonl');
        rig.file('orders.jsonl', text);
        const ran = await run(`${batch} orders.jsonl --json`);
        expect([ran.exitCode, posted(ran).length]).toEqual([0, run === a ? 2 : 0]);
      }
  });

  test('of a run that was interrupted before a label have its shipment: it is not booked again', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const batch = `${BATCH} --label --concurrency 1`;
    const first = await a(batch, {
      onRequest: ({ path }, { interrupt }) => {
        if (path === '/v1/shipments') interrupt('SIGINT');
      },
    });
    expect([first.exitCode, posted(first)]).toEqual([130, ['POST /v1/shipments']]);
    expect(errorOf(await b(batch))).toMatchObject({ code: 'duplicate', exitCode: 2 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 1, unknown: 0 });
    const ran = await b(batch);
    const [ship, label] = ['POST /v1/shipments', 'POST /v2/carriers/create'];
    expect([ran.exitCode, posted(ran)]).toEqual([0, [label, ship, label]]);
  });

  test('with a price that was accepted there are accepted here, by its actor or by the file', async () => {
    const { rig, b } = await machines();
    const dear = (number: number, more: object) =>
      lineAt(rig, {
        ...{ state: 'created', overPrice: true, exitCode: 0 },
        ...{ key: `ORDER-${number}`, shipmentId: `S-${number}`, ...more },
      });
    const lines = [dear(1, { actor: 'Ann' }), dear(2, {}), dear(3, { exitCode: 11 })];
    rig.file('orders.results.jsonl', jsonLines(lines));
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 3 });
    const rows = [...(await listOf(b))].reverse();
    expect(rows).toMatchObject([
      { exitCode: 0, settlements: [{ state: 'accepted', by: 'Ann' }] },
      { exitCode: 0, settlements: [{ state: 'accepted', by: 'results file' }] },
      { exitCode: 11, settlements: [] },
    ]);
  });

  test('that are unknown there are unknown here, and can be resolved', async () => {
    const { rig, a, b } = await machines({ faults: [{ kind: 'reset-after', probability: 1 }] });
    rig.file('orders.jsonl', jsonLines(orders(1)));
    expect((await a(BATCH)).exitCode).toBe(8);
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 1, unknown: 1 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 0, known: 1, held: 0 });
    const c = machine(rig, 'c');
    await c(JOURNAL);
    expect(summary(await c(RESULTS))).toMatchObject({ taken: 0, known: 1, held: 0 });
    const ran = await b(BATCH);
    expect([ran.exitCode, ran.requests]).toEqual([8, []]);
    expect((await b('history resolve ORDER-1 --not-created --force --reason gone --yes')).exitCode).toBe(0);
  });

  test.each<[string, object, number]>([
    ['duplicate', { taken: 1, unknown: 1 }, 0],
    ...['rejected', 'not_sent', 'invalid', 'failed', 'estimated'].map((state): [string, object, number] => [
      state,
      { taken: 0, unclear: [] },
      1,
    ]),
  ])('of a record that is %s are %j: only what may exist reserves its key', async (state, counts, sent) => {
    const { rig, b } = await machines();
    const read = { operation: 'track', state: 'done', exitCode: 0, shipmentId: 'S-1' };
    rig.file('orders.results.jsonl', jsonLines([lineAt(rig, { state }), lineAt(rig, read)]));
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([0, expect.objectContaining(counts)]);
    rig.file('orders.jsonl', jsonLines(orders(1)));
    expect(posted(await b(BATCH))).toHaveLength(sent);
  });

  test('with a line that a power cut has torn are imported without that line: exit 9', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(2)));
    await a(BATCH);
    const file = join(rig.folder, 'orders.results.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -40));
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([9, expect.objectContaining({ taken: 1, unclear: [2] })]);
    expect(errorOf(ran).message).toContain('Line 2');
  });

  test('are imported only in the place that they name, which is told with the command that does it: exit 2', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(1)));
    const shop = {
      baseUrl: rig.address,
      account: 'ACME account 7',
      credentials: { kind: 'token', token: 'demo' },
    };
    rig.file('config/config.json', { profiles: { other: { ...shop, account: 'ACME' }, shop } });
    const made = `${rig.address} account ACME account 7`;
    expect((await a(`${BATCH} --profile shop`)).exitCode).toBe(0);
    expect(linesIn(rig)[0]).toMatchObject({ place: made, sandbox: false });
    for (const where of ['', '--sandbox', '--profile other', '--profile demo']) {
      const ran = await b(`${RESULTS} ${where}`);
      expect([ran.exitCode, ran.stdout, errorOf(ran).message]).toEqual([
        2,
        '',
        `orders.results.jsonl has the results of bookings at ${made}, which is not that of this command; nothing was imported. To import them there, run \`waybill history import orders.results.jsonl --profile shop\``,
      ]);
    }
    const nowhere = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
    const ran = await b(RESULTS, { env: nowhere });
    expect([ran.exitCode, errorOf(ran).message]).toEqual([2, expect.stringContaining('--profile shop')]);
    expect((await b(`${RESULTS} --profile shop`)).exitCode).toBe(0);
    expect(posted(await b(`${BATCH} --profile shop`))).toEqual([]);
  });
});

test.each([
  ['a missing file', undefined],
  ['an order file', '{"sender":{}}\n'],
  ['text', 'hello\nworld\n'],
  ['nothing', ''],
  ['results without a place', '{"operation":"ship","key":"A","line":1,"state":"created"}\n'],
  ['results without an operation', '{"place":"PLACE","key":"A","line":1,"state":"created"}\n'],
  [
    'results with a line of something else',
    '{"operation":"ship","place":"PLACE","key":"A","line":1,"state":"created"}\n{"a":1}\n',
  ],
])('%s is refused before anything is taken: exit 2', async (_, content) => {
  const { rig, b } = await machines();
  if (content !== undefined) rig.file('file', content.replace('PLACE', rig.address));
  const ran = await b('history import file --json');
  expect([ran.exitCode, ran.stdout, errorOf(ran).code]).toEqual([2, '', 'usage']);
  expect(existsSync(join(rig.folder, 'b/journal.db'))).toBe(false);
});

describeBoth('What is imported', kind => {
  test('keeps keys, label files, claims of labels and secrets in either kind of journal', async () => {
    const { rig, a } = await machines();
    const place = kind === 'shared' ? { WAYBILL_JOURNAL: (await sharedPlace()).address } : {};
    const b = (argv: string | string[]) => machine(rig, 'b')(argv, { env: place });
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const batch = `${BATCH} --label --download labels`;
    expect(posted(await a(batch))).toHaveLength(4);
    expect(summary(await a(RESULTS))).toMatchObject({ taken: 0, known: 4 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 4, held: 0 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 0, known: 4 });
    await a('ship -f - --key ALONE --label --download labels', { stdin: JSON.stringify(SHIPMENT) });
    await a('webhook create --key HOOK --url http://127.0.0.1:1/ --event shipment.status.updated');
    const moved = await b(JOURNAL);
    expect([moved.exitCode, summary(moved)]).toEqual([0, expect.objectContaining({ taken: 3, known: 4 })]);
    expect(summary(await b(JOURNAL))).toMatchObject({ taken: 0, known: 7 });
    expect(posted(await b(batch))).toEqual([]);
    const [{ shipmentIds }] = JSON.parse((await b('history list --key ALONE --json')).stdout);
    const again = await b(['label', '--international', shipmentIds[0], '--download', 'there']);
    expect([again.exitCode, again.requests]).toEqual([0, []]);
    const [saved, first] = [`there/${shipmentIds[0]}.pdf`, 'labels/ALONE.pdf'].map(name =>
      readFileSync(join(rig.folder, name)),
    );
    expect(saved).toEqual(first);
    const secret = async (run: typeof a) =>
      summary(await run('history show HOOK --show-secret --json')).answer;
    expect(await secret(b)).toEqual(await secret(a));
  });
});

describeBoth('Bookings of the demo', kind => {
  test('are left out of a shared journal, with a note', async () => {
    const { rig } = await machines();
    const place = kind === 'shared' ? { WAYBILL_JOURNAL: (await sharedPlace()).address } : {};
    await fill(rig, 'a', [
      bookingAt(rig, 1),
      bookingAt(rig, 2, { address: 'demo' }),
      bookingAt(rig, 3, { address: 'demo/sandbox' }),
    ]);
    const ran = await machine(rig, 'b')('history import a/journal.db --json', { env: place });
    expect([ran.exitCode, summary(ran).taken]).toEqual([0, kind === 'shared' ? 1 : 3]);
    expect(ran.stderr.includes('2 bookings of the demo were left out')).toBe(kind === 'shared');
  });
});
