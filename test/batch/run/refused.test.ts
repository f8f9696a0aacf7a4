// All records are validated before the first is sent, and files of other runs are not lost.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changed } from '../../contract/rig.ts';
import {
  bookedIn,
  ends,
  issuesOf,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { errorOf, fixture, posted, SHIPMENT, sent } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';

const bad = (key: string) => order(key, { category: `sale ${key}`, chargeableWeight: -1 });
const resultsIn = ({ folder }: Rig) => readFileSync(join(folder, 'orders.results.jsonl'), 'utf8');

describe('One record that is not valid', () => {
  test('prevents all records from being sent: every issue has its line and path', async () => {
    const rig = await shop([order('A'), bad('B'), order('C'), order('D', { receiver: undefined })]);
    const ran = await rig.run(`${SHIP} --json`);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_request', operation: 'ship' });
    expect(errorOf(ran).message).toContain(
      '2 of the 4 records of orders.jsonl are not valid; nothing was sent. Fix them, or add --skip-invalid to send the others and --failed FILE to write these to a file',
    );
    expect(issuesOf(ran)).toEqual([
      expect.stringMatching(/^line 2: category .*sales.*"sale B"/),
      expect.stringMatching(/^line 2: chargeableWeight .*-1/),
      expect.stringMatching(/^line 4: receiver /),
    ]);
    expect(existsSync(join(rig.folder, 'orders.results.jsonl'))).toBe(false);
    expect(existsSync(join(rig.folder, 'orders.results.jsonl.part'))).toBe(false);
  });

  test('leaves the results of an earlier run unchanged', async () => {
    const rig = await shop(orders(2));
    await rig.run(SHIP);
    const before = resultsIn(rig);
    rig.file('orders.jsonl', jsonLines([...orders(2), bad('B')]));
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 2, requests: [] });
    expect(resultsIn(rig)).toBe(before);
  });

  test('is left out with --skip-invalid: the rest is sent, exit 9, and it has its line', async () => {
    const rig = await shop([order('A'), bad('B'), order('C')]);
    const ran = await rig.run(`${SHIP} --skip-invalid --json`);
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(bookedIn(ran)).toEqual(['A', 'C']);
    expect(summaryOf(ran)).toMatchObject({ records: 3, sent: 2, states: { created: 2, invalid: 1 } });
    expect(ends(linesIn(rig))).toEqual(['A created 0 true', 'B invalid 2 false', 'C created 0 true']);
    const error = linesIn(rig).find(({ key }) => key === 'B')?.error;
    expect(error).toMatchObject({ code: 'invalid_request', httpStatus: null, booking: null, body: null });
    expect(error?.issues.map(({ path }) => path)).toEqual(['category', 'chargeableWeight']);
    expect(ran.stderr).toContain('line 2, B');
  });
});

test('What the service refused keeps its problems when the run is repeated', async () => {
  const rig = await shop([order('A', { carrier: { id: 'NOPE' } })]);
  for (const options of ['', '--failed mend.jsonl']) {
    await rig.run(`${SHIP} ${options}`);
    const issue = { path: 'carrier.id', message: expect.stringContaining('NOPE') };
    expect(linesIn(rig)[0]?.error?.issues).toEqual([issue]);
  }
  expect(linesIn(rig, 'mend.jsonl')[0]).toHaveProperty(
    '_error',
    expect.stringMatching(/^carrier\.id .*NOPE/),
  );
});

test('The first 50 problems are listed, and the number of invalid records', async () => {
  const rig = await shop(keys(60).map(key => order(key, { category: `sale ${key}` })));
  const ran = await rig.run(`${SHIP} --json`);
  expect(errorOf(ran).message).toContain('60 of the 60 records of orders.jsonl are not valid');
  expect(errorOf(ran).message).toContain('The first 50 of 60 problems:');
  expect(issuesOf(ran)).toHaveLength(50);
});

