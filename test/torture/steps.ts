// The steps of a booking at which a process is killed, in order, and their places in the source.
import { after, before, type Edit } from '../rig/build.ts';

export interface Step {
  name: string;
  edit: Edit;
  /** How many complete requests have arrived by then. */
  sent: 0 | 1;
  /** The exit code if the command runs again. Between claim and outcome the booking is unknown. */
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
// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a text of the source.
const SHOWN = "await host.stdout.write(text.endsWith('\\n') ? text : `${text}\\n`);";

export const STEPS: readonly Step[] = [
  step('claim written, not committed', 0, 0, code => before(JOURNAL, 'return id;', code)),
  step('claim committed', 0, 8, code => before(BOOK, 'let exchange: Exchange;', code)),
  step('connected', 0, 8, code => after(TRANSPORT, 'else controller = started;', code)),
  // undici publishes this when the system has the whole request and sends it even without the process.
  step('sent', 1, 8, code =>
    before(
      TRANSPORT,
      'dispatcher.dispatch(options, handler);',
      `require('node:diagnostics_channel').subscribe('undici:request:bodySent', () => { ${code} });`,
    ),
  ),
  step('answer begun', 1, 8, code => after(TRANSPORT, HEAD, code)),
  step('answer complete', 1, 8, code => after(BOOK, OUTCOME, code)),
  step('outcome written, not committed', 1, 8, code =>
    after(DIALECT, 'if (changed === 0) return false;', code),
  ),
  step('outcome committed', 1, 0, code =>
    after(BOOK, 'await journal.recordOutcome(id, recordedOutcomeOf(outcome, overPrice));', code),
  ),
  step('shown', 1, 0, code => after('src/output/print.ts', SHOWN, code)),
];

/** Places of a process that is stopped before its first byte. At the last one it was asked whether it may send. */
export const STOPS = ['claim committed', 'claim confirmed', 'about to send', 'connected'] as const;

const CONFIRMED = 'const maySend = await input.fence?.();';
const ABOUT_TO_SEND = 'if (!over && request.maySend?.() === false)';
const stop = (name: (typeof STOPS)[number]) => `tortureStep(${JSON.stringify(name)});`;

/** The step after a line of a batch is written and before the next record begins. */
export const LINE_WRITTEN = 'line of a batch written';

export function stepNamed(name: string): Step {
  const found = STEPS.find(one => one.name === name);
  if (!found) throw new Error(`there is no step ${name}`);
  return found;
}

const SYNCHRONOUS = `database.prepare('PRAGMA synchronous').all([])[0].synchronous`;

/** Records only what is synced, so that a test can simulate a power loss. */
export const NOTES: readonly Edit[] = [
  after('src/sqlite.ts', `database.exec('COMMIT');`, `tortureCommit(file, ${SYNCHRONOUS});`),
];

/** Let a test kill the command, hold it, and simulate a power loss. Without their variables the probes do nothing. */
export const PROBES: readonly Edit[] = [
  ...NOTES,
  ...STEPS.map(({ edit }) => edit),
  after('src/http/client.ts', CONFIRMED, stop('claim confirmed')),
  before(TRANSPORT, ABOUT_TO_SEND, stop('about to send')),
  before(
    'src/batch/run/run.ts',
    "if (run.outputs.failure) return 'storage';",
    `tortureStep(${JSON.stringify(LINE_WRITTEN)});`,
  ),
  // By then the command has looked the key up and has not claimed it.
  before(BOOK, 'const claim = await waitWhilePending(', 'await tortureGate();'),
];
