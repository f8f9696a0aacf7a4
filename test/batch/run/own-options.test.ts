// A record may have options of its own: carrier, service, maxPrice, maxDays, label. What holds for every record is weaker.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { ends, issuesOf, jsonLines, linesIn, order, shop } from '../../rig/batch.ts';
import { createRig, type Ran } from '../../rig/command.ts';
import { COLUMNS, csvShop, FLAGS, row } from '../../rig/csv-orders.ts';
import { shopRig } from '../../rig/profile.ts';
import { bodyOf, posted, SHIPMENT, sent } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';

const undecided = (key: string, own: Record<string, unknown> = {}) => ({
  ...order(key, own),
  chargeableWeight: undefined,
  ...(own.carrier === undefined && { carrier: undefined }),
});

const carriers = (lines: ReturnType<typeof linesIn>) =>
  Object.fromEntries(lines.map(({ key, carrier, state }) => [key, state === 'created' ? carrier : state]));

/** Orders with columns of their own options: `columns` and, for each order, its cells. */
const optionShop = (columns: string, ...cells: string[]) =>
  csvShop(`${COLUMNS},${columns}`, ...cells.map((own, index) => `${row(`ORDER-${index + 1}`)},${own}`));

describe('The carrier of a record', () => {
  test('is an id, cheapest or fastest, and is stronger than --carrier', async () => {
    const rig = await shop([
      undecided('A', {
        carrier: 'ECO',
        customs: { totalGoodsValue: 30, currency: 'EUR', iossNumber: 'IM2760000742' },
      }),
      undecided('B', { carrier: 'fastest' }),
      undecided('C', { carrier: 'cheapest' }),
      undecided('D'),
      order('E'),
    ]);
    const ran = await rig.run(`${SHIP} --carrier EXP --set customs.iossNumber=IM2760000742`);
    expect(ran.exitCode).toBe(0);
    expect(carriers(linesIn(rig))).toEqual({ A: 'ECO', B: 'EXP', C: 'ECO', D: 'EXP', E: 'EXP' });
  });

  test('may be a column, beside one of the whole body', async () => {
    const rig = await optionShop('carrier', 'EXP', 'fastest', '');
    expect((await rig.run(`batch ship orders.csv ${FLAGS} --carrier EXP`)).exitCode).toBe(0);
    expect(linesIn(rig).map(({ carrier }) => carrier)).toEqual(['EXP', 'EXP', 'EXP']);
    const twice = await optionShop('carrier,carrier.id', 'EXP,EXP');
    const ran = await twice.run(`batch ship orders.csv ${FLAGS} --json`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(issuesOf(ran)).toEqual([
      'carrier.id means the same field as carrier; remove or rename one of them',
    ]);
  });
});

describe('The bounds of a record', () => {
  test('are stronger than those of the command', async () => {
    const rig = await shop([
      undecided('A', { carrier: 'cheapest', maxPrice: '1EUR' }),
      undecided('B', { carrier: 'cheapest', maxPrice: '90 eur', maxDays: 30 }),
      undecided('C', { carrier: 'cheapest', service: 'Express' }),
      undecided('D', { carrier: 'cheapest' }),
      undecided('E', { carrier: 'cheapest', maxDays: '0', maxPrice: '90EUR' }),
    ]);
    const ran = await rig.run(`${SHIP} --max-price 2EUR --set customs.iossNumber=IM2760000742`);
    expect(ran.exitCode).toBe(9);
    expect(carriers(linesIn(rig))).toMatchObject({
      A: 'rejected',
      C: 'rejected',
      D: 'rejected',
      E: 'rejected',
    });
    expect(linesIn(rig).find(({ key }) => key === 'B')?.state).toBe('created');
  });

  test('are checked with everything else, each with its line and column', async () => {
    const rig = await optionShop(
      'carrier,service,maxPrice,maxDays,label',
      'EXP,,20,1.5,maybe',
      ',,20EUR,2,yes',
    );
    const ran = await rig.run(`batch ship orders.csv ${FLAGS} --json`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(issuesOf(ran)).toEqual([
      'line 2: maxPrice must be an amount above 0 with a currency such as 20EUR, not "20"',
      'line 2: maxDays must be a whole number, 0 or more, not "1.5"',
      'line 2: label must be yes, true, 1 or x, or no, false or 0, not "maybe"',
      expect.stringMatching(/^line 3: carrier/),
    ]);
    const free = await shop([order('A', { maxPrice: '0EUR' })]);
    expect(issuesOf(await free.run(`${SHIP} --json`))).toEqual([
      'line 1: maxPrice must be an amount above 0 with a currency such as 20EUR, not "0EUR"',
    ]);
    const objects = await shop([order('A', { maxPrice: { amount: 20 } })]);
    expect(issuesOf(await objects.run(`${SHIP} --json`))).toEqual([
      'line 1: maxPrice must be an amount above 0 with a currency such as 20EUR, not {"amount":20}',
    ]);
  });
});

describe('The label of a record', () => {
  test.each([
    ['yes', true],
    ['x', true],
    ['No', false],
    ['0', false],
    ['', false],
  ])('that is %j means %s', async (cell, isLabelled) => {
    const rig = await optionShop('carrier,label', `EXP,${cell}`);
    const ran = await rig.run(`batch ship orders.csv ${FLAGS}`);
    expect(ran.exitCode).toBe(0);
    expect(posted(ran).some(line => line.endsWith('/carriers/create'))).toBe(isLabelled);
  });

  test('is stronger than --label, and --download needs one record with a label', async () => {
    const rig = await shop([order('A', { label: false }), order('B'), order('C', { label: 'no' })]);
    const ran = await rig.run(`${SHIP} --label --download labels`);
    expect(ran.exitCode).toBe(0);
    expect(linesIn(rig).filter(({ labelFile }) => labelFile !== null)).toMatchObject([{ key: 'B' }]);
    const wanted = await shop([order('A', { label: true }), order('B')]);
    expect((await wanted.run(`${SHIP} --download labels`)).exitCode).toBe(0);
    expect(linesIn(wanted).filter(({ labelFile }) => labelFile !== null)).toMatchObject([{ key: 'A' }]);
    const unwanted = await shop([order('A', { label: false }), order('B')]);
    const refused = await unwanted.run(`${SHIP} --download labels`);
    expect(refused).toMatchObject({ exitCode: 2, requests: [] });
    expect(refused.stderr).toContain('--download needs --label');
  });
});

test('What a record may be, as a JSON Schema, has its own options, a key and packages', async () => {
  const { run } = await createRig();
  const schema = JSON.parse((await run('batch template ship --schema')).stdout);
  const accepts = new Ajv2020({ strict: false }).compile(schema);
  const own = { carrier: 'cheapest', service: 'express', maxPrice: '20EUR', maxDays: 3, label: true };
  for (const record of [
    order('A'),
    order('A', { ...own, _note: 'x' }),
    { key: 'A', package: '1kg@30x20x10cm' },
  ])
    expect(accepts(record)).toBe(true);
  for (const record of [{ carrier: 'EXP' }, order('A', { reciever: {} })])
    expect(accepts(record)).toBe(false);
});

test('The example file has the columns, and runs as it is', async () => {
  const rig = await createRig();
  const { stdout, stderr } = await rig.run('batch template ship');
  expect(stderr).toBe('');
  expect(stdout.split('\r\n')[0]).toMatch(/^key,carrier,service,maxPrice,maxDays,label,/);
  expect(stdout).not.toContain('carrier.id');
  rig.file('orders.csv', stdout);
  const ran = await rig.run('batch ship orders.csv');
  expect([ran.exitCode, sent(ran)]).toEqual([0, ['POST /v1/shipments']]);
});

const { receiver } = SHIPMENT as { receiver: Record<string, unknown> };
const bodies = (ran: Ran) => ran.requests.map((_, index) => bodyOf(ran, index) as Record<string, unknown>);

test('A receiver of a record replaces that of --receiver whole', async () => {
  const rig = await shop([order('A', { receiver: undefined }), order('B')]);
  rig.file('office.json', { ...receiver, firstName: 'Office', companyName: 'Beispiel GmbH' });
  const ran = await rig.run(`${SHIP} --receiver office.json --concurrency 1`);
  expect(ran.exitCode).toBe(0);
  expect(bodies(ran).map(body => body.receiver)).toEqual([
    expect.objectContaining({ firstName: 'Office', companyName: 'Beispiel GmbH' }),
    receiver,
  ]);
  const partly = await shop([order('C', { receiver: { firstName: 'Only' } })]);
  partly.file('office.json', receiver);
  expect(await partly.run(`${SHIP} --receiver office.json`)).toMatchObject({ exitCode: 2, requests: [] });
});

test('--set gives what a record leaves out of its own party and of its items, and replaces nothing', async () => {
  const { phone, ...rest } = receiver as { phone: object };
  const { items } = SHIPMENT as { items: { hsCode: string }[] };
  const bare = items.map(({ hsCode: _, ...item }) => item);
  const open = order('A', { receiver: { ...rest, phone: { number: '1' } }, items: bare });
  const rig = await shop([open, order('B')]);
  const ran = await rig.run([
    ...`${SHIP} --concurrency 1 --set receiver.phone.code=+99`.split(' '),
    ...['--set', 'items[0].hsCode=999999', '--set', 'items[7].hsCode=999999'],
  ]);
  expect(ran.exitCode).toBe(0);
  expect(bodies(ran).map(body => (body.receiver as { phone: object }).phone)).toEqual([
    { code: '+99', number: '1' },
    phone,
  ]);
  const codes = bodies(ran).map(body => (body.items as { hsCode: string }[]).map(item => item.hsCode));
  expect(codes).toEqual([['999999'], [items[0]?.hsCode]]);
});

test('The defaults of the profile are the weakest layer', async () => {
  const rig = await shopRig({ sender: { ...(SHIPMENT.sender as object), firstName: 'Profile' } });
  rig.file('orders.jsonl', jsonLines([order('A', { sender: undefined }), order('B')]));
  const ran = await rig.run(`${SHIP} --concurrency 1`);
  expect([ran.stderr, ran.exitCode]).toEqual(['', 0]);
  expect(bodies(ran).map(({ sender }) => (sender as { firstName: string }).firstName)).toEqual([
    'Profile',
    'Deniz',
  ]);
});

test('A file that a flag names is a part of what was booked: another sender is other input', async () => {
  const rig = await shop([order('A', { sender: undefined })]);
  const { sender } = SHIPMENT as { sender: object };
  rig.file('sender.json', sender);
  await rig.run(`${SHIP} --sender sender.json`);
  rig.file('sender.json', { ...sender, firstName: 'Another' });
  const single = await rig.run('ship -f - --sender sender.json --key A', {
    stdin: JSON.stringify(order('A', { sender: undefined, key: undefined })),
  });
  expect([single.exitCode, single.requests]).toEqual([2, []]);
  expect(single.stderr).toContain('(it differs in sender.firstName)');
  const batch = await rig.run(`${SHIP} --sender sender.json`);
  expect(batch).toMatchObject({ exitCode: 9, requests: [] });
  expect(batch.stderr).toContain('(it differs in sender.firstName)');
  expect(ends(linesIn(rig))).toEqual(['A duplicate 2 false']);
});

test('A record under a header that says another thing of its cells is a duplicate that says in which fields', async () => {
  const rig = await csvShop(COLUMNS, row('ORDER-1'), row('ORDER-2'));
  const run = () => rig.run(`batch ship orders.csv --carrier EXP ${FLAGS}`);
  expect((await run()).exitCode).toBe(0);
  const written = readFileSync(join(rig.folder, 'orders.csv'), 'utf8');
  // What a column is called that says nothing of the order makes no other order of it.
  rig.file('orders.csv', written.replace('key,', 'key,_note,').replace(/^ORDER-\d,/gm, '$&x,'));
  expect([(await run()).exitCode, ends(linesIn(rig))]).toEqual([
    0,
    ['ORDER-1 created 0 false', 'ORDER-2 created 0 false'],
  ]);
  const [first, last] = ['receiver.firstName', 'receiver.lastName'];
  rig.file('orders.csv', written.replace(`${first},${last}`, `${last},${first}`));
  const ran = await run();
  expect([ran.exitCode, ran.requests]).toEqual([9, []]);
  expect(ends(linesIn(rig))).toEqual(['ORDER-1 duplicate 2 false', 'ORDER-2 duplicate 2 false']);
  expect(ran.stderr).toContain('(it differs in receiver.lastName, receiver.firstName)');
});
