// Which process sends a booking, and for how long its claim holds.
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
    host,
    process: id,
    start: startOf(id) ?? '',
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

/** How long a claimed booking counts as being sent without a sign of its process, in ms; after that it is `unknown`. */
export const LEASE_MS = lengthOfLease();

function lengthOfLease(): number {
  // step: length of a lease asked
  return 60_000;
}

/** The leases of the bookings that this process is sending. */
export interface Leases {
  /** Renews the lease of a booking until it is released. */
  hold(id: string): void;
  release(id: string): void;
  /** Ends all renewals. */
  close(): void;
}

/** `renew` may reject: the next renewal, after a third of the lease, is early enough. */
export function createLeases(
  renew: (ids: readonly string[]) => Promise<unknown>,
  { deadline }: Pick<Host, 'deadline'>,
): Leases {
  const held = new Set<string>();
  let stop = () => {};
  function renewLater(): void {
    stop();
    stop = deadline(LEASE_MS / 3, async () => {
      if (held.size > 0) await renew([...held]).catch(() => {});
      if (held.size > 0) renewLater();
    });
  }
  return {
    hold(id) {
      held.add(id);
      if (held.size === 1) renewLater();
    },
    release(id) {
      held.delete(id);
      if (held.size === 0) stop();
    },
    close() {
      held.clear();
      stop();
    },
  };
}

/**
 * Measures the ms since now, by the clock that says more: one may be set, the other stands still while the machine
 * sleeps.
 */
export function stopwatch({ now, monotonic }: Pick<Host, 'now' | 'monotonic'>): () => number {
  const [wall, steady] = [now(), monotonic()];
  return () => Math.max(Math.abs(now() - wall), monotonic() - steady);
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * What is written at about the same time is written together, and in the order in which it comes: what arrives during a
 * write, and as long as each turn of the event loop brings more, is the next group, so that nothing waits for a timer.
 * `write` writes all or nothing, and gives a result for each. After an error that one of them may have caused, each is
 * written alone.
 */
export function inGroups<Item, Result>(
  write: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>,
  { turn }: Pick<Host, 'turn'>,
  isOfOne: (error: unknown) => boolean = () => true,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  async function writeGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => void resolve(results[index] as Result));
    } catch (error) {
      if (group.length > 1 && isOfOne(error)) for (const one of group) await writeGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      for (let count = 0; waiting.length > count; await turn()) count = waiting.length;
      const group = waiting;
      waiting = [];
      await writeGroup(group);
    }
    isWriting = false;
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeWaiting();
    });
}