describe('A key', () => {
  test.each([
    ['is left out', order('B', { key: undefined })],
    ['is null', order('B', { key: null })],
    ['is blank', order('B', { key: '  ' })],
    ['is no text', order('B', { key: { id: 1 } })],
  ])('that %s is refused', async (_, record) => {
    const rig = await shop([order('A'), record]);
    const ran = await rig.run(`${SHIP} --json`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(issuesOf(ran)).toContainEqual(expect.stringMatching(/^line 2: key (is required|must be text)/));
  });

  test('may be a number, and may be in another field', async () => {
    const rig = await shop([order('A', { orderNumber: 17, key: undefined })]);
    expect((await rig.run(`${SHIP} --key-column orderNumber`)).exitCode).toBe(0);
    expect(ends(linesIn(rig))).toEqual(['17 created 0 true']);
  });

  test.each([1, 300])('that is given twice is refused, with %i records between them', async between => {
    const rig = await shop([order('A'), ...orders(between), order('A', { category: 'gift' })]);
    const ran = await rig.run(`${SHIP} --json`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(issuesOf(ran)).toEqual([expect.stringMatching(`^line ${between + 2}: key is on line 1 already`)]);
  });
});

test.each([
  [
    'a name twice: the last bound would count',
    '"key":"A","maxPrice":"5EUR","maxPrice":"500EUR"',
    'the name "maxPrice" twice',
  ],
  ['a key that lost digits', '"key":123456789012345678.0', 'key must be text'],
])('A record that has %s, is refused', async (_, fields, why) => {
  const rig = await shop([]);
  rig.file('orders.jsonl', `{${fields},${JSON.stringify(order('A', { key: undefined })).slice(1)}`);
  const ran = await rig.run(`${SHIP} --json`);
  expect(ran).toMatchObject({ exitCode: 2, requests: [] });
  expect(issuesOf(ran)).toEqual([expect.stringMatching(`^line 1:? .*${why}`)]);
});

describe('The results', () => {
  const line = ({ address }: Rig, key: string) => ({
    ...{ operation: 'ship', place: address, key, line: 1 },
    ...{ state: 'created', shipmentId: 'S-1' },
  });

  test.each(['', '--dry-run --estimate'])(
    'of another machine are not replaced: exit 2, naming what is booked %s',
    async more => {
      const rig = await shop(orders(1));
      rig.file('orders.results.jsonl', jsonLines([line(rig, 'THEIRS')]));
      const ran = await rig.run(`${SHIP} ${more} --json`);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
      expect(errorOf(ran)).toMatchObject({ code: 'duplicate' });
      expect(errorOf(ran).message).toContain('"THEIRS"');
      expect(errorOf(ran).message).toContain('; nothing was sent');
      expect(linesIn(rig)).toEqual([line(rig, 'THEIRS')]);
    },
  );

  test.each([
    ['notes', 'call Anna\n'],
    ['orders', jsonLines([order('A')])],
    ['lines without a place', jsonLines([{ operation: 'ship', key: 'A', line: 1, state: 'created' }])],
  ])('are not written over %s', async (_, text) => {
    const rig = await shop(orders(1));
    rig.file('mine.jsonl', text);
    const ran = await rig.run(`${SHIP} --results mine.jsonl`);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
    expect(ran.stderr).toContain('mine.jsonl is not a results file of a batch');
    expect(readFileSync(join(rig.folder, 'mine.jsonl'), 'utf8')).toBe(text);
  });

  test('are not written over the input, whatever its name', async () => {
    const rig = await shop(orders(1));
    symlinkSync(join(rig.folder, 'orders.jsonl'), join(rig.folder, 'link.jsonl'));
    for (const names of [
      '--results orders.jsonl',
      '--results ./x/../orders.jsonl',
      '--results link.jsonl',
      '--failed orders.jsonl',
      '--results same.jsonl --failed same.jsonl',
    ])
      expect(await rig.run(`${SHIP} ${names}`)).toMatchObject({ exitCode: 2, requests: [] });
    expect(linesIn(rig, 'orders.jsonl')).toEqual(orders(1));
  });

  test('that a power cut tore in their last line are replaced: run again, a batch goes on', async () => {
    const rig = await shop(orders(3));
    await rig.run(SHIP);
    const whole = resultsIn(rig);
    for (const end of [-40, 5, 300]) {
      rig.file('orders.results.jsonl', `${whole.slice(0, end)}\0\0`);
      expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
      expect(ends(linesIn(rig))).toEqual(keys(3).map(key => `${key} created 0 false`));
    }
    rig.file('orders.results.jsonl', `${jsonLines([line(rig, 'THEIRS')])}${whole.slice(0, -40)}`);
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 2, requests: [] });
  });

  test.each(['--results', '--failed'])('do not replace a device: %s', async flag => {
    const rig = await shop(orders(1));
    const device = join(rig.folder, 'null.jsonl');
    symlinkSync('/dev/null', device);
    await rig.run(`${SHIP} ${flag} null.jsonl`);
    expect(statSync(device).isCharacterDevice()).toBe(true);
  });

  test.each(['ends.jsonl', 'ends.csv'])(
    '%s of keys that a spreadsheet would take for formulas are known again',
    async name => {
      const rig = await shop([order('-1'), order('+49'), order('=A1'), order('@x')]);
      expect((await rig.run(`${SHIP} --results ${name}`)).exitCode).toBe(0);
      expect(await rig.run(`${SHIP} --results ${name}`)).toMatchObject({ exitCode: 0, requests: [] });
    },
  );
});

