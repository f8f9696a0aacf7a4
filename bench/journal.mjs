// Short commands with a journal of a million bookings, compared with a journal of ten; and what a prune of half of it
// costs others.
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { contender, race, run, show, weighed } from './measure.mjs';
import { orderFile, startServer } from './stage.mjs';

const FEW = 10;
const MANY = 1_000_000;
const VERSION = 'waybill --version';
const COMMANDS = {
  ship: {
    argv: ({ order, round }) => ['ship', '-f', order, '--key', `NEW-${round}`],
    requests: 1,
    most: 1.1,
  },
  track: { argv: () => ['track', 'shp-int-1001'], requests: 1, most: 1.1 },
  'history show KEY': { argv: () => ['history', 'show', 'K-5'], most: 1.1 },
  'history list': { argv: () => ['history', 'list', '--limit', '20'], most: 1.1, versions: 5 },
  // By the beginning of a key that a tenth of all bookings have.
  'history list --search': {
    argv: () => ['history', 'list', '--search', 'k-1', '--limit', '20'],
    versions: 5,
  },
  // Of one order.
  'history list --search, a shipment': {
    argv: () => ['history', 'list', '--search', 'made-770011'],
    versions: 10,
  },
  'history summary, of a day': { argv: () => ['history', 'summary', '--since', '1d'], versions: 10 },
  'history check': { argv: () => ['history', 'check'], versions: 5 },
  'label --unprinted': { argv: () => ['label', '--unprinted'], versions: 10 },
  'history export, of a day': {
    argv: () => ['history', 'export', '--for', 'csv', '--since', '1d'],
    versions: 10,
  },
};
/** The bookings are of one year. */
const DAY = 24 * 60 * 60 * 1000;
const YEAR = 365 * DAY;

/** The rows of a long journal. */
export async function measureJournal(stage, { quick }) {
  const [many, rounds] = quick ? [1000, 1] : [MANY, 5];
  const server = await startServer(stage, 'journal');
  const order = orderFile(stage);
  const states = new Map([FEW, many].map(size => [size, join(stage.folder, `state-${size}`)]));
  const at = (state, ...args) => ({
    command: [...stage.command, ...args, '--profile', server.profile],
    env: { WAYBILL_STATE_DIR: state },
  });
  try {
    for (const [size, state] of states) {
      await run(at(state, 'ship', '-f', order, '--key', 'FIRST', '--label'), stage);
      fill(join(state, 'journal.db'), size);
    }
    // Each run of `ship` books another key.
    let round = 0;
    const contenders = Object.entries(COMMANDS).flatMap(([name, { argv, requests = 0 }]) =>
      [...states].map(([size, state]) => ({
        name: nameOf(name, size),
        runs: () => [at(state, ...argv({ order, round: ++round }))],
        requests,
      })),
    );
    const version = contender(VERSION, [...stage.command, '--version']);
    // The first run of a command saves the compiled code for the later ones.
    if (!quick) await race(stage, server, [version, ...contenders], 1);
    const samples = await race(stage, server, [version, ...contenders], rounds);
    const goals = Object.entries(COMMANDS).map(([name, { most, versions }]) => [
      nameOf(name, many),
      [[nameOf(name, FEW), ...(most ? ['≤', most] : [])], ...(versions ? [[VERSION, '<', versions]] : [])],
    ]);
    show('a long journal', 'ms', samples, Object.fromEntries(goals));
    const state = states.get(many);
    await measurePrune(
      stage,
      join(state, 'journal.db'),
      at(state, 'history', 'prune', '--older-than', '183d'),
    );
  } finally {
    server.stop();
    for (const state of states.values()) rmSync(state, { recursive: true, force: true });
  }
}

const nameOf = (name, size) => `${name}, ${size.toLocaleString('en-GB')} bookings`;

/** Adds copies of the only shipment, spread over a year, as the command records them. Those of the last day have labels, printed. */
function fill(file, size) {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const all = table =>
    database
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map(({ _metadata, ...row }) => row);
  const [{ number: _, ...row }, { number: __, ...label }] = all('bookings');
  const [claimed] = all('labels');
  const [{ person }] = all('found_by');
  const inserters = new Map();
  function insert(table, values) {
    const names = Object.keys(values);
    const known = inserters.get(table);
    const inserter =
      known ??
      database.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
    if (!known) inserters.set(table, inserter);
    return inserter.run(...Object.values(values)).lastInsertRowid;
  }
  for (let number = 0; number < size; number += 1) {
    const age = Math.floor(YEAR * (1 - number / size));
    const at = row.at - age;
    const times = { at, settled_at: at };
    const id = `${row.id.slice(0, -8)}${number.toString(16).padStart(8, '0')}`;
    const key = `K-${number}`;
    const shipment = `made-${number}`;
    const fingerprint = `${number}`.padStart(64, '0');
    const own = { id, key, key_id: key, fingerprint, order_fingerprint: `1.${number}`, ...times };
    const booked = insert('bookings', { ...row, ...own, ids: JSON.stringify({ shipment }) });
    const { address, account } = row;
    insert('made', { shipment, leg: 'international', address, account, booking: id });
    insert('found_by', { number: booked, person, names: ` ${key.toLowerCase()} ${shipment} ` });
    if (age > DAY) continue;
    const maker = `${row.id.slice(0, -8)}f${number.toString(16).padStart(7, '0')}`;
    const request = JSON.stringify({ international: shipment });
    const made = { ...label, id: maker, fingerprint: `f${fingerprint.slice(1)}`, request, ...times };
    const labelled = insert('bookings', made);
    insert('labels', { ...claimed, shipment, booking: maker, printed_at: at });
    insert('found_by', { number: labelled, person: '', names: ` exp${number} ` });
  }
  // They are the oldest: where times run backwards, the journal's order counts, and a day would be all of it.
  for (const { id } of [row, label])
    database.prepare('UPDATE bookings SET at = at - ? WHERE id = ?').run(YEAR + 1, id);
  database.exec('COMMIT');
  database.close();
  // Else the system writes it to the disk while commands are measured, which then wait for the disk.
  const written = openSync(file, 'r+');
  fsyncSync(written);
  closeSync(written);
}

/** One prune of half of the bookings: its time, its memory, and the longest wait of another writer meanwhile. */
async function measurePrune(stage, file, prune) {
  let isOver = false;
  const pruned = weighed([prune], stage).finally(() => {
    isOver = true;
  });
  const [sample, wait] = await Promise.all([pruned, longestWait(file, () => isOver)]);
  const another = 'longest wait of another writer';
  const samples = new Map([
    ['waybill history prune', [sample]],
    [another, [{ ms: wait }]],
  ]);
  show('a prune of half of it', 'ms', samples, { [another]: [] });
  samples.delete(another);
  show('a prune of half of it, peak memory', 'MiB', samples);
}

/** The longest time in ms for which this process had to wait for the lock of a database. */
async function longestWait(file, isOver) {
  const database = new DatabaseSync(file, { timeout: 60_000 });
  let longest = 0;
  while (!isOver()) {
    const begun = performance.now();
    database.exec('BEGIN IMMEDIATE');
    database.exec('COMMIT');
    longest = Math.max(longest, performance.now() - begun);
    await sleep(10);
  }
  database.close();
  return longest;
}
