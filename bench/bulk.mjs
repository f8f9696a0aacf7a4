// How many records a second a batch books, compared with a loop without a journal, with the lower limit of any client on
// undici, and with a process for each record; and how many several runners book that share a journal.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { contender, find, race, show, weighed } from './measure.mjs';
import { orderFiles, ordersFile, sharedJournal, startServer } from './stage.mjs';

const AT_ONCE = 32;
/** As many as a batch has in flight if it is not told otherwise. */
const FEW = 4;
const LATENCY = 50;

const OURS = 'waybill batch ship';
const BARE = 'bare loop';
const FLOOR = 'undici pool';
const CURL = `xargs -P ${AT_ONCE} curl`;

const QUICK = { rounds: 1, records: 64, slow: 32, few: 8, curls: 8, shared: 32 };
const USUAL = { rounds: 3, records: 20_000, slow: 5_000, few: 1_000, curls: 500, shared: 2_000 };

const LARGE = 200_000;
const HUGE = 1_000_000;

const RUNNERS = { one: 1, eight: 8 };

/** The rows of batches; `large` and `huge` add those that show how time and memory grow with the records. */
export async function measureBulk(stage, { quick, large, huge }) {
  const { rounds, records, slow, few, curls, shared } = quick ? QUICK : USUAL;
  const fastServer = await startServer(stage, 'fast');
  const slowServer = await startServer(stage, 'slow', LATENCY);
  const postgres = await sharedJournal();
  try {
    // The first run saves the compiled code for the later ones.
    await race(stage, fastServer, [ours(stage, fastServer, 100)], 1);
    await throughput(stage, fastServer, rounds, records, curls);
    await waiting(stage, slowServer, rounds, slow, AT_ONCE, 0.88);
    await waiting(stage, slowServer, rounds, few, FEW, 0.93);
    if (large || huge) await growth(stage, fastServer, [records, LARGE, ...(huge ? [HUGE] : [])]);
    await fleets(stage, fastServer, rounds, shared, postgres, { isSlow: false });
    await fleets(stage, slowServer, rounds, shared, postgres, { isSlow: true });
  } finally {
    await postgres?.close();
    fastServer.stop();
    slowServer.stop();
  }
}

async function throughput(stage, server, rounds, records, curls) {
  const contenders = [
    floor(stage, server, records),
    bare(stage, server, records),
    ours(stage, server, records),
    curl(stage, server, curls),
  ];
  const part = batchOf(records, AT_ONCE);
  const samples = await race(stage, server, contenders, rounds, weighed);
  show(part, 'records/s', samples, { [OURS]: [[BARE, '≥', 0.2], [CURL, '≥', 4], [FLOOR]] });
  samples.delete(CURL);
  show(`${part}, peak memory`, 'MiB', samples, { [OURS]: [[BARE, '≤', 1.3]] });
}

async function waiting(stage, server, rounds, records, atOnce, goal) {
  const contenders = [floor, ours].map(made => made(stage, server, records, atOnce));
  const samples = await race(stage, server, contenders, rounds, weighed);
  // What any client can reach at most: calculated, and not run.
  const limit = `${atOnce} ÷ ${LATENCY} ms`;
  const calculated = Array(rounds).fill({ requests: atOnce, ms: LATENCY });
  const part = `${batchOf(records, atOnce)}, each answered after ${LATENCY} ms`;
  show(part, 'records/s', new Map([[limit, calculated], ...samples]), {
    [OURS]: [[FLOOR, '≥', goal], [limit]],
  });
}

async function growth(stage, server, sizes) {
  const contenders = sizes.map(records => ({ ...ours(stage, server, records), name: said(records) }));
  const samples = await race(stage, server, contenders, sizes.includes(HUGE) ? 1 : 3, weighed);
  const [smallest] = samples.keys();
  show(`${OURS} by size`, 'records/s', samples, { [said(LARGE)]: [[smallest, '≥', 0.9]] });
  show(`${OURS} by size, peak memory`, 'MiB', samples, { [said(LARGE)]: [[smallest, '≤', 1.2]] });
}

