import { describe, expect, test } from 'vitest';
import { jsonLines, linesIn, order } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { machine } from '../rig/journal.ts';
import { PROPOSALS, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { sampled } from '../torture/size.ts';

/** Words that an object has without being given them. */
const WORDS = ['constructor', '__proto__', 'toString', '__defineGetter__'];
const DIGITS = '9'.repeat(400);
const PRICES = [
  DIGITS,
  `-${DIGITS}`,
  `0.${DIGITS}`,
  `${DIGITS}.5`,
  '1e400',
  '1e300',
  '-1e300',
  `"${DIGITS}"`,
];

interface Said {
  currency: string;
  carrier: string;
  /** JSON. */
  price: string;
}

/** A service that says this of each order. */
async function saying(said: Said): Promise<Rig> {
  let made = 0;
  const id = JSON.stringify(said.carrier);
  const server = await rawServer((socket, request) => {
    const [line = ''] = request.split(' HTTP/1.1', 1);
    const priced = `"price":${said.price},"currency":${JSON.stringify(said.currency)}`;
    if (line.endsWith(PROPOSALS))
      return void socket.write(
        http(
          201,
          `{"chargeableWeight":4.8,"proposals":[{"id":${id},"name":${id},"serviceType":${id},"isValid":true,"deliveryTime":"1-3 days",${priced}}]}`,
        ),
      );
    if (line.startsWith('GET '))
      return void socket.write(
        http(
          200,
          `{"id":"${line.split('/').at(-1)}","carrier":{"name":${id},${priced}},"status":[{"status":${id},"milestone":${id},"date":"2026-03-02T12:00:00Z"}],"tracking":{"trackingNumber":"T","events":[]}}`,
        ),
      );
    if (line.includes('/carriers/create'))
      return void socket.write(
        http(200, '{"success":true,"international":{"success":true,"trackingNumber":"T-1"}}'),
      );
    made += 1;
    socket.write(
      http(
        201,
        `{"id":"S-${made}","carrier":{"id":${id},"name":${id},${priced}},"status":[{"status":${id},"milestone":${id},"date":"2026-03-02T12:00:00Z"}]}`,
      ),
    );
  });
  return createRig({
    env: { WAYBILL_BASE_URL: server.url.origin },
    files: {
      'order.json': SHIPMENT,
      'open.json': UNDECIDED,
      'orders.jsonl': jsonLines(['A', 'B'].map(key => order(key))),
      'keys.jsonl': jsonLines(WORDS.map(key => order(key))),
      'invoice.csv': `Reference,Amount,Currency\nA,${DIGITS},EUR\nB,12.40,EUR\n`,
    },
  });
}

const LINES = [
  'quote --from TR --to DE --package 1kg@10x10x10',
  'quote --from TR --to DE --package 1kg@10x10x10 --json --sort price',
  'ship open.json --key O --carrier cheapest',
  'ship order.json --key A-1 --json',
  'ship order.json --key A-2 --set receiver.firstName=Bea --max-price 20EUR',
  'ship open.json --key P --plan plan.json',
  'batch ship orders.jsonl --dry-run --estimate',
  'batch ship orders.jsonl --concurrency 1 --json',
  'batch ship keys.jsonl --max-price 20EUR --max-overpriced 9',
  'history list --json',
  'history list -o csv',
  'history show A',
  'history show A --json',
  ...['day', 'month,carrier', 'carrier', 'country', 'run', 'profile'].map(by => `history summary --by ${by}`),
  'history reconcile invoice.csv --by Reference',
  'history reconcile invoice.csv --by Reference --json',
  'track A --json',
  'batch track orders.jsonl',
  'label A',
  'history handover --pdf list.pdf',
  'history export --for csv out.csv',
  'history export --for amazon amazon.txt',
  'history cancelled A --reason x',
  'history summary --json',
  'history summary',
  'history check',
];

const isOurFault = ({ exitCode, stderr, stdout }: Ran) =>
  exitCode === 1 || /internal|is not a function|\[object|\[native|NaN|Infinity/.test(`${stderr}${stdout}`);

async function survives(said: Said): Promise<void> {
  const rig = await saying(said);
  const faults: object[] = [];
  for (const line of LINES) {
    const ran = await rig.run(line);
    if (isOurFault(ran)) faults.push({ line, exit: ran.exitCode, stderr: ran.stderr, stdout: ran.stdout });
  }
  const elsewhere = machine(rig, 'other');
  for (const line of [
    'history import orders.results.jsonl --done none',
    'history import orders.results.jsonl',
    'history summary',
  ]) {
    const ran = await elsewhere(line);
    if (isOurFault(ran)) faults.push({ line, stderr: ran.stderr });
  }
  expect(faults).toEqual([]);
  expect(linesIn(rig)).toHaveLength(2);
}

describe('No command fails because a service', () => {
  test.each(sampled(WORDS, 2))('has the currency and the carrier %s', word =>
    survives({ currency: word, carrier: word, price: '12.4' }),
  );
  test.each(sampled(PRICES, 3))('charges %s', price => survives({ currency: 'EUR', carrier: 'EXP', price }));
});

test('a sum has every currency by its name', async () => {
  const rig = await saying({ currency: '__proto__', carrier: 'EXP', price: '12.4' });
  const { stdout } = await rig.run('batch ship orders.jsonl --json');
  expect(Object.entries(JSON.parse(stdout).cost)).toEqual([['__proto__', 24.8]]);
  const [day] = await rig.json('history summary');
  expect(Object.entries(day.cost)).toEqual([['__proto__', 24.8]]);
});

test('a price that cannot be an amount is none: it is above each bound, and is in no sum', async () => {
  const price = (index: number) => (index === 0 ? '10' : `"${DIGITS}"`);
  let asked = 0;
  const rig = await saying({
    currency: 'EUR',
    carrier: 'EXP',
    get price() {
      return price(asked++);
    },
  });
  const ran = await rig.run('ship order.json --key A-1 --max-price 20EUR --json');
  expect(ran).toMatchObject({ exitCode: 11 });
  expect(JSON.parse(ran.stdout).carrier.price).toBe(DIGITS);
  expect(await rig.json('history summary')).toMatchObject([{ shipments: 1, cost: {}, withoutPrice: 1 }]);
});
