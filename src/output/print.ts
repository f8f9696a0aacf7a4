// The only writer of stdout and stderr: it writes results to stdout, and messages to stderr.
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { FAILURES, type FailureCode } from '../exit-codes.ts';
import { maskAddresses } from '../mask.ts';
import { meantWords } from '../nearest.ts';
import type { Message } from '../say/notices.ts';
import { messageWords } from '../say/person.ts';
import { type CommandWords, sentences } from '../say/sentence.ts';
import { againText, valuesText } from '../say/shell.ts';
import { messageOf } from '../system-errors.ts';
import { EXAMPLES, type Format, SEPARATORS, someOf } from '../text.ts';
import { canDraw, isColored, type Look, lookOf, paragraph, type Streams } from './look.ts';
import type { ErrorLine } from './schemas.ts';
import {
  harmless,
  itemsOf,
  type RowText,
  rowText,
  safe,
  safeJson,
  safeLines,
  textLines,
  toCsv,
} from './text.ts';

export interface PrintSettings extends Omit<DiagnosticSettings, 'json'> {
  format: Format;
  /** Did a person choose the format? If not, a query implies JSON. */
  formatGiven: boolean;
  query?: string | undefined;
}

/** How the result of a command is shown. */
export interface View<T> {
  /** The items with a line each, in `jsonl`, CSV and the like; by default the elements of an array, or the body itself. */
  items?(body: T): unknown[];
  /** What `-o record` shows in place of the body: what was booked. */
  record?(): Promise<unknown>;
  /** Is `json` on one line? It is for one of many results that come one by one, and for a document that programs read. */
  streamed?: boolean;
  /** The command that shows the result again. Given if the journal counts the result as shown: stdout must have taken it. */
  again?: CommandWords | undefined;
  /** The values that `--quiet` shows, one on each line. */
  essential(body: T): (string | number | undefined)[];
  table(body: T, look: Look): string | Promise<string>;
}

export interface Printer extends Diagnostics {
  /** The format that is used, `--query` considered; `record` counts as JSON. */
  readonly format: Exclude<Format, 'record'>;
  /** How a row is written in that format; `undefined`: the format has no cells. */
  readonly cells: RowText | undefined;
  /** Is stderr JSON lines? */
  readonly json: boolean;
  /** Refuses a bad `--query`. To be called before anything is sent. */
  check(): Promise<void>;
  /** Shows the result of a command in the selected format. */
  result<T>(body: T, view: View<T>): Promise<void>;
  /** Writes text to stdout that has no format: a script, a template, help. */
  plain(text: string): Promise<void>;
}

const isSeparated = (format: Format): format is keyof typeof SEPARATORS => Object.hasOwn(SEPARATORS, format);

export function createPrinter(host: Streams, settings: PrintSettings): Printer {
  const { query, quiet, strict, color } = settings;
  const asRecord = settings.format === 'record';
  const formatGiven = settings.format === 'record' ? 'json' : settings.format;
  const format = query !== undefined && !settings.formatGiven ? 'json' : formatGiven;
  const json = format === 'json' || format === 'jsonl';
  const diagnostics = createDiagnostics(host, { json, quiet, strict, color });

  async function plain(text: string): Promise<void> {
    // Messages that the caller did not wait for are written to stderr first: each command ends with this call, even without a text.
    await diagnostics.progress('');
    if (text === '') return;
    try {
      const shown = harmless(text, isColored(host, 'stdout', color));
      await host.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
      // step: shown
    } catch (error) {
      throw new Failure('storage', { kind: 'result-unwritten', why: messageOf(error) }, {}, { cause: error });
    }
  }

  async function textOf<T>(body: T, view: View<T>): Promise<string> {
    const indent = view.streamed ? undefined : 2;
    const record = asRecord ? await view.record?.() : undefined;
    if (query !== undefined) {
      const { comparesWithField, compileQuery } = await import('./query.ts');
      const selected = (await compileQuery(query))(record ?? body);
      if (!view.streamed && isNothing(selected) && comparesWithField(query))
        await diagnostics.note({ kind: 'query-found-nothing' });
      return generic(selected, indent);
    }
    if (quiet) return lines(essentialWords(body, view));
    if (format === 'table') {
      const look = await lookOf(host, 'stdout', color);
      return closed(await paragraph(look, await view.table(body, look)));
    }
    if (record !== undefined) return generic(record, indent);
    return generic(body, indent, view.items?.(body));
  }

  async function generic(value: unknown, indent?: number, items = itemsOf(value)): Promise<string> {
    if (isSeparated(format)) return toCsv(items, SEPARATORS[format]);
    switch (format) {
      case 'json':
        return lines([safeJson(value, indent)]);
      case 'jsonl':
        return lines(items.map(item => safeJson(item)));
      case 'text':
        return lines(textLines(value));
      case 'table':
        return closed(
          await (await import('./table.ts')).anyTable(await lookOf(host, 'stdout', color), value),
        );
    }
  }

  return {
    ...diagnostics,
    format,
    cells: isSeparated(format) ? rowText(SEPARATORS[format]) : undefined,
    json,
    check: async () => {
      if (query !== undefined) await (await import('./query.ts')).compileQuery(query);
    },
    async result(body, view) {
      const { again } = view;
      try {
        await plain(await textOf(body, view));
        if (again && host.stdout.isClosed) throw new Failure('storage', { kind: 'stdout-closed' });
      } catch (error) {
        const known = error instanceof RangeError ? tooLarge(error) : error;
        if (!(known instanceof Failure)) throw known;
        // The hint has the values of the result: a secret that the service gives only once must not be lost.
        const words = essentialWords(body, view).join(' ');
        const isShort = words !== '' && words.length <= 200;
        throw known.with({
          hint: sentences(isShort ? valuesText(words) : [], again ? againText(again) : []),
          ...(known === error && { body }),
        });
      }
    },
    plain,
  };
}