describe('A command line', () => {
  test.each([
    ['batch ship', /missing required argument/],
    ['batch ship orders.dat', /--format/],
    [`${SHIP} --estimate`, /--dry-run/],
    [`${SHIP} --concurrency 0`, /1 or more/],
    [`${SHIP} --concurrency 1000`, /at most 256/],
    [`${SHIP} --max-unknown 0`, /1 or more/],
    [`${SHIP} --rate 0`, /rate/],
    [`${SHIP} --download labels`, /--label/],
    [`${SHIP} --key A`, /--key/],
    ['batch track orders.jsonl --estimate --dry-run', /--estimate/],
    ['batch webhook orders.jsonl', /webhook/],
    ['batch ship orders.jsonl --reprint', /--reprint/],
    ['batch ship orders.jsonl --merge today.pdf', /--label/],
    ['batch quote orders.jsonl --max-unknown 1', /max-unknown/],
    ['batch quote orders.jsonl --retry-rejected', /retry-rejected/],
  ])('%s is refused: exit 2', async (command, why) => {
    const rig = await shop(orders(1));
    const ran = await rig.run(command);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(why);
    expect(sent(ran)).toEqual([]);
  });
});

test('A file of --failed that cannot be written leaves no part of the results behind', async () => {
  const rig = await shop(orders(1));
  const ran = await rig.run(`${SHIP} --failed missing/failed.jsonl`);
  expect(ran).toMatchObject({ exitCode: 10, requests: [] });
  expect(readdirSync(rig.folder).filter(name => name.includes('results'))).toEqual([]);
});

test('--failed replaces only a file that a batch wrote with --failed', async () => {
  const rig = await shop([order('A'), bad('B')]);
  for (const mine of [
    'mine',
    'order,payment_error\nA-1,card declined\n',
    '{"order":"A-1","_error":"card declined"}\n',
  ]) {
    rig.file('precious.txt', mine);
    const refused = await rig.run(`${SHIP} --failed precious.txt`);
    expect(refused).toMatchObject({ exitCode: 2, requests: [] });
    expect(refused.stderr).toContain('precious.txt exists, and a batch did not write it with --failed');
    expect(readFileSync(join(rig.folder, 'precious.txt'), 'utf8')).toBe(mine);
  }
  for (const name of ['failed.jsonl', 'failed.jsonl', 'failed.csv'])
    expect((await rig.run(`${SHIP} --failed ${name}`)).stderr).toContain('not valid');
  expect(readFileSync(join(rig.folder, 'failed.jsonl'), 'utf8')).toContain('_error');
});

