// A record may have options of its own: carrier, service, maxPrice, maxDays, label.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { linesIn, order, shop } from '../../rig/batch.ts';
import { createRig, type Ran } from '../../rig/command.ts';
import { errorOf, posted, sent, UNDECIDED } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';

const undecided = (key: string, own: Record<string, unknown> = {}) => ({
  ...order(key, own),
  chargeableWeight: undefined,
  ...(own.carrier === undefined && { carrier: undefined }),
});

const carriers = (lines: ReturnType<typeof linesIn>) =>
  Object.fromEntries(lines.map(({ key, carrier, state }) => [key, state === 'created' ? carrier : state]));

const issuesOf = (ran: Ran) => errorOf(ran).issues.map(({ path, message }) => `${path} ${message}`);

const HEADER =
  'key,receiver.firstName,receiver.lastName,receiver.email,receiver.phone.code,receiver.phone.number,receiver.address.line1,receiver.address.city,receiver.address.zipCode,receiver.address.country.code,package,items[].description,items[].hsCode,items[].countryOfOrigin,items[].quantity,items[].unitPrice,customs.totalGoodsValue';
const row = (key: string) =>
  `${key},Jonas,Weber,jonas@example.com,+49,3515550100,Hauptstrasse 7,Dresden,01067,DE,1kg@30x20x10cm,${key},610910,TR,2,12.5,25`;
const FLAGS = '--sender sender.json --type package --category sales --currency EUR';

/** A file `orders.csv` with columns of its own options: `columns` and, for each order, its cells. */
async function csvShop(columns: string, ...cells: string[]) {
  const rows = cells.map((own, index) => `${row(`ORDER-${index + 1}`)},${own}`);
  return createRig({
    files: {
      'orders.csv': [`${HEADER},${columns}`, ...rows, ''].join('\n'),
      'sender.json': UNDECIDED.sender,
    },
  });
}

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
    const rig = await csvShop('carrier', 'EXP', 'fastest', '');
    expect((await rig.run(`batch ship orders.csv ${FLAGS} --carrier EXP`)).exitCode).toBe(0);
    expect(linesIn(rig).map(({ carrier }) => carrier)).toEqual(['EXP', 'EXP', 'EXP']);
    const twice = await csvShop('carrier,carrier.id', 'EXP,EXP');
    const ran = await twice.run(`batch ship orders.csv ${FLAGS} --json`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(issuesOf(ran)).toEqual([
      'carrier.id means the same field as carrier; remove or rename one of them',
    ]);
  });

  test('may differ from --carrier: that is said once, with the count', async () => {
    const rig = await shop([
      order('A'),
      order('B', { carrier: 'EXP' }),
      undecided('C'),
      order('D', { carrier: 'ECO' }),
    ]);
    const ran = await rig.run(`${SHIP} --carrier ECO --dry-run --set customs.iossNumber=IM2760000742`);
    expect(ran.stderr.match(/--carrier ECO: .*/g)).toEqual([
      '--carrier ECO: 2 of 4 records have another value in their field carrier, and that one is used',
    ]);
    const strict = await rig.run(`${SHIP} --carrier ECO --strict --set customs.iossNumber=IM2760000742`);
    expect(strict).toMatchObject({ exitCode: 2, requests: [] });
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
    expect(ran.stderr).toContain(
      '--max-price 2EUR: 3 of 5 records have another value in their field maxPrice',
    );
  });

  test('are checked with everything else, each with its line and column', async () => {
    const rig = await csvShop('carrier,service,maxPrice,maxDays,label', 'EXP,,20,1.5,maybe', ',,20EUR,2,yes');
    const ran = await rig.run(`batch ship orders.csv ${FLAGS} --json`);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(issuesOf(ran)).toEqual([
      'line 2: maxPrice must be an amount with a currency such as 20EUR, not "20"',
      'line 2: maxDays must be a whole number, 0 or more, not "1.5"',
      'line 2: label must be yes, true, 1 or x, or no, false or 0, not "maybe"',
      expect.stringMatching(/^line 3: carrier/),
    ]);
    const objects = await shop([order('A', { maxPrice: { amount: 20 } })]);
    expect(issuesOf(await objects.run(`${SHIP} --json`))).toEqual([
      'line 1: maxPrice must be an amount with a currency such as 20EUR, not {"amount":20}',
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
    const rig = await csvShop('carrier,label', `EXP,${cell}`);
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

describe('What a record may be, as a JSON Schema,', () => {
  const compiled = async (command: string) => {
    const { run } = await createRig();
    return new Ajv2020({ strict: false }).compile(
      JSON.parse((await run(['batch', 'template', command, '--schema'])).stdout),
    );
  };

  test('has its own options, a key and packages', async () => {
    const accepts = await compiled('ship');
    for (const own of [
      {},
      { carrier: 'cheapest', service: 'express', maxPrice: '20EUR', maxDays: 3, label: true, _note: 'x' },
      { carrier: undefined, package: '1kg@30x20x10cm', packages: undefined },
    ])
      expect(accepts(JSON.parse(JSON.stringify(order('A', own))))).toBe(true);
    expect(accepts({ key: 'A' })).toBe(true);
    expect(accepts({ carrier: 'EXP' })).toBe(false);
    expect(accepts(order('A', { reciever: {} }))).toBe(false);
  });
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