/** JSON of any depth can be read, but not every depth can be written again. */
const tooLarge = (error: RangeError): Failure =>
  new Failure('partial', { kind: 'result-too-large' }, {}, { cause: error });

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const lines = (list: readonly string[]): string => list.map(line => `${line}\n`).join('');

const closed = (text: string): string => lines(text === '' ? [] : [text.replace(/\n+$/, '')]);

const essentialWords = <T>(body: T, view: View<T>): string[] =>
  view.essential(body).flatMap(value => (value === undefined || value === '' ? [] : safe(String(value))));

// Messages on stderr.

export interface DiagnosticSettings {
  /** Is each message a line of JSON, in place of a sentence? */
  json: boolean;
  quiet: boolean;
  strict: boolean;
  /** False for `--no-color`. */
  color?: boolean | undefined;
}

/** Messages on stderr. No function rejects: a command that books must not stop because stderr cannot be written. */
export interface Diagnostics {
  /** Says what is going on. `lines`: stand below the message; a line break in a text begins no line. */
  note(message: Message, lines?: readonly string[]): Promise<void>;
  /**
   * Warns of what is probably wrong, and does not stop the command. `always`: also with `--quiet`. `counts`: false for a warning that
   * `--strict` lets pass.
   */
  warn(message: Message, options?: { always?: boolean; counts?: boolean }): Promise<void>;
  /** The warnings so far that `--strict` makes errors, so that the caller can fail; empty without `--strict`. */
  readonly warnings: readonly string[];
  /** Shows a part of an HTTP exchange: `text` for people, `json` as a line for programs. */
  trace(shown: { text: string; json: object }): Promise<void>;
  /** Tells programs what became of a booking. `exists`: `null` if nobody knows. */
  booking(line: object, exists: boolean | null): Promise<void>;
  /** The last message of a command that failed. `unsent`: what the command did not send, in words. */
  failure(failure: Failure, unsent?: string): Promise<void>;
  /**
   * Replaces the line that shows progress on a terminal; '' removes it. Elsewhere nothing is shown. Resolves when all earlier messages are
   * written, too.
   */
  progress(line: string): Promise<void>;
}

/** The most characters of each text in a notice that are shown: a person may have typed a text of any length. */
const MOST_OF_NOTICE = 500;

/** A notice for programs, with addresses masked and long texts cut. */
function noticeShown(message: Message | undefined): Pick<ErrorLine['error'], 'notice'> {
  if (typeof message !== 'object') return {};
  const masked = (_: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    const text = maskAddresses(value);
    return text.length > MOST_OF_NOTICE ? `${text.slice(0, MOST_OF_NOTICE)}…` : text;
  };
  return { notice: JSON.parse(JSON.stringify(message), masked) };
}

const ERASE = '\r\x1b[2K';

