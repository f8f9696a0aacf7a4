import { readFileSync } from 'node:fs';
import type { Host } from '../host.ts';
import type { Holder } from './journal.ts';

/** Who books, and whether those who booked are still there. */
export interface Processes {
  own: Holder;
  /** Of a process of another machine that cannot be told: it counts as there, and its lease decides. */
  isAlive(holder: Holder): boolean;
}

/** `version`: that of waybill. */
export function processesOf({ process }: Pick<Host, 'process'>, version?: string): Processes {
  const { host, id, user } = process;
  const own: Holder = {
    ...{ host, process: id, start: startOf(id) ?? '' },
    ...(user !== undefined && { user }),
    ...(version !== undefined && { version }),
  };
  return {
    own,
    isAlive: holder =>
      holder.host !== own.host ||
      (process.exists(holder.process) && (startOf(holder.process) ?? holder.start) === holder.start),
  };
}

/** When a process began, by its system's clock ticks; `undefined` on a system that does not tell. */
function startOf(id: number): string | undefined {
  try {
    // The 22nd field of the line; the second, the name, may hold blanks and brackets.
    const line = readFileSync(`/proc/${id}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
