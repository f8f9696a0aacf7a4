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

/** A command was stopped by a signal. `left`: what remains to be done, or how it ended. */
const stoppedSaying = (signal: string, left?: Text): Saying => ({
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

function portFault(fault: PortFault): Saying {
  const { address, port, code, why } = fault;
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
  stopped: (notice: Stop): Saying => stoppedSaying(notice.signal),
  'stopped-at-question': (notice: Stop & { question: string }): Saying =>
    stoppedSaying(notice.signal, leftAt(notice.question)),
  'stopped-after-requests': (notice: Stop): Saying =>
    stoppedSaying(notice.signal, say`the result of requests in flight is above`),
  'stopped-in-part': (notice: Stop & { done: Inner }, tell: Tell): Saying =>
    stoppedSaying(notice.signal, wholeText(tell(notice.done))),
  'stopped-listening': (notice: Stop & { deliveries: number }): Saying =>
    stoppedSaying(
      notice.signal,
      say`${notice.deliveries} ${notice.deliveries === 1 ? 'delivery' : 'deliveries'} came`,
    ),
  'stopped-listing': (notice: Stop): Saying =>
    stoppedSaying(notice.signal, say`more bookings were not shown`),
  'stopped-importing': (notice: Stop & { bookings: number }): Saying =>
    stoppedSaying(notice.signal, say`${notice.bookings} bookings were imported; ${FOR_THE_REST}`),
  'stopped-comparing': (notice: Stop): Saying => stoppedSaying(notice.signal, say`nothing was compared`),
  'stopped-moving': (notice: Stop & { moved: number; bookings: number }): Saying =>
    stoppedSaying(
      notice.signal,
      say`${notice.moved} of ${notice.bookings} bookings were moved; ${FOR_THE_REST}`,
    ),
  'stopped-adding-profile': (notice: Stop): Saying => stoppedSaying(notice.signal, say`nothing was saved`),
  'left-at-question': (notice: { question: string }): Saying => ({
    what: leftAt(notice.question),
  }),
  'stdin-named-twice': (): Saying => ({
    what: say`stdin is named twice, but is read only once`,
    toDo: say`Put one input into a file`,
  }),
  'stdin-unreadable': (notice: { why: string }): Saying => ({
    what: say`stdin cannot be read: ${notice.why}`,
  }),
  'current-folder-deleted': (notice: { path: string }): Saying => ({
    what: say`${notice.path} is relative, but the current folder was deleted`,
    toDo: say`Give an absolute path`,
  }),
  'file-unwritable': (notice: FileFault): Saying => ({
    what: say`${notice.path} cannot be written: ${notice.why}`,
  }),
  'port-unusable': (fault: PortFault): Saying => {
    const { what, ...rest } = portFault(fault);
    return { what: say`${fault.server} cannot listen on ${fault.address}: ${what}`, ...rest };
  },
  'emulator-data-unusable': (notice: FileFault): Saying => ({
    what: say`the data ${notice.path} cannot be opened: ${notice.why}`,
  }),
  /** `line`: a line that the program wrote to stderr. */
  'program-said': (notice: { line: string }): Saying => ({ what: say`${notice.line}` }),
  'too-many-open-files': (): Saying => ({
    what: say`too many files are open`,
    toDo: say`Raise the limit (${pattern('ulimit -n')}), and try again`,
  }),
  'internal-error': (notice: { error: string }): Saying => ({
    what: say`internal error: ${notice.error}`,
    toDo: say`Please report this defect, with what WAYBILL_DEBUG=1 shows`,
  }),
};