test('A cell that cannot be read is one problem: what it was to fill in is not missing, too', async () => {
  const gaps = [
    'packages',
    ...['firstName', 'lastName', 'phone', 'address.country'].map(of => `receiver.${of}`),
  ];
  const open = changed(order('A'), Object.fromEntries(gaps.map(path => [path, undefined])));
  const given = { Land: 'Narnia', Name: 'Aslan', Phone: 'none', package: '1kg' };
  const rig = await shop([{ ...(open as object), ...given }]);
  rig.file('map.json', {
    columns: { Land: 'receiver.address.country.code', Name: 'receiver', Phone: 'receiver.phone' },
    transform: { Land: 'country', Name: 'name', Phone: 'phone' },
  });
  const ran = await rig.run(`${SHIP} --map map.json --json`);
  expect(issuesOf(ran)).toEqual([
    expect.stringMatching(/^line 1: Land must be a country, .*"Narnia"/),
    expect.stringMatching(/^line 1: Name must be a first and a last name/),
    expect.stringMatching(/^line 1: package "1kg" is not of the form/),
    expect.stringMatching(/^line 1: Phone must be a phone number/),
  ]);
});

// The results file: in which place its lines were booked, so that no rehearsal stands for the real run, and a machine without one.

const RESULTS = 'orders.results.jsonl';

/** Two machines that have one folder of files, and a file of three orders in it. */
async function twoMachines() {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(orders(3)) } });
  return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
}

test('A rehearsal in the demo does not stand in the way of the real run elsewhere, and is never imported as real orders', async () => {
  const { rig, a, b } = await twoMachines();
  expect((await a(`${SHIP} --json --profile demo`)).exitCode).toBe(0);
  expect(linesIn(rig)).toMatchObject(Array(3).fill({ operation: 'ship', place: 'demo' }));
  const imported = await b(`history import ${RESULTS} --json`);
  expect([imported.exitCode, errorOf(imported).message]).toEqual([
    2,
    expect.stringMatching(/bookings at demo, .*history import orders\.results\.jsonl --profile demo/),
  ]);
  const ran = await b(`${SHIP} --json`);
  expect([ran.exitCode, posted(ran).length]).toEqual([0, 3]);
  expect(linesIn(rig)).toMatchObject(Array(3).fill({ place: rig.address, sent: true }));
});

describe('Results of another place than the one in force', () => {
  test('are replaced if this journal knows the bookings there', async () => {
    const { rig, a } = await twoMachines();
    expect((await a(`${SHIP} --json --sandbox`)).exitCode).toBe(0);
    expect(linesIn(rig)[0]).toMatchObject({ place: `${rig.address}/sandbox`, sandbox: true });
    expect(posted(await a(`${SHIP} --json`))).toHaveLength(3);
    expect(linesIn(rig)).toMatchObject(Array(3).fill({ place: rig.address, sent: true }));
  });

  test('are not replaced if another machine made the bookings: they may have no other record', async () => {
    const { rig, a, b } = await twoMachines();
    const shop = { baseUrl: rig.address, account: 'ACME', credentials: { kind: 'token', token: 'demo' } };
    rig.file('config/config.json', { profiles: { shop } });
    expect(posted(await a(`${SHIP} --json`))).toHaveLength(3);
    // It knows the same keys, of another account.
    expect(posted(await b(`${SHIP} --json --profile shop --results mine.jsonl`))).toHaveLength(3);
    const before = readFileSync(join(rig.folder, RESULTS), 'utf8');
    const refused = await b(`${SHIP} --json --profile shop`);
    expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
      2,
      [],
      `orders.results.jsonl has 3 bookings made at ${rig.address} with another journal ("ORDER-1", "ORDER-2", "ORDER-3"); nothing was sent. This run is for ${rig.address} account ACME, and the file may be the only record of them: name another file with --results`,
    ]);
    expect(readFileSync(join(rig.folder, RESULTS), 'utf8')).toBe(before);
    expect((await b(`${SHIP} --json --profile shop --results mine.jsonl`)).exitCode).toBe(0);
  });
});

