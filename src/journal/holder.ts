import { readFileSync } from 'node:fs';
import type { Host } from '../host.ts';
import type { Holder } from './journal.ts';

/** This process, and whether the processes of other bookings are still running. */
export interface Processes {
  own: Holder;
  /** A process of another machine counts as alive: only its lease ends. */
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

/** When a process began, in clock ticks of its system; `undefined` if the system does not say. */
function startOf(id: number): string | undefined {
  try {
    // The 22nd field of the line. The second is a name, which may contain blanks and brackets.
    const line = readFileSync(`/proc/${id}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
