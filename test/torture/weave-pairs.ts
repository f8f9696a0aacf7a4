// The pairs that matter most as real processes, which are held before they claim and then go on at one moment.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedPlace } from '../rig/postgres.ts';
import { bareEnvironment, launch, seen, spawned } from '../rig/process.ts';
import { PROBE } from './probe.ts';
import { createGate } from './stage.ts';
import { Weave } from './weave.ts';
import { broken } from './weave-rules.ts';
import type { Fault } from './weave-service.ts';
import { ACTORS, BEFORE, type Did, type Need, openWorld, wordsOf } from './weave-world.ts';

export const NEAREST = [
  ['ship', 'ship'],
  ['ship', 'ship a plan'],
  ['ship --key', 'ship a plan with a key'],
  ['ship --key --label', 'batch ship --label'],
  ['batch ship', 'batch ship'],
  ['ship --strict', 'ship-dual --label'],
  ['label', 'batch label'],
  ['label --unprinted', 'label --unprinted'],
  ['label --print', 'batch label'],
  ['ship U', 'resolve --not-created'],
] as const;

/** Runs each pair of commands once, and gives the rules that were broken. */
export async function together(
  command: string,
  pair: readonly string[],
  shared?: SharedPlace,
): Promise<string[]> {
  await shared?.empty();
  const weave = new Weave();
  // The clock is real.
  weave.time = Date.now();
  const world = await openWorld(weave, shared, undefined);
  const tray = join(world.folder, 'tray');
  mkdirSync(tray);
  mkdirSync(join(world.folder, 'bin'));
  writeFileSync(join(world.folder, 'bin/lp'), '#!/bin/sh\ncat "$1" > "$(mktemp tray/XXXXXX)"\n', {
    mode: 0o755,
  });
  const gate = await createGate();
  const run = async (
    actor: string,
    words: string[],
    isHeld: boolean,
    env: Record<string, string> = {},
  ): Promise<Did> => {
    const own = bareEnvironment(world.folder);
    const all = {
      ...own,
      ...world.env,
      WAYBILL_ACTOR: actor,
      PATH: `${join(world.folder, 'bin')}:${own.PATH}`,
      ...env,
    };
    const [program, args] = launch(command, words);
    const { child, ended } = spawned(program, args, {
      cwd: world.folder,
      env: { ...all, ...(isHeld && { [PROBE.gate]: String(gate.port) }) },
    });
    const { exitCode, ...texts } = seen(await ended);
    return {
      ...{
        actor,
        words,
        ...texts,
        exitCode: exitCode ?? undefined,
        sent: [],
        folder: world.folder,
        env: all,
      },
      process: { name: actor, id: child.pid ?? 0, state: 'ended', journals: new Set() },
      isElsewhere: 'WAYBILL_STATE_DIR' in env,
    };
  };
  try {
    const before: Did[] = [];
    for (const need of Object.keys(BEFORE) as Need[]) {
      if (!pair.some(name => ACTORS[name]?.needs?.includes(need))) continue;
      const { argv, fault = 'none' }: { argv: readonly string[]; fault?: Fault } = BEFORE[need];
      world.faults.push(fault);
      for (const line of argv) before.push(await run(need, [...line.split(' '), '--json'], false));
      world.faults.length = 0;
    }
    const started = pair.map(name => run(name, wordsOf(ACTORS[name] ?? { argv: '' }), true));
    await Promise.race([gate.waiting(pair.length), ...started]);
    gate.open();
    const all = [...before, ...(await Promise.all(started))];
    world.printed.push(...readdirSync(tray).map(name => readFileSync(join(tray, name), 'latin1')));
    const wrong = await broken(world, weave, all);
    return wrong.length === 0
      ? []
      : [...wrong, ...all.map(one => `${one.actor}: exit ${one.exitCode} ${one.stderr}`)];
  } finally {
    await gate.close();
    await world.close();
  }
}
