// A table of promises: what the command line, its outputs and its exit codes are promised to be, a row for each sentence that a
// machine can check. A row is one command line after others, in a folder and beside an emulator of its own.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran, type Rig, type RigOptions, type RunOptions } from '../rig/command.ts';
import { titled } from '../rig/needs.ts';
import { bodyOf, errorOf, sent } from '../rig/service.ts';

/** Texts or patterns that must be there, each of them. */
type Seen = string | RegExp | readonly (string | RegExp)[];

/** A command line, with what it is given beside its words. */
export type Line = string | string[] | ({ line: string | string[]; exit?: number } & RunOptions);

/** What happens before: a command line, ms that pass, or files that are written in the folder. */
type Step = Line | { later: number } | { write: Record<string, unknown> };

export interface Promised extends RunOptions {
  /** The sentence, as a user would say it. */
  says: string;
  /** How the rig begins: files, environment, emulator, journal. Or a function that makes one, such as that of a profile. */
  rig?: RigOptions | (() => Promise<Rig>);
  /** What happens before it. Each command line must end with 0, or with its `exit`. */
  after?: readonly Step[];
  run: string | string[];
  /** 0, unless it is said. */
  exit?: number;
  stdout?: Seen;
  stderr?: Seen;
  /** What neither output may contain. */
  lacks?: Seen;
  /** Part of stdout, read as JSON; a text is a whole stdout. */
  json?: unknown;
  /** Part of the error object, the last line of stderr with `--json`. */
  error?: Record<string, unknown>;
  /** `POST /v1/shipments` for each request of the last command. */
  sent?: readonly string[];
  /** Part of the body of the last request. */
  body?: unknown;
  /** Files of the folder that must be there afterwards, and what each contains; null: is not there. */
  files?: Record<string, Seen | null>;
  /** Names of the files that the print command got, in their order. */
  printed?: readonly string[];
  /** What this machine lacks for it: it is skipped. */
  lacking?: string | undefined;
  /** What the other fields cannot say. */
  also?(ran: Ran, rig: Rig): void | Promise<void>;
}

const list = (seen: Seen): readonly (string | RegExp)[] =>
  typeof seen === 'string' || seen instanceof RegExp ? [seen] : seen;

const contains = (text: string, seen: Seen) => {
  for (const part of list(seen))
    if (typeof part === 'string') expect(text).toContain(part);
    else expect(text).toMatch(part);
};

async function happens(rig: Rig, step: Step): Promise<void> {
  if (typeof step === 'string' || Array.isArray(step)) return happens(rig, { line: step });
  if ('later' in step) return rig.later(step.later);
  if ('write' in step) {
    for (const [name, content] of Object.entries(step.write)) rig.file(name, content);
    return;
  }
  const { line, exit = 0, ...given } = step;
  const { exitCode, stderr } = await rig.run(line, given);
  expect({ line, exitCode, stderr }).toMatchObject({ exitCode: exit });
}

async function hold({
  says: _,
  lacking: __,
  rig: begin = {},
  after = [],
  run,
  ...row
}: Promised): Promise<void> {
  const {
    exit = 0,
    stdout,
    stderr,
    lacks,
    json,
    error,
    sent: requests,
    body,
    files = {},
    printed,
    also,
    ...options
  } = row;
  const rig = typeof begin === 'function' ? await begin() : await createRig(begin);
  for (const step of after) await happens(rig, step);
  const ran = await rig.run(run, options);
  expect({ exit: ran.exitCode, stderr: ran.stderr }).toMatchObject({ exit });
  if (stdout !== undefined) contains(ran.stdout, stdout);
  if (stderr !== undefined) contains(ran.stderr, stderr);
  for (const part of list(lacks ?? []))
    for (const text of [ran.stdout, ran.stderr])
      if (typeof part === 'string') expect(text).not.toContain(part);
      else expect(text).not.toMatch(part);
  if (json !== undefined) expect(JSON.parse(ran.stdout)).toMatchObject(json as object);
  if (error) expect(errorOf(ran)).toMatchObject(error);
  if (requests) expect(sent(ran)).toEqual(requests);
  if (body !== undefined) expect(bodyOf(ran)).toMatchObject(body as object);
  for (const [name, seen] of Object.entries(files)) {
    const path = join(rig.folder, name);
    expect([name, existsSync(path)]).toEqual([name, seen !== null]);
    if (seen !== null) contains(readFileSync(path, 'latin1'), seen);
  }
  if (printed) expect(ran.programs.map(words => basename(words.at(-1) ?? ''))).toEqual(printed);
  await also?.(ran, rig);
}

/** The promises of one section, each a test with its sentence and its line as the name. */
export function promises(section: string, rows: readonly Promised[]): void {
  describe(section, () => {
    for (const row of rows) {
      const name = `${row.says}: ${[row.run].flat().join(' ').slice(0, 200)}`;
      test.skipIf(row.lacking !== undefined)(titled(name, row.lacking), () => hold(row));
    }
  });
}

type Some = Partial<Promised>;
type Says = Pick<Promised, 'says'>;
type Runs = Pick<Promised, 'run'>;

/** A row for each line, for what holds for all of them: a sentence, how they begin, what they run, what they end with. */
export function each(common: Some & Says & Runs, rows: readonly Some[]): Promised[];
export function each(common: Some & Says, rows: readonly (string | (Some & Runs))[]): Promised[];
export function each(common: Some & Runs, rows: readonly (Some & Says)[]): Promised[];
export function each(common: Some, rows: readonly (Some & Says & Runs)[]): Promised[];
export function each(common: Some, rows: readonly (string | Some)[]): Promised[] {
  return rows.map(row => ({ ...common, ...(typeof row === 'string' ? { run: row } : row) }) as Promised);
}
