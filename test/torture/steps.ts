// The steps of a booking at which a process is killed, in their order, and where each of them is in the source.
import { after, before, type Edit } from '../rig/build.ts';

export interface Step {
  name: string;
  edit: Edit;
  /** Complete requests that have arrived by then. */
  sent: 0 | 1;
  /** The exit code of the same command run again: from the claim to the outcome it may have been booked. */
  again: 0 | 8;
}

type Place = (code: string) => Edit;

function step(name: string, sent: 0 | 1, again: 0 | 8, place: Place): Step {
  return { name, edit: place(`tortureStep(${JSON.stringify(name)});`), sent, again };
}

const BOOK = 'src/booking/book.ts';
const JOURNAL = 'src/journal/sqlite/journal.ts';
const DIALECT = 'src/journal/sqlite/dialect.ts';
const TRANSPORT = 'src/http/transport.ts';

const HEAD = 'head = { status, headers: flat(headers) };';
const OUTCOME = 'const outcome = readOutcome(operation, intent.request, exchange);';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of the source.
const SHOWN = "await host.stdout.write(text.endsWith('\\n') ? text : `${text}\\n`);";

export const STEPS: readonly Step[] = [
  step('claim written, not committed', 0, 0, code => before(JOURNAL, 'return id;', code)),
  step('claim committed', 0, 8, code => before(BOOK, 'let exchange: Exchange;', code)),
  step('connected', 0, 8, code => after(TRANSPORT, 'else controller = started;', code)),
  // undici says so when it has given the whole request to the system, which sends it though the process is gone.
  step('sent', 1, 8, code =>
    before(
      TRANSPORT,
      'dispatcher.dispatch(options, handler);',
      `require('node:diagnostics_channel').subscribe('undici:request:bodySent', () => { ${code} });`,
    ),
  ),
  step('head of the answer', 1, 8, code => after(TRANSPORT, HEAD, code)),
  step('whole answer', 1, 8, code => after(BOOK, OUTCOME, code)),
  step('outcome written, not committed', 1, 8, code => after(DIALECT, 'if (changed === 0) return;', code)),
  step('outcome committed', 1, 0, code =>
    after(BOOK, 'await journal.recordOutcome(id, recordedOutcomeOf(outcome));', code),
  ),
  step('shown', 1, 0, code => after('src/output/print.ts', SHOWN, code)),
];

/** Comes after a line of a batch is in the results, and before its next record is begun. */
export const LINE_WRITTEN = 'line of a batch written';

export function stepNamed(name: string): Step {
  const found = STEPS.find(one => one.name === name);
  if (!found) throw new Error(`there is no step ${name}`);
  return found;
}

const SYNCHRONOUS = `database.prepare('PRAGMA synchronous').all([])[0].synchronous`;

/** Notes what is synced, and nothing else: power can be cut off. */
export const NOTES: readonly Edit[] = [
  after('src/sqlite.ts', `database.exec('COMMIT');`, `tortureCommit(file, ${SYNCHRONOUS});`),
];

/** Lets a test kill the command, hold it, and cut its power. Without their variables the probes do nothing. */
export const PROBES: readonly Edit[] = [
  ...NOTES,
  ...STEPS.map(({ edit }) => edit),
  before('src/batch/run/run.ts', 'progress.tick();', `tortureStep(${JSON.stringify(LINE_WRITTEN)});`),
  // Whether it was booked before has been looked up by then, and nothing is claimed.
  before(BOOK, 'const claim = await waitWhilePending(', 'await tortureGate();'),
];