/** One runner, and eight over one file: with SQLite they share a machine, with PostgreSQL each could have its own. */
async function fleets(stage, server, rounds, records, postgres, { isSlow }) {
  const contenders = Object.keys(RUNNERS).flatMap(many => [
    fleet(stage, server, records, many, 'SQLite', {}),
    fleet(stage, server, records, many, 'PostgreSQL', postgres),
  ]);
  const samples = await race(stage, server, contenders, rounds);
  const answered = isSlow ? `each answered after ${LATENCY} ms` : 'answered at once';
  const part = `fleet over ${said(records)}, ${FEW} at once each, ${answered}`;
  const goals = {
    [nameOf('one', 'PostgreSQL')]: [[nameOf('one', 'SQLite'), ...(isSlow ? [] : ['≥', 0.7])]],
    [nameOf('eight', 'SQLite')]: [[nameOf('one', 'SQLite')]],
    [nameOf('eight', 'PostgreSQL')]: [[nameOf('one', 'PostgreSQL')], [nameOf('eight', 'SQLite')]],
  };
  show(part, 'records/s', samples, goals, 'no PostgreSQL answers: set WAYBILL_TEST_POSTGRES');
}

const said = records => `${records.toLocaleString('en')} records`;
const batchOf = (records, atOnce) => `batch of ${said(records)}, ${atOnce} at once`;
const nameOf = (many, journal) => `${many} runner${many === 'one' ? '' : 's'}, ${journal}`;

/** What is typed for a batch of the file, which writes what became of each record to `results`. */
const batch = (stage, server, records, atOnce, results) => [
  ...[...stage.command, 'batch', 'ship', ordersFile(stage, records), '--concurrency', String(atOnce)],
  ...['--results', results, '--profile', server.profile, '--quiet'],
];

function ours(stage, server, records, atOnce = AT_ONCE) {
  const results = join(stage.folder, 'results.jsonl');
  const prepare = () => {
    for (const path of [stage.state, results]) rmSync(path, { recursive: true, force: true });
  };
  const command = batch(stage, server, records, atOnce, results);
  return contender(OURS, command, { requests: records, prepare });
}

/** `journal` is the schema of PostgreSQL that they share; empty for SQLite, undefined where there is none. */
function fleet(stage, server, records, many, name, journal) {
  const folder = join(stage.folder, 'fleet');
  const runners = Array.from({ length: RUNNERS[many] }, (_, number) => ({
    command: batch(stage, server, records, FEW, join(folder, `results-${number}.jsonl`)),
    // Each behaves like a machine of its own.
    env: journal?.address && {
      WAYBILL_JOURNAL: journal.address,
      WAYBILL_STATE_DIR: join(folder, `state-${number}`),
    },
  }));
  return {
    name: nameOf(many, name),
    runs: journal && (() => runners),
    requests: records,
    async prepare() {
      for (const path of [stage.state, folder]) rmSync(path, { recursive: true, force: true });
      mkdirSync(folder);
      await journal.empty?.();
    },
  };
}

function floor(stage, server, records, atOnce = AT_ONCE) {
  const script = new URL('bare.mjs', import.meta.url).pathname;
  const command = [process.execPath, script, server.address, ordersFile(stage, records), String(atOnce)];
  return contender(FLOOR, command, { requests: records });
}

/** The same with the product's own schema. */
function bare(stage, server, records) {
  const [{ command }] = floor(stage, server, records).runs();
  return contender(BARE, [...command, stage.contract], { requests: records });
}

function curl(stage, server, records) {
  const input = orderFiles(stage, records).join('\n');
  const headers = ['content-type: application/json', 'expect:', 'authorization: Bearer bench'];
  const post = ['curl', '-sf', '-o', '/dev/null', ...headers.flatMap(header => ['-H', header])];
  const each = [...post, '--data-binary', '@{}', `${server.address}/v1/shipments`];
  const command = ['xargs', '-P', String(AT_ONCE), '-I{}', ...each];
  const isThere = ['xargs', 'curl'].every(find);
  return { name: CURL, runs: isThere && (() => [{ command, input }]), requests: records };
}
