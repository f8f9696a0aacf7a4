// Two commands that each are right alone, held at the moment before they decide, so that neither sees what the other does.
import { vi } from 'vitest';
import { Journal } from '../../src/journal/journal.ts';
import type { Ran } from './command.ts';

/** What a command decides in one transaction of the journal. */
export type Seam = 'claim' | 'recordOutcome' | 'claimPrints' | 'settle';

/**
 * Runs commands at one time. Each is held before its first call of the seam until every other one is held there, too, or has
 * ended.
 */
export async function atOneMoment(seam: Seam, commands: readonly (() => Promise<Ran>)[]): Promise<Ran[]> {
  // Each seam has arguments of its own: one stands for all.
  const name = seam as 'claim';
  const original = Journal.prototype[name];
  let running = commands.length;
  const held: (() => void)[] = [];
  const goOn = () => {
    if (held.length >= running) for (const release of held.splice(0)) release();
  };
  let calls = 0;
  const spy = vi.spyOn(Journal.prototype, name).mockImplementation(async function (this: Journal, ...args) {
    calls += 1;
    if (calls <= commands.length)
      await new Promise<void>(resolve => {
        held.push(resolve);
        goOn();
      });
    return original.apply(this, args);
  });
  try {
    return await Promise.all(
      commands.map(command =>
        command().finally(() => {
          running -= 1;
          goOn();
        }),
      ),
    );
  } finally {
    spy.mockRestore();
  }
}
