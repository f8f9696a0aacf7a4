// Command lines for people to type: the same request again, or the next step.
import { typedName } from '../contract/operations.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { OPTION_SETTINGS } from '../profile/settings.ts';
import type { TargetFlags } from '../profile/target.ts';
import { shellWord } from '../text.ts';
import type { RequestKind, RequestParts } from './build.ts';
import { type FlaggedField, flagName, plainFields } from './options.ts';
import type { Sources } from './order.ts';

/** The flags that name the same service, as arguments. */
export function targetFlags({ globals }: { globals: TargetFlags }): string[] {
  const { profile, sandbox } = globals;
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(sandbox === undefined ? [] : [sandbox ? '--sandbox' : '--no-sandbox']),
  ];
}

/** The command with its options that say nothing of the body, and with `more`. */
export const commandLine = (sources: Sources, parts: RequestParts, more: readonly string[]): string =>
  [
    `waybill ${typedName(parts.operation)}`,
    ...more,
    ...Object.entries(parts.otherOptions).flatMap(([name, value]) => optionWords(name, value)),
    ...targetFlags(sources).map(shellWord),
  ].join(' ');

/** An option as it is typed, from its name in code; no words if it is not given. */
export function optionWords(name: string, value: unknown): string[] {
  const flag = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
  if (value === false && OPTION_SETTINGS.some(one => one === name)) return [flag.replace('--', '--no-')];
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  if (Array.isArray(value)) return value.flatMap(one => optionWords(name, one));
  // A price: an amount with its currency.
  const text = isRecord(value) ? `${value.amount}${value.currency}` : String(value);
  return [`${flag} ${shellWord(text)}`];
}

/** The flags that give this body; `undefined` if flags cannot give all of it. */
export function bodyFlags({ operation }: RequestKind, body: unknown): string[] | undefined {
  const fields = plainFields(operation);
  const words = leaves(body, []).map(([path, value]) => wordsFor(fields, path, value));
  return words.every(word => word !== undefined) ? words : undefined;
}

const wordsFor = (fields: readonly FlaggedField[], path: string, value: unknown): string | undefined => {
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

/** Scalars and elements of lists, with their paths: a flag gives one of them. */
function leaves(value: unknown, path: readonly string[]): [string, unknown][] {
  if (Array.isArray(value))
    return value.map((entry, index): [string, unknown] => [`${path.join('.')}[${index}]`, entry]);
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
  return [[path.join('.'), value]];
}

/** A package, in any of the three shapes, as a SPEC: `2x1.5kg@30x20x10cm`. */
export function specOf(entry: unknown): string | undefined {
  const first = (...paths: string[]) =>
    paths.map(path => getAt(entry, path)).find(value => value !== undefined);
  const sides = [
    first('dimensions.length', 'lengthCm'),
    first('dimensions.width', 'width'),
    first('dimensions.height', 'height'),
  ];
  const numbers = [first('quantity', 'piece'), first('weight', 'pieceWeight'), ...sides];
  const unit = first('dimensions.unit') ?? 'cm';
  if (unit !== 'cm' || !numbers.every(number => /^\d+(\.\d+)?$/.test(String(number)))) return undefined;
  return `${numbers[0]}x${numbers[1]}kg@${sides.join('x')}cm`;
}
