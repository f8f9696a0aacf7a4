// Scenarios for a batch; see `scenarios.ts`.
import { batchOn } from './batch.ts';
import { ledgerOf } from './batch-ledger.ts';
import type { Scenario } from './scenarios.ts';
import { createGate, onStage } from './stage.ts';
import type { Reply } from './witness.ts';

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

/**
 * Several processes over one file, each with its own results. `gate`: all have read their input before the first one
 * claims. The command needs probes.
 */
export const batchesAtOnce =
  (processes: number, { gate = false, records = SMALL.records } = {}): Scenario =>
  command =>
    onStage(command, async stage => {
      const batch = batchOn(stage, { ...SMALL, records });
      const closed = gate ? await createGate() : undefined;
      const names = Array.from({ length: processes }, (_, index) => `results-${index}.jsonl`);
      const runs = names.map(results => batch.start({ results, ...(closed && { gate: closed }) }).ended);
      await Promise.race([closed?.waiting(processes * batch.concurrency), Promise.all(runs)]);
      closed?.open();
      const ended = await Promise.all(runs);
      await closed?.close();
      const breaches: string[] = [];
      for (const [index, run] of ended.entries()) {
        const broken = await ledgerOf(stage, batch).end(run, batch.lines(names[index]), 0);
        breaches.push(...broken.map(one => `${names[index]}: ${one}`));
      }
      return breaches;
    });
