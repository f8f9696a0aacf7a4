// The only writer of stderr.
import type { Failure } from '../errors.ts';
import { failureJson, failureText } from './failure.ts';
import { canDraw, type Look, lookOf, type Streams } from './look.ts';
import { safe, safeJson, safeLines } from './safe.ts';

export interface DiagnosticSettings {
  /** JSON lines in place of sentences. */
  json: boolean;
  quiet: boolean;
  strict: boolean;
  color?: boolean | undefined;
}

/** None of these rejects: that stderr cannot be written must not stop a command that has begun to book. */
export interface Diagnostics {
  /** Tells people what is going on. */
  note(text: string): Promise<void>;
  /** Tells of something doubtful that does not stop the command. */
  warn(text: string): Promise<void>;
  /** The warnings so far where they are errors (`--strict`), so that the caller can fail; else empty. */
  readonly warnings: readonly string[];
  /** The last words of a command that failed. */
  failure(failure: Failure): Promise<void>;
  /** Replaces the line that shows progress on a terminal, '' takes it away; elsewhere nothing is shown. */
  progress(line: string): Promise<void>;
}

const ERASE = '\r\x1b[2K';

export function createDiagnostics(host: Streams, settings: DiagnosticSettings): Diagnostics {
  const { stderr } = host;
  const { json, quiet, strict } = settings;
  const live = canDraw(host, 'stderr') && !json && !quiet;
  const warnings: string[] = [];
  let inProgress = false;
  let last = Promise.resolve();

  // One after the other, also where the caller does not wait.
  const write = (text: (look: Look) => string, progress = false): Promise<void> => {
    last = last
      .then(async () => {
        const erase = inProgress ? ERASE : '';
        const shown = text(await lookOf(host, 'stderr', settings.color));
        inProgress = progress && shown !== '';
        if (erase + shown !== '') await stderr.write(erase + shown);
      })
      .catch(() => {});
    return last;
  };

  return {
    warnings,
    note: async text => {
      if (!quiet) await write(() => `${json ? safeJson({ note: text }) : safeLines(text)}\n`);
    },
    warn: async text => {
      if (strict) warnings.push(text);
      if (quiet && !strict) return;
      await write(look =>
        json ? `${safeJson({ warning: text })}\n` : `${look.yellow('warning:')} ${safeLines(text)}\n`,
      );
    },
    failure: failure => write(look => `${json ? failureJson(failure) : failureText(failure, look)}\n`),
    progress: async line => {
      // The last column stays free, as some terminals break the line when it is filled.
      if (live) await write(({ columns = 80 }) => [...safe(line)].slice(0, columns - 1).join(''), true);
    },
  };
}