export function createDiagnostics(host: Streams, settings: DiagnosticSettings): Diagnostics {
  const { stderr } = host;
  const { json, quiet, strict } = settings;
  const live = canDraw(host, 'stderr') && !json && !quiet;
  const warnings: string[] = [];
  let inProgress = false;
  let created: boolean | null | undefined;
  let last = Promise.resolve();

  // Messages are written one after the other, even if the caller does not wait.
  const write = (text: (look: Look) => string | Promise<string>, progress = false): Promise<void> => {
    last = last
      .then(async () => {
        const erase = inProgress ? ERASE : '';
        const isPainted = isColored(host, 'stderr', settings.color);
        const shown = harmless(await text(await lookOf(host, 'stderr', settings.color)), isPainted);
        inProgress = progress && shown !== '';
        if (erase + shown !== '') await stderr.write(erase + shown);
      })
      .catch(() => {});
    return last;
  };
  const writeLine = (object: object, sentence: (look: Look) => Promise<string>): Promise<void> =>
    write(async look => `${json ? safeJson(object) : await sentence(look)}\n`);

  return {
    warnings,
    note: async (message, below = []) => {
      const [first = '', ...rest] = [messageWords(message), ...below].map(line => maskAddresses(line));
      const shown = [safe(first), ...rest.map(line => safe(line))].join('\n');
      const line = { note: [first, ...rest].join('\n'), ...noticeShown(message) };
      if (!quiet) await writeLine(line, look => paragraph(look, shown));
    },
    warn: async (message, { always = false, counts = true } = {}) => {
      const text = maskAddresses(messageWords(message));
      if (strict && counts) warnings.push(text);
      if (quiet && !(strict && counts) && !always) return;
      const line = { warning: text, ...noticeShown(message) };
      await writeLine(line, look => withColouredLabel(look, 'warning:', look.yellow, text));
    },
    trace: async shown => {
      if (!quiet) await writeLine(shown.json, async () => safeLines(shown.text));
    },
    booking: async (line, exists) => {
      // If one booking exists, something was created, whatever became of the others.
      created = created || exists || (created === null || exists === null ? null : false);
      if (json && !quiet) await writeLine({ booking: line }, async () => '');
    },
    failure: (failure, unsent) =>
      writeLine(failureJson(failure, created, unsent), look => failureText(failure, look, unsent)),
    progress: async line => {
      // The last column stays free, because some terminals break the line when it is filled.
      if (live) await write(({ columns = 80 }) => [...safe(line)].slice(0, columns - 1).join(''), true);
      else await last;
    },
  };
}

/** A failure for a person: a paragraph, then a line for each issue. */
export async function failureText(failure: Failure, look: Look, unsent?: string): Promise<string> {
  const sentence = await withColouredLabel(look, 'error:', look.red, maskAddresses(failure.told(unsent)));
  const { issues = [] } = failure.facts;
  // For an order that is done in part, an issue has the name of the order as its path: issues that orders share are shown once.
  const shown = failure.code === 'partial' ? oncePerMessage(issues) : issues;
  const lines = shown.map(issue => paragraph(look, issueText(issue), '  '));
  return [sentence, ...(await Promise.all(lines))].join('\n');
}

function oncePerMessage(issues: readonly Issue[]): Issue[] {
  const paths = new Map<string, string[]>();
  for (const { path, message } of issues) paths.set(message, [...(paths.get(message) ?? []), path]);
  return [...paths].map(([message, names]) => ({ path: someOf(names, EXAMPLES), message }));
}

/** A message behind a coloured label. */
async function withColouredLabel(
  look: Look,
  label: string,
  paint: Look['red'],
  text: string,
): Promise<string> {
  const lines = await paragraph(look, `${label} ${safe(text)}`);
  return paint(label) + lines.slice(label.length);
}

/** Failures after which nobody knows whether something was created: a defect (`internal`) may lie anywhere. */
const NOBODY_KNOWS: ReadonlySet<FailureCode> = new Set(['outcome_unknown', 'internal']);

/**
 * A failure as JSON. Every field is always there, except the time to try again. `created`: what the caller knows of it. `unsent`: what the
 * command did not send, in words.
 */
export function failureJson(
  failure: Failure,
  created: boolean | null = failure.facts.created === undefined
    ? NOBODY_KNOWS.has(failure.code)
      ? null
      : false
    : failure.facts.created,
  unsent?: string,
): ErrorLine {
  const { code, exitCode, facts } = failure;
  const { operation = null, httpStatus = null, issues = [], booking = null, body = null } = facts;
  const { retryAt, retry = retryAt === undefined ? FAILURES[code].retry : 'later', next = [] } = facts;
  return {
    error: {
      code,
      exitCode,
      message: maskAddresses(failure.told(unsent)),
      operation,
      httpStatus,
      issues: issues.map(issue => ({ ...issue, message: maskAddresses(issue.message) })),
      booking,
      body,
      created,
      retry,
      next: next.map(words => [...words]),
      ...noticeShown(failure.notice),
      ...(retryAt !== undefined && retry === 'later' && { retryAt }),
    },
  };
}

function issueText(issue: Issue): string {
  const { path, message, suggestion } = issue;
  return safe(`${path === '' ? '' : `${path}  `}${maskAddresses(message)}${meantWords(suggestion)}`);
}
