// A batch on a stage: its orders, its runs, what it promises, and the scenarios for it; see `scenarios.ts`.
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from '../rig/process.ts';
import { NO_HIT, sentTwice, wrongCodes } from './breaches.ts';
import { orderText, type Scenario } from './scenarios.ts';
import { randomFrom } from './size.ts';
import { endedAfter, history, onStage, type RunOptions, type Stage, type Started } from './stage.ts';
import type { Reply } from './witness.ts';

/** The part of a results line that is compared with the witness. */
export interface Line {
  key: string;
  state: string;
  shipmentId: string | null;
  /** Was it sent in this run? */
  sent: boolean;
}

export interface BatchOptions {
  records: number;
  concurrency: number;
}

export interface Batch {
  keys: readonly string[];
  concurrency: number;
  start(options?: RunOptions & { results?: string }): Started;
  /** The complete lines. */
  lines(results?: string): Line[];
  /** Cuts the end of the results, as a power loss may: they are not synced. `keep`: from 0 to 1. */
  cutResults(keep: number): void;
}

const RESULTS = 'results.jsonl';

export function batchOn({ folder, start }: Stage, { records, concurrency }: BatchOptions): Batch {
  const keys = Array.from({ length: records }, (_, index) => `K${index}`);
  const order = (key: string) => JSON.stringify({ ...JSON.parse(orderText('shirt', key)), key });
  writeFileSync(join(folder, 'orders.jsonl'), keys.map(key => `${order(key)}\n`).join(''));
  const text = (results: string) => {
    const path = join(folder, results);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const always = ['batch', 'ship', 'orders.jsonl', '--concurrency', String(concurrency), '--retries', '1'];
  return {
    keys,
    concurrency,
    start: ({ results = RESULTS, ...options } = {}) =>
      start([...always, '--results', results, '--json'], options),
    lines: (results = RESULTS) =>
      text(results)
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
    cutResults(keep) {
      const all = Buffer.from(text(RESULTS));
      // Anywhere, in the middle of a line too.
      if (all.length > 0) truncateSync(join(folder, RESULTS), Math.floor(all.length * keep));
    },
  };
}

/** What the runs of one batch have reported so far, and which promises they broke. */
export interface Ledger {
  /** Reads the results of a run that ended or was killed. */
  read(lines: readonly Line[]): void;
  /** Records that are neither created nor unknown yet. */
  open(): number;
  /** Reads the last run. Gives all broken promises. */
  end(last: Ended, lines: readonly Line[], mostUnknown: number): Promise<string[]>;
}

/** Compares what a batch promises (interface, section 6) with what the witness counted. */
export function ledgerOf(stage: Stage, { keys }: Pick<Batch, 'keys'>): Ledger {
  const { witness } = stage;
  const breaches: string[] = [];
  /** Shown ids by key. */
  const shown = new Map<string, string | null>();
  const unknownKeys = new Set<string>();

  function read(lines: readonly Line[]): void {
    for (const { key, state, shipmentId } of lines) {
      const before = shown.get(key);
      if (state === 'unknown') unknownKeys.add(key);
      if (before !== undefined && (state !== 'created' || shipmentId !== before))
        breaches.push(`lost: ${key} was shown as ${before}, and then as ${state} ${shipmentId}`);
      if (state !== 'created') continue;
      const [created] = witness.created(key);
      if (created === undefined)
        breaches.push(`invented: ${key} was shown as ${shipmentId}, and never created`);
      else if (created !== shipmentId) breaches.push(`${key} was shown as ${shipmentId}, but is ${created}`);
      if (unknownKeys.has(key))
        breaches.push(`${key} was unknown, and was sent again without being resolved`);
      shown.set(key, shipmentId);
    }
  }

  return {
    read,
    open: () => keys.filter(key => witness.sent(key) === 0 && !unknownKeys.has(key)).length,
    async end(last, lines, mostUnknown) {
      read(lines);
      const ended = new Map<string, string[]>();
      for (const { key, state } of lines) ended.set(key, [...(ended.get(key) ?? []), state]);
      breaches.push(...sentTwice(witness, keys));
      for (const key of keys) {
        const states = ended.get(key) ?? [];
        if (states.length !== 1) breaches.push(`lost: ${key} has ${states.length} lines`);
        for (const state of states) {
          if (state === 'created' || state === 'unknown') continue;
          breaches.push(
            witness.created(key).length > 0
              ? `denied: ${key} was created, and is reported as ${state}`
              : `lost: ${key} is reported as ${state}`,
          );
        }
      }
      if (lines.length !== keys.length) breaches.push(`${lines.length} lines for ${keys.length} records`);
      const unknown = lines.filter(({ state }) => state === 'unknown').map(({ key }) => key);
      if (unknown.length > mostUnknown)
        breaches.push(`${unknown.length} are unknown, and at most ${mostUnknown} may be`);
      const booked = await history(stage);
      const created = new Set(booked.flatMap(({ key, state }) => (state === 'created' ? [key] : [])));
      for (const key of shown.keys())
        if (!created.has(key))
          breaches.push(`lost: ${key} was shown, and the journal does not have it as created`);
      const listed = booked.flatMap(({ key, state }) => (state === 'unknown' ? [key] : []));
      if (unknown.sort().join() !== listed.sort().join())
        breaches.push(`unknown in the results: ${unknown}; in the journal: ${listed}`);
      return [...breaches, ...wrongCodes(unknown.length > 0 ? 8 : 0, last)];
    },
  };
}

const SMALL = { records: 12, concurrency: 4 };

/** Killed at the Nth pass of a step, and run again. */
export const batchKilledAt =
  (step: string, nth: number, { power = false } = {}): Scenario =>
  command =>
    onStage(command, async stage => {
      const batch = batchOn(stage, SMALL);
      const ledger = ledgerOf(stage, batch);
      const { signal } = await batch.start({ step: `${step}:${nth}` }).ended;
      if (signal !== 'SIGKILL') return [`never reached ${step} for the ${nth}th time`];
      ledger.read(batch.lines());
      if (power) stage.cutPower();
      const again = await batch.start().ended;
      return ledger.end(again, batch.lines(), batch.concurrency);
    });

/** The first records get one of these replies each, and the batch runs again: at most this many are unknown. */
export const batchAnswered =
  (replies: readonly Reply[], unknown: number): Scenario =>
  command =>
    onStage(command, async stage => {
      const batch = batchOn(stage, SMALL);
      const ledger = ledgerOf(stage, batch);
      for (const [index, reply] of replies.entries()) stage.witness.replies(batch.keys[index] ?? '', reply);
      await batch.start().ended;
      ledger.read(batch.lines());
      const again = await batch.start().ended;
      return ledger.end(again, batch.lines(), unknown);
    });

/** One machine books a file, and another one, which has rehearsed it in the demo, is to write over its results. */
export const rehearsed: Scenario = command =>
  onStage(command, async stage => {
    const batch = batchOn(stage, SMALL);
    const env = { WAYBILL_STATE_DIR: join(stage.folder, 'state of another machine') };
    const first = await batch.start().ended;
    const rehearsal = await stage.run(
      ['batch', 'ship', 'orders.jsonl', '--profile', 'demo', '--results', 'rehearsal.jsonl'],
      { env },
    );
    const second = await batch.start({ env }).ended;
    return [
      ...wrongCodes(0, first),
      ...wrongCodes(0, rehearsal),
      ...wrongCodes(2, second),
      ...sentTwice(stage.witness),
    ];
  });

/** After a batch its last key names another order, which has a field that is wrong. */
export const numberUsedAgain: Scenario = command =>
  onStage(command, async stage => {
    const batch = batchOn(stage, SMALL);
    const first = await batch.start().ended;
    const file = join(stage.folder, 'orders.jsonl');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const last = JSON.parse(lines.pop() ?? '');
    const other = { ...last, receiver: { ...last.receiver, firstName: 'AGAIN' }, category: 'sale' };
    writeFileSync(file, [...lines, JSON.stringify(other), ''].join('\n'));
    const again = await batch.start().ended;
    return [
      ...wrongCodes(0, first),
      ...(again.code === 0 && stage.witness.sent('AGAIN') === 0
        ? ['lost: AGAIN was never sent, and nothing says so']
        : []),
      ...wrongCodes(2, again),
      ...sentTwice(stage.witness),
    ];
  });

interface BatchKills extends BatchOptions {
  kills: number;
  seed: number;
  /** Simulates a power loss with each kill: the command needs probes. */
  power: boolean;
}

/** One kill in so many comes before the first request: during the start or the reading of the input. */
const EARLY = 8;
/** The longest time of a response, and the longest time between a request and the kill that follows it, in ms. */
const ANSWER = 6;
const AFTER = 6;

/** A batch that is killed again and again at random moments, and then runs to its end. Gives the broken promises. */
export function batchKilled(
  command: string,
  { kills, seed, power, ...options }: BatchKills,
): Promise<string[]> {
  const random = randomFrom(seed);
  return onStage(command, async stage => {
    const { witness } = stage;
    const batch = batchOn(stage, options);
    const ledger = ledgerOf(stage, batch);
    witness.answersAfter(() => random() * ANSWER);
    // How long the last run took to its first request.
    let reading = 200;
    let left = kills;
    for (let run = 0; left > 0 && run < 2 * kills; run += 1) {
      const begun = performance.now();
      const before = witness.arrived();
      const started = batch.start();
      const arrival = (count: number) => Promise.race([witness.arrival(before + count), started.ended]);
      const open = ledger.open();
      const early = open === 0 || run % EARLY === 0;
      // The open records are shared between the kills that are left and the last run.
      const more = Math.ceil(((random() * 2) / (left + 1)) * open);
      if (!early) {
        await arrival(1);
        reading = performance.now() - begun;
        await arrival(more);
      }
      const { signal } = await endedAfter(started, random() * (early ? reading : AFTER));
      if (signal !== null) left -= 1;
      ledger.read(batch.lines());
      if (!power) continue;
      stage.cutPower();
      batch.cutResults(random());
    }
    const breaches = left > 0 ? [`${left} of ${kills} kills came too late`] : [];
    const last = await batch.start().ended;
    if (!batch.lines().some(({ state }) => state === 'unknown')) breaches.push(NO_HIT);
    return [...breaches, ...(await ledger.end(last, batch.lines(), kills * options.concurrency))];
  });
}
