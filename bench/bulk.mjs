// How many records a second a batch books, compared with a loop without a journal, with the lower limit of any client on
// undici, and with a process for each record.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { find, weighed } from './measure.mjs';
import { race } from './race.mjs';
import { rowsOf, seriesOf } from './rows.mjs';
import { ordersFile, startServer, writeOrderFiles } from './stage.mjs';

const AT_ONCE = 32;
/** As many as a batch has in flight if it is not told otherwise. */
const FEW = 4;
const LATENCY = 50;

const OURS = 'waybill batch ship';
const BARE = 'bare loop';
const FLOOR = 'undici pool';
const CURL = `xargs -P ${AT_ONCE} curl`;

const QUICK = { rounds: 2, records: 64, slow: 32, few: 8, curls: 8 };
const USUAL = { rounds: 3, records: 20_000, slow: 5_000, few: 1_000, curls: 500 };

const LARGE = 200_000;
const HUGE = 1_000_000;

/** The rows of batches; `large` and `huge` add those that show how time and memory grow with the records. */
export async function measureBulk(stage, { quick, large, huge }) {
  const size = quick ? QUICK : USUAL;
  const fast = await startServer(stage, 'fast');
  const slow = await startServer(stage, 'slow', LATENCY);
  try {
    // The first run saves the compiled code for the later ones.
    await race(stage, [ours(stage, fast, 100)], 1, weighed);
    return [
      ...(await throughput(stage, fast, size)),
      ...(await waiting(stage, slow, size.rounds, size.slow, AT_ONCE)),
      ...(await waiting(stage, slow, size.rounds, size.few, FEW)),
      ...(large || huge ? await growth(stage, fast, [size.records, LARGE, ...(huge ? [HUGE] : [])]) : []),
    ];
  } finally {
    fast.stop();
    slow.stop();
  }
}

async function throughput(stage, server, { rounds, records, curls }) {
  const contenders = [
    floor(stage, server, records),
    bare(stage, server, records),
    ours(stage, server, records),
    curl(stage, server, curls),
  ];
  const samples = await race(stage, contenders, rounds, weighed);
  return [
    ...rowsOf({ part: batchOf(records), unit: 'records/s' }, speeds(samples, contenders), {
      [OURS]: [[BARE, '≥', 0.33], [CURL, '≥', 7], [FLOOR]],
    }),
    ...memoryRows(batchOf(records), samples, [FLOOR, BARE, OURS], { [OURS]: [[BARE, '≤', 1.3]] }),
  ];
}

async function waiting(stage, server, rounds, records, atOnce) {
  const contenders = [floor, ours].map(contender => contender(stage, server, records, atOnce));
  const samples = await race(stage, contenders, rounds, weighed);
  const limit = `${atOnce} ÷ ${LATENCY} ms`;
  const computed = [limit, Array(rounds).fill((atOnce / LATENCY) * 1000)];
  return rowsOf(
    { part: `${batchOf(records, atOnce)}, each answered after ${LATENCY} ms`, unit: 'records/s' },
    new Map([computed, ...speeds(samples, contenders)]),
    { [OURS]: [[FLOOR, '≥', 0.9], [limit]] },
  );
}

async function growth(stage, server, sizes) {
  const contenders = sizes.map(records => ({ ...ours(stage, server, records), name: said(records) }));
  const samples = await race(stage, contenders, sizes.includes(HUGE) ? 1 : 3, weighed);
  const names = contenders.map(({ name }) => name);
  return [
    ...rowsOf({ part: `${OURS} by size`, unit: 'records/s' }, speeds(samples, contenders), {
      [said(LARGE)]: [[names[0], '≥', 0.9]],
    }),
    ...memoryRows(`${OURS} by size`, samples, names, { [said(LARGE)]: [[names[0], '≤', 1.2]] }),
  ];
}

const speeds = (samples, contenders) =>
  new Map(
    contenders.map(({ name, requests }) => [name, samples.get(name).map(({ ms }) => (requests / ms) * 1000)]),
  );

function memoryRows(part, samples, names, goals) {
  const series = seriesOf(samples, ({ memory }) => memory && memory / 1024);
  return rowsOf(
    { part: `${part}, peak memory`, unit: 'MiB', absent: 'not measured without GNU time' },
    new Map(names.map(name => [name, series.get(name)])),
    goals,
  );
}

const said = records => `${records.toLocaleString('en')} records`;
const batchOf = (records, atOnce = AT_ONCE) => `batch of ${said(records)}, ${atOnce} at once`;

function ours(stage, server, records, atOnce = AT_ONCE) {
  const results = join(stage.folder, 'results.jsonl');
  const args = ['batch', 'ship', ordersFile(stage, records), '--concurrency', atOnce, '--results', results];
  return {
    name: OURS,
    command: [...stage.command, ...args.map(String), '--profile', server.profile, '--quiet'],
    server,
    requests: records,
    prepare: () => {
      for (const path of [stage.state, results]) rmSync(path, { recursive: true, force: true });
    },
  };
}

function bare(stage, server, records) {
  const { name, command, ...rest } = floor(stage, server, records);
  return { name: BARE, command: [...command, stage.contract], ...rest };
}

function floor(stage, server, records, atOnce = AT_ONCE) {
  const script = new URL('bare.mjs', import.meta.url).pathname;
  const command = [process.execPath, script, server.address, ordersFile(stage, records), String(atOnce)];
  return { name: FLOOR, command, server, requests: records };
}

function curl(stage, server, records) {
  const paths = writeOrderFiles(join(stage.folder, 'orders'), records);
  const xargs = find('xargs');
  const each = ['-sf', '-o', '/dev/null', '-H', 'content-type: application/json', '-H', 'expect:'];
  const post = [...each, '-H', 'authorization: Bearer bench', '--data-binary', '@{}'];
  return {
    name: CURL,
    command: xargs &&
      find('curl') && [
        xargs,
        '-P',
        String(AT_ONCE),
        '-I{}',
        'curl',
        ...post,
        `${server.address}/v1/shipments`,
      ],
    server,
    requests: records,
    input: paths.join('\n'),
  };
}
