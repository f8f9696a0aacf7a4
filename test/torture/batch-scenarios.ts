// Scenarios for a batch; see `scenarios.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from '../rig/process.ts';
import { batchOn } from './batch.ts';
import { ledgerOf } from './batch-ledger.ts';
import { ending } from './breaches.ts';
import type { Scenario } from './scenarios.ts';
import { createGate, onStage, type Stage } from './stage.ts';
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

const sentTwice = ({ witness }: Stage): string[] =>
  witness
    .keys()
    .filter(key => witness.sent(key) > 1)
    .map(key => `booked twice: ${key} was sent ${witness.sent(key)} times`);

const wrongCode = (run: Ended, code: number): string[] =>
  run.code === code ? [] : [`wrong exit code, not ${code}: ${ending(run)}`];

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
    return [...wrongCode(first, 0), ...wrongCode(rehearsal, 0), ...wrongCode(second, 2), ...sentTwice(stage)];
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
      ...wrongCode(first, 0),
      ...(again.code === 0 && stage.witness.sent('AGAIN') === 0
        ? ['lost: AGAIN was never sent, and nothing says so']
        : []),
      ...wrongCode(again, 2),
      ...sentTwice(stage),
    ];
  });
