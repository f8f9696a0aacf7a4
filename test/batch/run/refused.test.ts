// Files of other runs are not lost: results of other places and machines, torn ones, and devices; and what needs no file at all.
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changed } from '../../contract/rig.ts';
import { ends, issuesOf, jsonLines, keys, linesIn, order, orders, shop } from '../../rig/batch.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { errorOf, fixture, posted, SHIPMENT } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';
const RESULTS = 'orders.results.jsonl';
const resultsIn = ({ folder }: Rig) => readFileSync(join(folder, RESULTS), 'utf8');

describe('The results', () => {
  test('that a power cut tore in their last line are replaced: run again, a batch goes on', async () => {
    const rig = await shop(orders(3));
    await rig.run(SHIP);
    const whole = resultsIn(rig);
    for (const end of [-40, 5, 300]) {
      rig.file(RESULTS, `${whole.slice(0, end)}\0\0`);
      expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
      expect(ends(linesIn(rig))).toEqual(keys(3).map(key => `${key} created 0 false`));
    }
    const theirs = { operation: 'ship', place: rig.address, key: 'THEIRS', line: 1, state: 'created' };
    rig.file(RESULTS, `${jsonLines([{ ...theirs, shipmentId: 'S-1' }])}${whole.slice(0, -40)}`);
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 2, requests: [] });
  });

  test.each(['--results', '--failed'])('do not replace a device: %s', async flag => {
    const rig = await shop(orders(1));
    const device = join(rig.folder, 'null.jsonl');
    symlinkSync('/dev/null', device);
    await rig.run(`${SHIP} ${flag} null.jsonl`);
    expect(statSync(device).isCharacterDevice()).toBe(true);
  });
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

/** Two machines that have one folder of files, and a file of three orders in it. */
async function twoMachines() {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(orders(3)) } });
  return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
}

test('Results of another account, which another machine made, are not replaced by one that knows the same keys', async () => {
  const { rig, a, b } = await twoMachines();
  const shop = { baseUrl: rig.address, account: 'ACME', credentials: { kind: 'token', token: 'demo' } };
  rig.file('config/config.json', { profiles: { shop } });
  expect(posted(await a(`${SHIP} --json`))).toHaveLength(3);
  expect(posted(await b(`${SHIP} --json --profile shop --results mine.jsonl`))).toHaveLength(3);
  const before = resultsIn(rig);
  const refused = await b(`${SHIP} --json --profile shop`);
  expect([refused.exitCode, refused.requests]).toEqual([2, []]);
  expect(errorOf(refused).message).toMatch(/3 bookings made at \S+ with another journal .*account ACME/);
  expect(resultsIn(rig)).toBe(before);
  expect((await b(`${SHIP} --json --profile shop --results mine.jsonl`)).exitCode).toBe(0);
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
    expect.stringContaining('waybill history import orders.label.jsonl'),
  ]);
  await b('history import orders.label.jsonl --done none');
  const again = await b(label);
  expect([again.exitCode, posted(again)]).toEqual([0, []]);
});

test('A machine that made the label of a shipment does not know its order by that', async () => {
  const { rig, a, b } = await twoMachines();
  await a(`${SHIP} --json`);
  await b(['label', '--international', linesIn(rig)[0]?.shipmentId ?? '']);
  const refused = await b(`batch label orders.jsonl --json --results ${RESULTS}`);
  expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
    2,
    [],
    expect.stringContaining('3 bookings'),
  ]);
  expect((await a(`batch track orders.jsonl --results ${RESULTS}`)).exitCode).toBe(0);
});

test('Results that cannot be written at their usual place stop a batch with a local journal: exit 10', async () => {
  const rig = await shop(orders(3));
  mkdirSync(join(rig.folder, RESULTS));
  const refused = await rig.run(`${SHIP} --json`);
  expect([refused.exitCode, refused.requests]).toEqual([10, []]);
  expect(errorOf(refused).message).toMatch(/nothing was sent.*--results/);
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
