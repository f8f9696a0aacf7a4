// Runs commands of a built waybill on damaged copies of a journal, many in one process, which the test starts: what ends
// the process with a signal must not end the test. Prints a line of JSON for each copy.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { randomFrom } from './size.ts';

/** From the first byte up to but not including the last. */
type Place = readonly [from: number, to: number];

export interface Damaged {
  bytes: Buffer;
  places: Place[];
  kind: string;
}

const PAGE = 4096;

/** A damaged copy. */
export function damage(good: Buffer, random: () => number): Damaged {
  const bytes = Buffer.from(good);
  const under = (most: number) => Math.floor(random() * most);
  const flip = (): Place => {
    const place = under(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << under(8));
    return [place, place + 1];
  };
  const chance = random();
  if (chance < 0.6) return { bytes, places: [flip()], kind: 'one bit' };
  if (chance < 0.8) return { bytes, places: Array.from({ length: 64 }, flip), kind: '64 bits' };
  const page = under(bytes.length / PAGE) * PAGE;
  if (chance < 0.9) {
    bytes.fill(0, page, page + PAGE);
    return { bytes, places: [[page, page + PAGE]], kind: 'a page of zeros' };
  }
  const end = under(bytes.length);
  return { bytes: bytes.subarray(0, end), places: [[end, good.length]], kind: 'cut off' };
}

/** Does the damage touch a page with that text? */
export const touched = (good: Buffer, places: readonly Place[], text: string): boolean => {
  for (let at = good.indexOf(text); at >= 0; at = good.indexOf(text, at + 1)) {
    const page = Math.floor(at / PAGE) * PAGE;
    if (places.some(([from, to]) => from < page + PAGE && to > page)) return true;
  }
  return false;
};

// `dist` of the command, a folder for the runs, an order, the seed, and which copies to make.
const [dist = '', folder = '', order = '', seed = '0', from = '0', to = '0'] = process.argv.slice(2);
const BOOKINGS = 40;
/** The first of them have labels. */
const LABELLED = 8;
const keyOf = (number: number) => `ORDER-${String(number).padStart(4, '0')}-X`;

async function run(): Promise<void> {
  const { main, processHost } = require(join(dist, 'start.cjs')).start();
  const own = processHost();
  let made = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      made += 1;
      const carrier = { id: 'EXP', name: 'Express', price: 12.4, currency: 'EUR' };
      response.writeHead(201, { 'content-type': 'application/json' });
      const label = { success: true, trackingNumber: `T-${made}`, label: 'https://labels.invalid/1.pdf' };
      const shipment = { id: `S-${made}-of-this-service`, trackingNumber: `T-${made}`, carrier };
      response.end(
        JSON.stringify(
          request.url?.endsWith('/carriers/create') ? { success: true, international: label } : shipment,
        ),
      );
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  // A run that fails must end.
  server.unref();
  const { port } = server.address() as AddressInfo;

  async function waybill(state: string, ...argv: string[]) {
    const text = { stdout: '', stderr: '' };
    const stream = (name: keyof typeof text) => ({
      isTerminal: false,
      columns: undefined,
      write: async (chunk: string) => {
        text[name] += chunk;
      },
    });
    const env = {
      PATH: process.env.PATH,
      WAYBILL_BASE_URL: `http://127.0.0.1:${port}`,
      WAYBILL_TOKEN: 't',
      WAYBILL_CONFIG_DIR: join(folder, 'config'),
      WAYBILL_STATE_DIR: state,
    };
    const host = { ...own, env, cwd: folder, stdout: stream('stdout'), stderr: stream('stderr') };
    const before = made;
    const exitCode = await main(argv, host);
    return { argv: argv.join(' '), exitCode, ...text, sent: made - before };
  }

  // The address is a part of every key, so the journal belongs to this port.
  const template = join(folder, `template-${port}`);
  const records = Array.from({ length: BOOKINGS }, (_, number) => ({
    key: keyOf(number),
    ...JSON.parse(order),
  }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'orders.jsonl'), records.map(record => `${JSON.stringify(record)}\n`).join(''));
  writeFileSync(join(folder, 'order.json'), order);
  const filled = await waybill(template, 'batch', 'ship', 'orders.jsonl', '--results', '/dev/null');
  if (filled.exitCode !== 0) throw new Error(filled.stderr);
  for (let number = 0; number < LABELLED; number += 1) {
    const labelled = await waybill(template, 'label', '--key', keyOf(number));
    if (labelled.exitCode !== 0) throw new Error(labelled.stderr);
  }
  // Otherwise the bookings are in the log of writes, whose checksums find any damage.
  const database = new DatabaseSync(join(template, 'journal.db'));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const good = readFileSync(join(template, 'journal.db'));

  const shipments = new Map<string, string>();
  for (const { key, shipmentIds } of JSON.parse(
    (await waybill(template, 'history', 'list', '--operation', 'ship', '--json')).stdout,
  ))
    shipments.set(key, shipmentIds[0]);
  const shipmentOf = (key: string) => shipments.get(key) ?? '';

  for (let number = Number(from); number < Number(to); number += 1) {
    const random = randomFrom(Number(seed) + number);
    const state = join(folder, 'state');
    rmSync(state, { recursive: true, force: true });
    mkdirSync(state, { mode: 0o700 });
    const { bytes, places, kind } = damage(good, random);
    writeFileSync(join(state, 'journal.db'), bytes, { mode: 0o600 });
    const marker = join(template, 'journal.db-count');
    if (existsSync(marker)) copyFileSync(marker, join(state, 'journal.db-count'));
    const key = keyOf(Math.floor(random() * BOOKINGS));
    const labelled = keyOf(Math.floor(random() * LABELLED));
    process.stdout.write(`${JSON.stringify({ number, kind })}\n`);
    const ends = [
      await waybill(state, 'history', 'list', '--json'),
      await waybill(state, 'history', 'show', key, '--json'),
      await waybill(state, 'ship', '-f', 'order.json', '--key', key, '--json'),
      await waybill(state, 'label', '--key', labelled, '--json'),
      await waybill(state, 'label', '--international', shipmentOf(labelled), '--json'),
    ].map(({ stdout, ...end }) => ({ ...end, shown: stdout.length }));
    process.stdout.write(
      `${JSON.stringify({ number, kind, ends, touched: [key, labelled, shipmentOf(labelled)].some(text => touched(good, places, text)) })}\n`,
    );
  }
  server.close();
}

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
