// Compares what a batch promises (interface, section 6) with what the witness counted.
import type { Ended } from '../rig/process.ts';
import type { Batch, Line } from './batch.ts';
import { ending } from './breaches.ts';
import { history, type Stage } from './stage.ts';

/** What the runs of one batch have reported so far, and which promises they broke. */
export interface Ledger {
  /** Reads the results of a run that ended or was killed. */
  read(lines: readonly Line[]): void;
  /** Records that are neither created nor unknown yet. */
  open(): number;
  /** Reads the last run. Gives all broken promises. */
  end(last: Ended, lines: readonly Line[], mostUnknown: number): Promise<string[]>;
}

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
      for (const key of keys) {
        if (witness.sent(key) > 1) breaches.push(`booked twice: ${key} was sent ${witness.sent(key)} times`);
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
      const code = unknown.length > 0 ? 8 : 0;
      if (last.code !== code) breaches.push(`wrong exit code, not ${code}: ${ending(last)}`);
      return breaches;
    },
  };
}
