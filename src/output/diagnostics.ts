// The only writer of stderr.
import type { Issue } from '../contract/shapes.ts';
import { FAILURES, type Failure, type FailureCode } from '../errors.ts';
import { canDraw, type Look, lookOf, paragraph, type Streams } from './look.ts';
import type { ErrorLine } from './schemas.ts';
import { safe, safeJson, safeLines } from './text.ts';

export interface DiagnosticSettings {
  /** JSON lines in place of sentences. */
  json: boolean;
  quiet: boolean;
  strict: boolean;
  /** False is `--no-color`. */
  color?: boolean | undefined;
}

/** None of these rejects: an stderr that cannot be written must not stop a command that has begun to book. */
export interface Diagnostics {
  /** Says what is going on. */
  note(text: string): Promise<void>;
  /** A warning: says what is probably wrong, and does not stop the command. `always`: with `--quiet`, too. */
  warn(text: string, options?: { always?: boolean }): Promise<void>;
  /** With `--strict`, which makes errors of them, the warnings so far, so that the caller can fail; else empty. */
  readonly warnings: readonly string[];
  /** A part of an HTTP exchange: as text, and as a line for programs. */
  trace(shown: { text: string; json: object }): Promise<void>;
  /** For programs: what became of a booking. `exists`: `null` if nobody knows. */
  booking(line: object, exists: boolean | null): Promise<void>;
  /** The last message of a command that failed. */
  failure(failure: Failure): Promise<void>;
  /** Replaces the line that shows progress on a terminal, '' removes it; elsewhere nothing is shown. */
  progress(line: string): Promise<void>;
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

  // One after the other, even if the caller does not wait.
  const write = (text: (look: Look) => string | Promise<string>, progress = false): Promise<void> => {
    last = last
      .then(async () => {
        const erase = inProgress ? ERASE : '';
        const shown = await text(await lookOf(host, 'stderr', settings.color));
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
    note: async text => {
      if (!quiet) await writeLine({ note: text }, look => paragraph(look, safeLines(text)));
    },
    warn: async (text, { always = false } = {}) => {
      if (strict) warnings.push(text);
      if (quiet && !strict && !always) return;
      await writeLine({ warning: text }, look => labelled(look, 'warning:', look.yellow, text));
    },
    trace: async shown => {
      if (!quiet) await writeLine(shown.json, async () => safeLines(shown.text));
    },
    booking: async (line, exists) => {
      // What may exist counts before what does.
      created = exists === null || created === null ? null : exists || created === true;
      if (json && !quiet) await writeLine({ booking: line }, async () => '');
    },
    failure: failure => writeLine(failureJson(failure, created), look => failureText(failure, look)),
    progress: async line => {
      // The last column stays free, because some terminals break the line when it is filled.
      if (live) await write(({ columns = 80 }) => [...safe(line)].slice(0, columns - 1).join(''), true);
    },
  };
}

/** A failure for a person: a paragraph, then a line for each issue. */
export async function failureText({ message, facts }: Failure, look: Look): Promise<string> {
  const sentence = await labelled(look, 'error:', look.red, message);
  const issues = (facts.issues ?? []).map(issue => paragraph(look, issueText(issue), '  '));
  return [sentence, ...(await Promise.all(issues))].join('\n');
}

/** A message behind a coloured label. */
async function labelled(look: Look, label: string, paint: Look['red'], text: string): Promise<string> {
  const lines = await paragraph(look, `${label} ${safeLines(text)}`);
  return paint(label) + lines.slice(label.length);
}

/** A defect may show itself anywhere. */
const NOBODY_KNOWS: ReadonlySet<FailureCode> = new Set(['outcome_unknown', 'internal']);

/** A failure for a program: every field is always there, but for when to try again. `created`: if the caller knows it. */
export function failureJson(
  { code, exitCode, message, facts }: Failure,
  created: boolean | null = facts.created === undefined
    ? NOBODY_KNOWS.has(code)
      ? null
      : false
    : facts.created,
): ErrorLine {
  const { operation = null, httpStatus = null, issues = [], booking = null, body = null } = facts;
  const { retryAt, retry = retryAt === undefined ? FAILURES[code].retry : 'later', next = [] } = facts;
  return {
    error: {
      code,
      exitCode,
      message,
      operation,
      httpStatus,
      issues: [...issues],
      booking,
      body,
      created,
      retry,
      next: next.map(words => [...words]),
      ...(retryAt !== undefined && { retryAt }),
    },
  };
}

function issueText({ path, message, suggestion }: Issue): string {
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
  return safe(`${path === '' ? '' : `${path}  `}${message}${hint}`);
}
