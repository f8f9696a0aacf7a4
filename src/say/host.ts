// What is said of the machine: of signals, files, ports and terminals.
import {
  flag,
  type Inner,
  pattern,
  type Saying,
  say,
  stranger,
  type Tell,
  type Text,
  wholeText,
} from './sentence.ts';

/** A command that a signal ended, and what that left. */
const stoppedBy = (signal: string, left?: Text): Saying => ({
  what: say`stopped by ${signal}${left && say`; ${left}`}`,
});

const leftAt = (question: string): Text => say`left at the question ${stranger(question)}`;

const FOR_THE_REST = 'run it again for the rest';

interface Stop {
  signal: string;
}

interface FileFault {
  path: string;
  why: string;
}

interface PortFault extends Record<'server' | 'address' | 'code' | 'why', string> {
  port: number;
}

const OTHER_PORT = say`Give another ${flag('--port')} above 1023, or 0 for a free one`;

function portFault({ address, port, code, why }: PortFault): Saying {
  switch (code) {
    case 'EADDRINUSE':
      return {
        what: say`port ${port} is in use`,
        toDo: OTHER_PORT,
      };
    case 'EACCES':
      return {
        what: say`port ${port} is not allowed`,
        toDo: OTHER_PORT,
      };
    case 'EADDRNOTAVAIL':
      return { what: say`${address} is not an address of this machine` };
    default:
      return { what: say`${why}` };
  }
}

export const HOST = {
  stopped: ({ signal }: Stop): Saying => stoppedBy(signal),
  'stopped-at-question': ({ signal, question }: Stop & { question: string }): Saying =>
    stoppedBy(signal, leftAt(question)),
  'stopped-after-requests': ({ signal }: Stop): Saying =>
    stoppedBy(signal, say`the result of requests in flight is above`),
  'stopped-in-part': ({ signal, done }: Stop & { done: Inner }, tell: Tell): Saying =>
    stoppedBy(signal, wholeText(tell(done))),
  'stopped-listening': ({ signal, deliveries }: Stop & { deliveries: number }): Saying =>
    stoppedBy(signal, say`${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'} came`),
  'stopped-listing': ({ signal }: Stop): Saying => stoppedBy(signal, say`more bookings were not shown`),
  'stopped-importing': ({ signal, bookings }: Stop & { bookings: number }): Saying =>
    stoppedBy(signal, say`${bookings} bookings were imported; ${FOR_THE_REST}`),
  'stopped-comparing': ({ signal }: Stop): Saying => stoppedBy(signal, say`nothing was compared`),
  'stopped-moving': ({ signal, moved, bookings }: Stop & { moved: number; bookings: number }): Saying =>
    stoppedBy(signal, say`${moved} of ${bookings} bookings were moved; ${FOR_THE_REST}`),
  'stopped-adding-profile': ({ signal }: Stop): Saying => stoppedBy(signal, say`nothing was saved`),
  'left-at-question': ({ question }: { question: string }): Saying => ({
    what: leftAt(question),
  }),
  'stdin-named-twice': (): Saying => ({
    what: say`stdin is named twice, but is read only once`,
    toDo: say`Put one input into a file`,
  }),
  'stdin-unreadable': ({ why }: { why: string }): Saying => ({ what: say`stdin cannot be read: ${why}` }),
  'current-folder-deleted': ({ path }: { path: string }): Saying => ({
    what: say`${path} is relative, but the current folder was deleted`,
    toDo: say`Give an absolute path`,
  }),
  'file-unwritable': ({ path, why }: FileFault): Saying => ({ what: say`${path} cannot be written: ${why}` }),
  'port-unusable': (fault: PortFault): Saying => {
    const { what, ...rest } = portFault(fault);
    return { what: say`${fault.server} cannot listen on ${fault.address}: ${what}`, ...rest };
  },
  'emulator-data-unusable': ({ path, why }: FileFault): Saying => ({
    what: say`the data ${path} cannot be opened: ${why}`,
  }),
  /** `line`: of its stderr. */
  'program-said': ({ line }: { line: string }): Saying => ({ what: say`${line}` }),
  'too-many-open-files': (): Saying => ({
    what: say`too many files are open`,
    toDo: say`Raise the limit (${pattern('ulimit -n')}), and try again`,
  }),
  'internal-error': ({ error }: { error: string }): Saying => ({
    what: say`internal error: ${error}`,
    toDo: say`Please report this defect, with what WAYBILL_DEBUG=1 shows`,
  }),
};
