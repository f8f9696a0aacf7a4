// What was promised of a batch (interface, section 6), held against what the witness counted.
import type { Ended } from '../built/rig.ts';
import type { Batch, Line } from './batch.ts';
import { ending } from './breaches.ts';
import { history, type Stage } from './stage.ts';

/** What the runs of one batch have said so far, and what of it broke a promise. */
export interface Ledger {
  /** Takes in the results that a run left behind, whether it ended or was killed. */
  read(lines: readonly Line[]): void;
  /** Records of which nothing is known yet: neither that they exist, nor that they may. */
  open(): number;
  /** Takes in the last run. Gives all that broke a promise. */
  end(last: Ended, lines: readonly Line[], mostUnknown: number): Promise<string[]>;
}

export function ledgerOf(stage: Stage, { keys }: Pick<Batch, 'keys'>): Ledger {
  const { witness } = stage;
  const told: string[] = [];
  /** Ids that were shown. */
  const shown = new Map<string, string | null>();
  const doubted = new Set<string>();

  function read(lines: readonly Line[]): void {
    for (const { key, state, shipmentId } of lines) {
      const before = shown.get(key);
      if (state === 'unknown') doubted.add(key);
      if (before !== undefined && (state !== 'created' || shipmentId !== before))
        told.push(`lost: ${key} was shown as ${before}, and then as ${state} ${shipmentId}`);
      if (state !== 'created') continue;
      const [made] = witness.made(key);
      if (made === undefined) told.push(`made up: ${key} was shown as ${shipmentId}, and never made`);
      else if (made !== shipmentId) told.push(`${key} was shown as ${shipmentId}, but is ${made}`);
      if (doubted.has(key)) told.push(`${key} was unknown, and was sent again or settled by nobody`);
      shown.set(key, shipmentId);
    }
  }

  return {
    read,
    open: () => keys.filter(key => witness.sent(key) === 0 && !doubted.has(key)).length,
    async end(last, lines, mostUnknown) {
      read(lines);
      const ended = new Map<string, string[]>();
      for (const { key, state } of lines) ended.set(key, [...(ended.get(key) ?? []), state]);
      for (const key of keys) {
        if (witness.sent(key) > 1) told.push(`doubled: ${key} was sent ${witness.sent(key)} times`);
        const states = ended.get(key) ?? [];
        if (states.length !== 1) told.push(`lost: ${key} has ${states.length} lines`);
        for (const state of states) {
          if (state === 'created' || state === 'unknown') continue;
          told.push(
            witness.made(key).length > 0
              ? `silent doubt: ${key} was made, and is told as ${state}`
              : `lost: ${key} is told as ${state}`,
          );
        }
      }
      if (lines.length !== keys.length) told.push(`${lines.length} lines for ${keys.length} records`);
      const unknown = lines.filter(({ state }) => state === 'unknown').map(({ key }) => key);
      if (unknown.length > mostUnknown)
        told.push(`${unknown.length} are unknown, where ${mostUnknown} may be`);
      const booked = await history(stage);
      const created = new Set(booked.flatMap(({ key, state }) => (state === 'created' ? [key] : [])));
      for (const key of shown.keys())
        if (!created.has(key))
          told.push(`lost: ${key} was shown, and the journal does not have it as created`);
      const listed = booked.flatMap(({ key, state }) => (state === 'unknown' ? [key] : []));
      if (unknown.sort().join() !== listed.sort().join())
        told.push(`unknown in the results: ${unknown}; in the journal: ${listed}`);
      const code = unknown.length > 0 ? 8 : 0;
      if (last.code !== code) told.push(`wrong exit code, not ${code}: ${ending(last)}`);
      return told;
    },
  };
}
