// Every output of every command that a test runs is held against its schema, and may have no field that is not in it.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { type ErrorLine, OUTPUTS, type OutputName } from '../../src/output/schemas.ts';
import { commandText } from '../../src/text.ts';

type LineError = ErrorLine['error'];

// What zod writes allows no further fields and no further words; what is published does. Formats have patterns, too.
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<OutputName, ValidateFunction>();

/** What is wrong with an output, as text; empty if nothing is. */
export function faultsOf(name: OutputName, value: unknown): string {
  const validate = validators.get(name) ?? ajv.compile(z.toJSONSchema(OUTPUTS[name].schema));
  validators.set(name, validate);
  return validate(value) ? '' : `${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`;
}

export const holdsTo = (name: OutputName, value: unknown): void => expect(faultsOf(name, value)).toBe('');

/** Each line of a file or a stream of JSON lines. */
export const valuesIn = (text: string): unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

interface Ran {
  exitCode: number;
  words: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  stdout: string;
  stderr: string;
  folder: string;
  /** Those of `resultsIn` before the command ran. */
  before: ReadonlyMap<string, number>;
}

export function checkOutputs({ exitCode, words, env, stdout, stderr, folder, before }: Ran): void {
  // A script, or an agent, obeys a message to the letter: none names what books the same order again.
  if (!words.includes('resolve')) expect(stderr).not.toMatch(/--not-created/);
  if (!words.some(word => word.startsWith('--allow-dup'))) expect(stderr).not.toMatch(/--allow-duplicate/);
  for (const line of stderr.split('\n'))
    for (const name of ['booking', 'error'] as const)
      if (line.startsWith(`{"${name}":`)) {
        holdsTo(name, JSON.parse(line));
        if (name === 'error') checkNext(JSON.parse(line).error);
      }
  checkResult(words, stdout);
  const named = optionIn(words, '--log') ?? env.WAYBILL_LOG;
  const log = named === undefined ? undefined : pathOf(named, folder);
  for (const [path, file] of resultsIn(words, folder))
    if (before.get(path) !== file && path !== log)
      for (const line of valuesIn(readFileSync(path, 'utf8'))) holdsTo('results', line);
  // What is refused may be another file of that name.
  if (log !== undefined && exitCode !== 10 && !stderr.includes('--log cannot be'))
    for (const line of valuesIn(readIfThere(log))) holdsTo('log', line);
}

/** Each command that helps is one that the message names; it books no shipment, and neither accepts nor settles. */
function checkNext({ message, issues, exitCode, created, retry, next }: LineError): void {
  const told = [message, ...issues.map(issue => issue.message)].join('\n');
  for (const words of next) {
    expect(words.join(' ')).toMatch(
      /^waybill (history (show|list|handover --again|export .*--again)|label|papers|track|profile whoami)/,
    );
    expect(told).toContain(commandText(words));
  }
  // A shipment whose label is unknown exists.
  if (exitCode === 8) expect([created === false, retry]).toEqual([false, 'never']);
}

function checkResult(words: readonly string[], stdout: string): void {
  if (!/^[{[]/.test(stdout) || optionIn(words, '--query') !== undefined) return;
  const [first = '', second = ''] = words.filter(word => !word.startsWith('-'));
  if (
    words.includes('record') &&
    ['ship', 'ship-dual', 'label'].includes(first) &&
    !words.includes('--dry-run')
  )
    holdsTo('booking', JSON.parse(stdout));
  if (first === 'batch' && !['template', 'map'].includes(second)) holdsTo('summary', JSON.parse(stdout));
  const isOfHistory = first === 'history' && !['import', 'backup', 'prune'].includes(second);
  const isOther = first === 'papers' || first === 'doctor';
  if (!isOfHistory && !isOther) return;
  const own = (['summary', 'check', 'handover', 'export', 'reconcile', 'move'] as const).find(
    one => one === second,
  );
  const name = isOther ? first : own === undefined ? 'history' : (`history-${own}` as const);
  for (const value of /^\[\n|^\{\n/.test(stdout) ? [JSON.parse(stdout)] : valuesIn(stdout))
    if (!('notCreated' in value)) holdsTo(name, value);
}

/** The results files of a batch, by path, with the number by which the system knows each of them. */
export function resultsIn(words: readonly string[], folder: string): Map<string, number> {
  if (!words.includes('batch')) return new Map();
  const named = optionIn(words, '--results');
  const paths = [
    ...readdirSync(folder).filter(name => /\.(results|label|track|quote|rates)\.jsonl$/.test(name)),
    ...(named?.endsWith('.jsonl') ? [named] : []),
  ].map(name => pathOf(name, folder));
  return new Map(
    paths.flatMap(path => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [[path, found.ino] as const] : [];
    }),
  );
}

const pathOf = (name: string, folder: string): string => (isAbsolute(name) ? name : join(folder, name));

const readIfThere = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : '';

/** The value of an option on a command line. */
function optionIn(words: readonly string[], option: string): string | undefined {
  const at = words.findIndex(word => word === option || word.startsWith(`${option}=`));
  return at < 0 ? undefined : words[at] === option ? words[at + 1] : words[at]?.slice(option.length + 1);
}
