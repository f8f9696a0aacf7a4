// The command line that does without questions what a form does.
import { commandName, type Operation } from '../contract/operations.ts';
import { isRecord } from '../contract/paths.ts';
import {
  type FlaggedField,
  flagName,
  optionWords,
  plainFields,
  specOf,
  targetFlags,
} from '../order/options.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';

/** A whole command line: the command, `added`, the options that give no field of the body, and those that name the service. */
export const commandLine = (
  session: Session,
  parts: { operation: Operation; otherOptions: Readonly<Record<string, unknown>> },
  added: readonly string[],
): string =>
  [
    `waybill ${commandName(parts.operation)}`,
    ...added,
    ...Object.entries(parts.otherOptions).flatMap(([name, value]) => optionWords(name, value)),
    ...targetFlags(session).map(shellWord),
  ].join(' ');

/** The flags that give this body; `undefined` if flags cannot give all of it. */
export function bodyFlags(command: { operation: Operation }, body: unknown): string[] | undefined {
  const fields = plainFields(command.operation);
  const words = leaves(body, []).map(([path, value]) => flagWordsFor(fields, path, value));
  return words.every(word => word !== undefined) ? words : undefined;
}

const flagWordsFor = (fields: readonly FlaggedField[], path: string, value: unknown): string | undefined => {
  if (/^(data\.)?packages\[\d+\]$/.test(path)) {
    const spec = specOf(value);
    return spec && `--package ${spec}`;
  }
  if (/^events\[\d+\]$/.test(path)) return `--event ${shellWord(String(value))}`;
  const header = /^headers\.(.+)$/.exec(path)?.[1];
  if (header !== undefined) return `--header ${shellWord(`${header}: ${value}`)}`;
  const field = fields.find(({ pattern }) => pattern === path);
  return field && `${flagName(field.flag)} ${shellWord(String(value))}`;
};

/** The scalars and list elements of a body, with their paths: each of them is given by one flag. */
function leaves(value: unknown, path: readonly string[]): [string, unknown][] {
  if (Array.isArray(value))
    return value.map((entry, index): [string, unknown] => [`${path.join('.')}[${index}]`, entry]);
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
  return [[path.join('.'), value]];
}
