// The only writer of stdout.
import { Failure, messageOf } from '../errors.ts';
import type { Format } from '../formats.ts';
import { createDiagnostics, type DiagnosticSettings, type Diagnostics } from './diagnostics.ts';
import { type Look, lookOf, paragraph, type Streams } from './look.ts';
import { itemsOf, safe, safeJson } from './text.ts';

export interface PrintSettings extends Omit<DiagnosticSettings, 'json'> {
  format: Format;
  /** False for the default format: then a query implies JSON. */
  formatGiven: boolean;
  query?: string | undefined;
}

/** How the result of one command is seen. */
export interface View<T> {
  /** The items that `jsonl` and `csv` have a line for; else the elements of an array, or the body itself. */
  items?(body: T): unknown[];
  /** What `record` shows of what was booked, in place of the body. */
  record?(): Promise<unknown>;
  /** `json` has it on one line: it is one of many results that come one by one, or a document for programs. */
  streamed?: boolean;
  /** What `--quiet` shows, a line each. */
  essential(body: T): (string | number | undefined)[];
  table(body: T, look: Look): string | Promise<string>;
}

export interface Printer extends Diagnostics {
  /** The format in force, the query considered; `record` is JSON. */
  readonly format: Exclude<Format, 'record'>;
  /** True if stderr is JSON lines. */
  readonly json: boolean;
  /** Refuses a bad `--query`; to be called before anything is sent. */
  check(): Promise<void>;
  /** Shows the result of a command in the selected format. */
  result<T>(body: T, view: View<T>): Promise<void>;
  /** Puts text of our own (a script, a template, help) on stdout as it is. */
  plain(text: string): Promise<void>;
}

export function createPrinter(host: Streams, settings: PrintSettings): Printer {
  const { query, quiet, strict, color } = settings;
  const asRecord = settings.format === 'record';
  const given = settings.format === 'record' ? 'json' : settings.format;
  const format = query !== undefined && !settings.formatGiven ? 'json' : given;
  const json = format === 'json' || format === 'jsonl';
  const diagnostics = createDiagnostics(host, { json, quiet, strict, color });

  async function plain(text: string): Promise<void> {
    if (text === '') return;
    await diagnostics.progress('');
    try {
      await host.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
      // step: shown
    } catch (error) {
      const message = `The command did its work, but its result could not be written to stdout: ${messageOf(error)}`;
      throw new Failure('storage', message, {}, { cause: error });
    }
  }

  async function shown<T>(body: T, view: View<T>): Promise<string> {
    const indent = view.streamed ? undefined : 2;
    const record = asRecord ? await view.record?.() : undefined;
    if (query !== undefined) {
      const { compileQuery, hintForNothing } = await import('./query.ts');
      const found = (await compileQuery(query))(record ?? body);
      const hint = !view.streamed && isNothing(found) && hintForNothing(query);
      if (hint) await diagnostics.note(`--query found nothing. ${hint}`);
      return generic(found, indent);
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
    switch (format) {
      case 'json':
        return lines([safeJson(value, indent)]);
      case 'jsonl':
        return lines(items.map(item => safeJson(item)));
      case 'csv':
        return (await import('./csv.ts')).toCsv(items);
      case 'text':
        return lines((await import('./text.ts')).textLines(value));
      case 'table':
        return closed(
          await (await import('./table.ts')).anyTable(await lookOf(host, 'stdout', color), value),
        );
    }
  }

  return {
    ...diagnostics,
    format,
    json,
    check: async () => {
      if (query !== undefined) await (await import('./query.ts')).compileQuery(query);
    },
    async result(body, view) {
      try {
        await plain(await shown(body, view));
      } catch (error) {
        const known = error instanceof RangeError ? tooLarge(error) : error;
        if (!(known instanceof Failure)) throw known;
        // A secret that the service gives only once must not be lost because it cannot be shown.
        const words = essentialWords(body, view).join(' ');
        const message = words === '' || words.length > 200 ? known.message : `${known.message} (${words})`;
        throw new Failure(
          known.code,
          message,
          { ...known.facts, ...(known === error && { body }) },
          { cause: error },
        );
      }
    },
    plain,
  };
}

/** JSON may be read in any depth, and not be written again. */
const tooLarge = (error: RangeError): Failure =>
  new Failure(
    'partial',
    'The command did its work, but its result cannot be shown, because it is nested too deeply or too large',
    {},
    { cause: error },
  );

const isNothing = (found: unknown): boolean => found === null || (Array.isArray(found) && found.length === 0);

const lines = (list: readonly string[]): string => list.map(line => `${line}\n`).join('');

const closed = (text: string): string => lines(text === '' ? [] : [text.replace(/\n+$/, '')]);

const essentialWords = <T>(body: T, view: View<T>): string[] =>
  view.essential(body).flatMap(value => (value === undefined || value === '' ? [] : safe(String(value))));
