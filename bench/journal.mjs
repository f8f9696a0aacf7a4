// Short commands with a journal of a million bookings, compared with a journal of ten; and what a prune of half of it
// costs others.
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { timed, weighed } from './measure.mjs';
import { race } from './race.mjs';
import { rowsOf, seriesOf } from './rows.mjs';
import { startServer, writeOrder } from './stage.mjs';
import { watchLock } from './watch-lock.mjs';

const Database = createRequire(import.meta.url)('libsql');

const FEW = 10;
const VERSION = 'waybill --version';
const COMMANDS = {
  ship: {
    argv: ({ order }, round) => ['ship', '-f', order, '--key', `NEW-${round}`],
    requests: 1,
    most: 1.1,
  },
  track: { argv: () => ['track', 'shp-int-1001'], requests: 1, most: 1.1 },
  'history show KEY': { argv: () => ['history', 'show', 'K-5'], requests: 0, most: 1.1 },
  'history list': { argv: () => ['history', 'list', '--limit', '20'], requests: 0, most: 1.1, versions: 5 },
  // By the beginning of a key that a tenth of all bookings have. The first search of a journal prepares it.
  'history list --search': {
    argv: () => ['history', 'list', '--search', 'k-1', '--limit', '20'],
    requests: 0,
    versions: 5,
  },
};
const DAY = 24 * 60 * 60 * 1000;
/** A million bookings in a year. */
const YEAR = 365 * DAY;

/** The rows of a long journal. */
export async function measureJournal(stage, { quick }) {
  const [many, rounds] = quick ? [1000, 1] : [1_000_000, 15];
  const server = await startServer(stage, 'journal');
  const order = join(stage.folder, 'order.json');
  writeOrder(order);
  const states = new Map([FEW, many].map(size => [size, join(stage.folder, `state-${size}`)]));
  const command = (...args) => [...stage.command, ...args, '--profile', server.profile];
  try {
    for (const [size, state] of states) {
      timed(command('ship', '-f', order, '--key', 'FIRST'), { ...stage, env: inState(stage, state) });
      fill(join(state, 'journal.db'), size);
    }
    const nameOf = (name, size) => `${name}, ${size.toLocaleString('en-GB')} bookings`;
    let round = 0;
    const contenders = Object.entries(COMMANDS).flatMap(([name, { argv, requests }]) =>
      [...states].map(([size, state]) => ({
        ...{ name: nameOf(name, size), requests, server, env: { WAYBILL_STATE_DIR: state } },
        // Each run books another key.
        get command() {
          round += 1;
          return command(...argv({ order }, round));
        },
      })),
    );
    const version = { name: VERSION, command: [...stage.command, '--version'], requests: 0, server };
    // The first run of a command saves the compiled code for the later ones.
    if (!quick) await race(stage, [version, ...contenders], 1, timed);
    const times = await race(stage, [version, ...contenders], rounds, timed);
    const goals = Object.fromEntries(
      Object.entries(COMMANDS).map(([name, { most, versions }]) => [
        nameOf(name, many),
        [[nameOf(name, FEW), ...(most ? ['≤', most] : [])], ...(versions ? [[VERSION, '<', versions]] : [])],
      ]),
    );
    return [
      ...rowsOf(
        { part: 'a long journal', unit: 'ms' },
        seriesOf(times, ({ ms }) => ms),
        goals,
      ),
      ...(await measurePrune(stage, states.get(many), command('history', 'prune', '--older-than', '183d'))),
    ];
  } finally {
    server.stop();
    for (const state of states.values()) rmSync(state, { recursive: true, force: true });
  }
}

const inState = ({ env }, state) => ({ ...env, WAYBILL_STATE_DIR: state });

/** One prune of half of the bookings: its time, its memory, and the longest wait of another writer meanwhile. */
async function measurePrune(stage, state, command) {
  const { result, wait } = await watchLock(join(state, 'journal.db'), () =>
    weighed(command, { ...stage, env: inState(stage, state) }),
  );
  const { ms, memory } = result;
  const row = (unit, name, value) => ({
    ...{ part: 'a prune of half of it', unit, name },
    ...(value === null ? { absent: 'not measured without GNU time' } : figure(value)),
    comparisons: [],
  });
  return [
    row('ms', 'waybill history prune', ms),
    row('ms', 'longest wait of another writer', wait),
    row('MiB', 'peak memory', memory && memory / 1024),
  ];
}

function figure(value) {
  const rounded = Number(value.toFixed(1));
  return { runs: 1, median: rounded, min: rounded, max: rounded };
}

/** Adds copies of the only booking, spread over a year, as the command records them. */
function fill(file, size) {
  const database = new Database(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const { number: _, ...row } = database.prepare('SELECT * FROM bookings').get();
  delete row._metadata;
  const names = Object.keys(row);
  const insert = database.prepare(
    `INSERT INTO bookings (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  const made = database.prepare('INSERT INTO made VALUES (?, ?)');
  for (let number = 0; number < size; number += 1) {
    const at = row.at - Math.floor(YEAR * (1 - number / size));
    const id = `${row.id.slice(0, -8)}${number.toString(16).padStart(8, '0')}`;
    const shipment = `shp-${number}`;
    const own = { id, key: `K-${number}`, fingerprint: `${number}`.padStart(64, '0'), at, settled_at: at };
    const booking = { ...row, ...own, ids: JSON.stringify({ shipment }) };
    insert.run(names.map(name => booking[name]));
    made.run([shipment, id]);
  }
  database.exec('COMMIT');
  database.close();
  // Else the system writes it to the disk while commands are measured, which then wait for the disk.
  const written = openSync(file, 'r+');
  fsyncSync(written);
  closeSync(written);
}