test('A machine that knows the orders, and not their labels, does not replace the results of their labels', async () => {
  const { a, b } = await twoMachines();
  await a(`${SHIP} --json`);
  await b(`history import ${RESULTS} --done none`);
  const label = 'batch label orders.jsonl --json';
  expect(posted(await a(label))).toHaveLength(3);
  const refused = await b(label);
  expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
    2,
    [],
    expect.stringContaining('import its bookings with `waybill history import orders.label.jsonl`'),
  ]);
  await b('history import orders.label.jsonl --done none');
  const again = await b(label);
  expect([again.exitCode, posted(again)]).toEqual([0, []]);
});

test('Whatever operation would replace them, results are looked up as what they say they are', async () => {
  const { rig, a, b } = await twoMachines();
  await a(`${SHIP} --json`);
  const [line] = linesIn(rig);
  // The label of a shipment says nothing about its key.
  await b(['label', '--international', line?.shipmentId ?? '']);
  for (const operation of ['track', 'label']) {
    const refused = await b(`batch ${operation} orders.jsonl --json --results ${RESULTS}`);
    expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
      2,
      [],
      expect.stringContaining('3 bookings'),
    ]);
  }
  expect((await a(`batch track orders.jsonl --results ${RESULTS}`)).exitCode).toBe(0);
});

/** The default results file cannot be written, and neither can the state folder. */
async function readOnly(journal: 'local' | 'shared') {
  const rig = await createRig({ journal, files: { 'orders.jsonl': jsonLines(orders(3)), file: '' } });
  mkdirSync(join(rig.folder, 'orders.results.jsonl'));
  return rig;
}

test('A batch with a shared journal goes on without a results file, and says so', async () => {
  const rig = await readOnly('shared');
  const env = { WAYBILL_STATE_DIR: join(rig.folder, 'file', 'state'), TMPDIR: join(rig.folder, 'file') };
  const ran = await rig.run(`${SHIP} --json`, { env });
  expect([ran.exitCode, bookedIn(ran)]).toEqual([0, keys(3)]);
  expect(summaryOf(ran)).toMatchObject({ results: null, states: { created: 3 } });
  expect(JSON.parse(ran.stderr).warning).toContain('orders.results.jsonl cannot be written');
  expect(summaryOf(await rig.run(`${SHIP} --json`, { env }))).toMatchObject({ already: 3, sent: 0 });
  const strict = await rig.run(`${SHIP} --json --strict`, { env });
  expect([strict.exitCode, strict.requests]).toEqual([2, []]);
});

test('A results file that is named must be written, and so must that of a local journal', async () => {
  const rig = await readOnly('shared');
  const ran = await rig.run(`${SHIP} --json --results orders.results.jsonl`);
  expect([ran.exitCode, ran.requests, errorOf(ran).code]).toEqual([10, [], 'storage']);
  // What else cannot be written is in promises/exit-codes.
  const refused = await (await readOnly('local')).run(`${SHIP} --json`);
  expect([refused.exitCode, refused.requests]).toEqual([10, []]);
  expect(errorOf(refused)).toMatchObject({
    operation: 'ship',
    message: expect.stringMatching(
      /cannot be written.*; nothing was sent\. Name another file with --results$/,
    ),
  });
});

test('A batch that books nothing needs no folder for a journal', async () => {
  const quote = fixture('v1/carriers/proposal/POST/minimal.request.json');
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines([quote, quote]), file: '' } });
  const ran = await rig.run('batch quote orders.jsonl --json', {
    env: { WAYBILL_STATE_DIR: join(rig.folder, 'file', 'state') },
  });
  expect([ran.exitCode, ran.requests.length]).toEqual([0, 2]);
});

test('Orders that do not fit in memory, and have no temporary folder, are refused with the variable to set', async () => {
  const [item] = SHIPMENT.items as object[];
  const items = [{ ...item, description: 'x'.repeat(900_000) }];
  const long = keys(5).map(key => order(key, { items }));
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(long) } });
  const ran = await rig.run(`${SHIP} --json`, { env: { TMPDIR: join(rig.folder, 'missing') } });
  expect([ran.exitCode, ran.requests]).toEqual([10, []]);
  expect(errorOf(ran).message).toMatch(/missing: there is no such folder; nothing was sent\. Set TMPDIR/);
});
