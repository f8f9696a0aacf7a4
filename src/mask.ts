// How a secret looks where it is not shown.
import { isRecord } from './contract/paths.ts';

export const MASK = '••••';

/** A copy of a JSON value with `mask` in place of the fields that `isSecret` names; `text` changes all other text. */
export function maskFields(
  value: unknown,
  isSecret: (name: string, value: unknown) => boolean,
  mask = MASK,
  text = (given: string) => given,
): unknown {
  const masked = (inner: unknown) => maskFields(inner, isSecret, mask, text);
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map(masked);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecret(name, inner) ? mask : masked(inner)]),
  );
}
