// How many records a second one runner books, and eight of them over one file: with a journal in SQLite, which they share
// on one machine, and with one in PostgreSQL, where each could be a machine of its own.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { timed } from './measure.mjs';
import { race } from './race.mjs';
import { rowsOf } from './rows.mjs';
import { sharedJournal } from './shared.mjs';
import { ordersFile, startServer } from './stage.mjs';

const RUNNERS = { one: 1, eight: 8 };
const AT_ONCE = 4;

const QUICK = { rounds: 1, records: 32, latencies: [0] };
const USUAL = { rounds: 3, records: 2_000, latencies: [0, 50] };

const NONE = 'no PostgreSQL answers: set WAYBILL_TEST_POSTGRES';

/** The rows for a journal that several runners share. */
export async function measureFleet(stage, { quick }) {
  const { rounds, records, latencies } = quick ? QUICK : USUAL;
  const shared = await sharedJournal();
  const rows = [];
  try {
    for (const latency of latencies) {
      const server = await startServer(stage, `fleet-${latency}`, latency);
      try {
        const contenders = Object.keys(RUNNERS).flatMap(many => [
          fleet(stage, server, { many, records, journal: 'SQLite' }),
          fleet(stage, server, { many, records, journal: 'PostgreSQL', shared }),
        ]);
        const samples = await race(stage, contenders, rounds, timed);
        const answered = latency === 0 ? 'answered at once' : `each answered after ${latency} ms`;
        const part = `fleet over ${records.toLocaleString('en')} records, ${AT_ONCE} at once each, ${answered}`;
        rows.push(
          ...rowsOf({ part, unit: 'records/s', absent: NONE }, speeds(samples, records), compared(latency)),
        );
      } finally {
        server.stop();
      }
    }
  } finally {
    await shared?.close();
  }
  return rows;
}

const nameOf = (many, journal) => `${many} runner${many === 'one' ? '' : 's'}, ${journal}`;

const compared = latency => ({
  [nameOf('one', 'PostgreSQL')]: [[nameOf('one', 'SQLite'), ...(latency === 0 ? ['≥', 0.7] : [])]],
  [nameOf('eight', 'SQLite')]: [[nameOf('one', 'SQLite')]],
  [nameOf('eight', 'PostgreSQL')]: [[nameOf('one', 'PostgreSQL')], [nameOf('eight', 'SQLite')]],
});

const speeds = (samples, records) =>
  new Map([...samples].map(([name, list]) => [name, list.map(({ ms }) => (records / ms) * 1000)]));

function fleet(stage, server, { many, records, journal, shared }) {
  const folder = join(stage.folder, 'fleet');
  const runners = [process.execPath, new URL('runners.mjs', import.meta.url).pathname, RUNNERS[many], folder];
  const args = ['batch', 'ship', ordersFile(stage, records), '--concurrency', AT_ONCE, '--quiet'];
  const isThere = journal === 'SQLite' || shared !== undefined;
  return {
    name: nameOf(many, journal),
    command: isThere && [...runners, ...stage.command, ...args, '--profile', server.profile].map(String),
    env: shared && { WAYBILL_JOURNAL: shared.address },
    server,
    requests: records,
    async prepare() {
      for (const path of [stage.state, folder]) rmSync(path, { recursive: true, force: true });
      mkdirSync(folder);
      await shared?.empty();
    },
  };
}
