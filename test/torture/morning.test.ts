// The morning after: a night with 500s, 429s, bad rows and prices that jump is settled through a CSV, mended, and run again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { csvRow } from '../../src/batch/csv.ts';
import { keys, linesIn, summaryOf } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { UNDECIDED } from '../rig/service.ts';
import { served } from '../rig/sockets.ts';
import { MORNING } from './size.ts';

/** What happens to the order with that number, counted from 0, on its first request. */
type Mishap = '500-before' | '500-after' | '429' | 'price-jump';

/** `mishapOf`: by the key of an order, which is the description of its item. */
async function badNight(upstream: string, mishapOf: (key: string) => Mishap | undefined) {
  const created = new Map<string, string[]>();
  const refused = new Set<string>();
  let isNight = true;

  const address = await served(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const isOrder = request.method === 'POST' && request.url === '/v1/shipments';
    const key: string = isOrder ? JSON.parse(body).items[0].description : '';
    const mishap = isOrder && isNight ? mishapOf(key) : undefined;
    if (mishap === '500-before') return void response.writeHead(500).end('{}');
    if (mishap === '429' && !refused.has(key)) {
      refused.add(key);
      return void response.writeHead(429, { 'retry-after': '1' }).end('{}');
    }
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const answer = await fetch(`${upstream}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    if (isOrder && answer.status === 201)
      created.set(key, [...(created.get(key) ?? []), JSON.parse(text).id]);
    if (mishap === '500-after') return void response.writeHead(500).end('{}');
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(mishap === 'price-jump' ? text.replace(/("price":)([\d.]+)/, '$1999.90') : text);
  });
  return {
    address,
    /** The ids of the shipments that were created for each key. */
    created,
    /** From now on nothing goes wrong. */
    end() {
      isNight = false;
    },
  };
}

const HEADER =
  'key,receiver.firstName,receiver.lastName,receiver.email,receiver.phone.code,receiver.phone.number,receiver.address.line1,receiver.address.city,receiver.address.zipCode,receiver.address.country.code,package,items[].description,items[].hsCode,items[].countryOfOrigin,items[].quantity,items[].unitPrice,customs.totalGoodsValue,carrier,label'.split(
    ',',
  );

const numberOf = (key: string): number => Number(key.replace('ORDER-', ''));

/** 5 % end with a 500, half of them although the shipment was created; 5 % with a 429 first; the price of 2 % jumps. */
function mishapOf(key: string): Mishap | undefined {
  const number = numberOf(key);
  if (number % 20 === 3) return number % 40 === 3 ? '500-before' : '500-after';
  if (number % 20 === 7) return '429';
  return number % 50 === 12 ? 'price-jump' : undefined;
}

/** 3 % are not valid: a country that is none, or no weight. */
const isBad = (key: string): boolean => numberOf(key) % 33 === 5;

function row(key: string, isMended: boolean): string[] {
  const isWrong = isBad(key) && !isMended;
  const [country, parcel] =
    numberOf(key) % 2 === 0 ? ['Deutschlnd', '1kg@30x20x10cm'] : ['DE', 'kg@30x20x10cm'];
  return [
    ...[key, 'Jonas', `Weber ${numberOf(key)}`, 'jonas@example.com', '+49', '3515550100', 'Hauptstrasse 7'],
    ...['Dresden', '01067', isWrong ? country : 'DE', isWrong ? parcel : '1kg@30x20x10cm'],
    ...[key, '610910', 'TR', '2', '12.5', '25', numberOf(key) % 3 === 0 ? 'EXP' : 'fastest'],
    numberOf(key) % 10 === 0 ? 'yes' : '',
  ].map(String);
}

const fileOf = (rows: readonly (readonly string[])[]): string =>
  rows.map(one => csvRow(one, { delimiter: ',' })).join('');

test(`A night of ${MORNING} orders is all there in the morning, each of them once`, async () => {
  const names = keys(MORNING);
  const rig = await createRig({
    files: {
      'orders.csv': fileOf([HEADER, ...names.map(key => row(key, false))]),
      'sender.json': UNDECIDED.sender,
    },
  });
  const service = await badNight(rig.address, mishapOf);
  const env = { WAYBILL_BASE_URL: service.address };
  const run = (words: string) => rig.run(words, { env });
  const flags =
    '--sender sender.json --type package --category sales --currency EUR --max-price 90EUR --concurrency 8 --json';
  const bad = names.filter(isBad);
  const doubtful = names.filter(key => !isBad(key) && mishapOf(key)?.startsWith('500'));
  const above = names.filter(key => !isBad(key) && mishapOf(key) === 'price-jump');

  // The night.
  const limits = `--max-unknown ${MORNING} --max-overpriced ${MORNING}`;
  const night = await run(`batch ship orders.csv ${flags} ${limits} --skip-invalid --failed mend.csv`);
  expect(night.exitCode).toBe(8);
  expect(summaryOf(night).states).toEqual({
    created: MORNING - bad.length - doubtful.length,
    invalid: bad.length,
    unknown: doubtful.length,
  });
  service.end();

  // The unknowns are looked up at the service, and settled through the CSV.
  const { stdout: unknown } = await run('history list --state unknown -o csv --limit 5000');
  const [header = [], ...rows] = parse(unknown) as string[][];
  expect(rows.length).toBe(doubtful.length);
  const at = (name: string) => header.indexOf(name);
  const filled = rows.map(cells => {
    const [id] = service.created.get(cells[at('key')] ?? '') ?? [];
    const copy = [...cells];
    copy[at('resolution')] = id === undefined ? 'not-created' : 'created';
    if (id !== undefined) copy[at('shipmentId')] = id;
    return copy;
  });
  rig.file('unknown.csv', fileOf([header, ...filled]));
  expect((await run('history resolve --file unknown.csv --force --reason asked')).exitCode).toBe(0);

  // The prices that jumped are seen and accepted.
  const jumped = linesIn(rig).filter(({ overPrice }) => overPrice === true);
  expect(jumped.map(({ key }) => key).sort()).toEqual(above.toSorted());
  const accepted = await run(`history accept ${jumped.map(({ key }) => key).join(' ')}`);
  expect([accepted.stderr, accepted.exitCode]).toEqual(['', 0]);

  // The bad rows are mended.
  const [mendHeader = [], ...mend] = parse(readFileSync(join(rig.folder, 'mend.csv'), 'utf8')) as string[][];
  expect(mend.map(([, , key]) => key)).toEqual(bad);
  const mended = mend.map(([error = '', name = '', key = '']) => [error, name, ...row(key, true)]);
  rig.file('mend.csv', fileOf([mendHeader, ...mended]));
  const mending = await run(`batch ship mend.csv ${flags}`);
  expect([mending.exitCode, summaryOf(mending).shipments]).toEqual([0, bad.length]);

  // The file of the night, as it was, ends with 0.
  const again = await run(`batch ship orders.csv ${flags}`);
  const notCreated = doubtful.filter(key => mishapOf(key) === '500-before');
  expect(again.exitCode).toBe(0);
  expect(summaryOf(again)).toMatchObject({
    ...{ states: { created: MORNING }, mended: bad.length, shipments: notCreated.length },
    before: { shipments: MORNING - notCreated.length },
  });

  // Joined back to the orders, each is there, and was created once.
  const ids = new Map(linesIn(rig).map(({ key, shipmentId }) => [key, shipmentId]));
  expect([...ids.keys()].sort()).toEqual(names.toSorted());
  for (const key of names) expect(service.created.get(key)).toEqual([ids.get(key)]);
  const labelled = linesIn(rig).filter(({ trackingNumber }) => trackingNumber !== null);
  expect(labelled.map(({ key }) => key).sort()).toEqual(
    names.filter(key => numberOf(key) % 10 === 0).toSorted(),
  );
  expect((await run(`batch ship orders.csv ${flags}`)).requests).toEqual([]);
});
