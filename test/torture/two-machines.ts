// Two machines with one folder of files, and a journal each.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Batch, type BatchOptions, batchOn } from './batch.ts';
import { ending, sentTwice, wrongCodes } from './breaches.ts';
import type { Scenario } from './scenarios.ts';
import { createGate, onStage, type Stage } from './stage.ts';

const SMALL: BatchOptions = { records: 12, concurrency: 4 };
const RESULTS = 'results.jsonl';

/** The environment of another machine, which has another journal and, in a shared folder, another name. */
const second = ({ folder }: Stage) => ({ WAYBILL_STATE_DIR: join(folder, 'state of another machine') });

const isClaimed = ({ folder }: Stage): boolean => existsSync(join(folder, `${RESULTS}.claim`));

/** The other machine imports what the first one booked. */
const imports = async (stage: Stage, env: Record<string, string>): Promise<string[]> =>
  wrongCodes(0, await stage.run(['history', 'import', RESULTS, '--done', 'none'], { env }));

/** Both begin one file at one moment; then the one that was refused imports what the other one booked, and goes on. */
export const begunTogether: Scenario = command =>
  onStage(command, async stage => {
    const { witness } = stage;
    const batch = batchOn(stage, SMALL);
    witness.answersAfter(() => 5);
    const others = [{}, second(stage)];
    // With probes, neither sends before the other one is refused or is about to send, too.
    const gate = await createGate();
    const ended = others.map(env => batch.start({ env, gate }).ended);
    await Promise.race([gate.waiting(2 * SMALL.concurrency), ...ended]);
    gate.open();
    const ends = await Promise.all(ended);
    await gate.close();
    const broken = sentTwice(stage.witness);
    // Two that meet in one instant may both be refused, and never do both book.
    const [codes, texts] = [ends.map(({ code }) => code).sort(), ends.map(ending).join('; ')];
    if (!['0 2', '2 2'].includes(codes.join(' '))) broken.push(`wrong exit codes: ${texts}`);
    if (isClaimed(stage)) broken.push('a claim outlived both runs');
    const refused = ends.findIndex(({ code }) => code === 2);
    const env = others[refused] ?? {};
    if (codes[0] === 0) broken.push(...(await imports(stage, env)));
    const again = await batch.start({ env }).ended;
    return [...broken, ...wrongCodes(0, again), ...sentTwice(stage.witness), ...unsent(stage, batch)];
  });

const unsent = ({ witness }: Stage, { keys }: Batch): string[] =>
  keys.filter(key => witness.sent(key) !== 1).map(key => `lost: ${key} was sent ${witness.sent(key)} times`);

/**
 * One machine is killed at that step, and another one runs the same file: it books nothing, unless the first one had claimed
 * nothing. The first one goes on, and then the other one, with what it imports.
 */
export const killedBeside =
  (step: string, isClaimedThen: boolean): Scenario =>
  command =>
    onStage(command, async stage => {
      const { witness } = stage;
      const batch = batchOn(stage, SMALL);
      const env = second(stage);
      const killed = await batch.start({ step }).ended;
      if (killed.signal === null) return [`not killed: ${ending(killed)}`];
      const beside = await batch.start({ env }).ended;
      const broken = wrongCodes(isClaimedThen ? 2 : 0, beside);
      if (!isClaimedThen) return [...broken, ...sentTwice(stage.witness), ...unsent(stage, batch)];
      const goesOn = await batch.start().ended;
      if (![0, 8].includes(goesOn.code ?? -1)) broken.push(`it does not go on: ${ending(goesOn)}`);
      if (isClaimed(stage)) broken.push('its claim outlived the run that went on');
      broken.push(...(await imports(stage, env)));
      const arrived = witness.arrived();
      const last = await batch.start({ env }).ended;
      if (last.code !== goesOn.code || witness.arrived() > arrived)
        broken.push(`after the import: ${ending(last)}`);
      return [...broken, ...sentTwice(stage.witness)];
    });
