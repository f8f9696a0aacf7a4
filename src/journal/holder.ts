import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import type { Host } from '../host.ts';

/** The process that sends a booking. */
export interface Holder {
  host: string;
  process: number;
  /** When the process began, by its system: systems reuse the numbers of processes. */
  start: string;
  /** Where its number means something: its running system and its PID namespace. Older versions did not record it. */
  space?: string;
  /** The user, and the version of waybill. Older versions did not record them. */
  user?: string;
  version?: string;
}

/** This process, and whether the processes of other bookings are still running. */
export interface Processes {
  own: Holder;
  /** `undefined` if that cannot be told, as of another machine or container: then only its lease ends. */
  isAlive(holder: Holder): boolean | undefined;
}

/** `version`: that of waybill. */
export function processesOf(
  { process, platform }: Pick<Host, 'process' | 'platform'>,
  version?: string,
): Processes {
  const { host, id, user } = process;
  const space = spaceOn(platform);
  const own: Holder = {
    ...{ host, process: id, start: startOf(id) ?? '' },
    ...(space !== undefined && { space }),
    ...(user !== undefined && { user }),
    ...(version !== undefined && { version }),
  };
  return {
    own,
    isAlive: holder =>
      holder.host === own.host && holder.space === own.space
        ? process.exists(holder.process) && (startOf(holder.process) ?? holder.start) === holder.start
        : undefined,
  };
}

/**
 * The running system and the PID namespace: containers with one host name have different processes with one number.
 * `undefined` on systems without namespaces.
 */
function spaceOn(platform: NodeJS.Platform): string | undefined {
  if (platform !== 'linux') return undefined;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Never the same as another one, so that nothing is concluded from the numbers of processes.
    return randomUUID();
  }
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
