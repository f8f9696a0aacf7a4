// Prepares what the contenders need: the built command, servers with their profiles, orders, and a schema of PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import pg from 'pg';
import { bundle } from '../scripts/bundle.mjs';
import { run } from './measure.mjs';

const RECORD_BYTES = 1600;

// Not in the temporary folder of the system: if that is in memory, a sync costs nothing.
const CACHE = 'node_modules/.cache';

/** A folder that is removed with this process, with the command and the schema for the bare loop. Run it in the root. */
export async function setStage() {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(process.cwd(), CACHE, 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  await bundle(join(folder, 'dist'));
  const contract = join(folder, 'contract.mjs');
  await build({
    entryPoints: ['src/contract/operations.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: contract,
  });
  return {
    folder,
    env: environment(folder),
    contract,
    command: [process.execPath, join(folder, 'bin/waybill.js')],
    /** Where the journal is. */
    state: join(folder, 'state'),
  };
}

/**
 * The environment of every contender: only PATH of this machine. Above all it has no NODE_EXTRA_CA_CERTS, which
 * costs 35 ms on Node 20 for every program, and improves every ratio to `node -e 0`. The other variables keep them from
 * calling home.
 */
const environment = folder => ({
  PATH: process.env.PATH,
  HOME: folder,
  WAYBILL_CONFIG_DIR: join(folder, 'config'),
  WAYBILL_STATE_DIR: join(folder, 'state'),
  GH_NO_UPDATE_NOTIFIER: '1',
  STRIPE_CLI_TELEMETRY_OPTOUT: '1',
  npm_config_update_notifier: 'false',
});

/** A server in a process of its own, which also ends with this one, and a profile of that name for it. */
export async function startServer(stage, profile, latency = 0) {
  const script = new URL('server.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, String(latency)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: stage.env,
  });
  const [line] = await once(child.stdout, 'data');
  const address = String(line).trim();
  const add = ['profile', 'add', profile, '--base-url', address, '--token-stdin'];
  await run({ command: [...stage.command, ...add], input: 'bench' }, stage);
  return {
    address,
    profile,
    /** Requests that were answered so far. */
    count: async () => Number(await (await fetch(`${address}/count`)).text()),
    stop: () => child.stdin.end(),
  };
}

const order = JSON.parse(readFileSync('fixtures/service/v1/shipments/POST/full.request.json', 'utf8'));

function recordOf(number) {
  const record = { key: `B-${number}`, ...order };
  const missing = RECORD_BYTES - 1 - Buffer.byteLength(JSON.stringify(record));
  const [item, ...items] = record.items;
  const description = item.description.padEnd(item.description.length + missing, '.');
  return { ...record, items: [{ ...item, description }, ...items] };
}

/** The path of one order for `ship -f`. */
export function orderFile({ folder }) {
  const path = join(folder, 'order.json');
  writeFileSync(path, JSON.stringify(order));
  return path;
}

/** The path of a file of this many orders as JSON lines. */
export function ordersFile({ folder }, records) {
  const path = join(folder, `${records}.jsonl`);
  if (existsSync(path)) return path;
  const file = openSync(path, 'w');
  // A thousand at a time: a million of them would not fit into one text.
  for (let from = 0; from < records; from += 1000) {
    const length = Math.min(1000, records - from);
    writeSync(file, Array.from({ length }, (_, at) => `${JSON.stringify(recordOf(from + at))}\n`).join(''));
  }
  closeSync(file);
  return path;
}

/** A file for each order, for tools that read files. Gives the paths. */
export function orderFiles({ folder }, records) {
  mkdirSync(join(folder, 'orders'));
  return Array.from({ length: records }, (_, at) => {
    const { key, ...body } = recordOf(at);
    const path = join(folder, 'orders', `${key}.json`);
    writeFileSync(path, JSON.stringify(body));
    return path;
  });
}

/** A schema of PostgreSQL that is emptied before each run and dropped in the end, or undefined if no server answers. */
export async function sharedJournal() {
  const named = process.env.WAYBILL_TEST_POSTGRES;
  if (named === 'none') return undefined;
  const url = new URL(named || 'postgres://127.0.0.1:5432/test');
  url.username ||= process.env.PGUSER ?? userInfo().username;
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  // The next statement says that a server has gone away.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    if (named) throw new Error(`no PostgreSQL answers at WAYBILL_TEST_POSTGRES: ${error.message}`);
    return undefined;
  }
  const schema = `waybill_bench_${process.pid}`;
  const drop = () => client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  url.searchParams.set('options', `-csearch_path=${schema}`);
  return {
    /** For WAYBILL_JOURNAL. */
    address: url.href,
    async empty() {
      await drop();
      await client.query(`CREATE SCHEMA ${schema}`);
    },
    async close() {
      await drop();
      await client.end();
    },
  };
}
