import { type Field, fieldAt, fieldsOf } from '../../contract/fields.ts';
import type { Schema } from '../../contract/operation.ts';
import { getAt, isRecord, type Path, parsePath, pathsOf, setAt } from '../../contract/paths.ts';
import { layer, typed } from '../../order/build.ts';
import { complete } from '../../order/complete.ts';
import type { AskedField, AskedFields, Form, FormContext, FormState } from './form.ts';

// Paths such as `packages[1].weight`: what the body holds there, and how it is changed.

export const patternOf = (path: string): string => path.replace(/\[\d+\]/g, '[]');

export const pathOf = (written: string): Path => parsePath(written) ?? [];

export const fieldIn = (schema: Schema, path: string): Field | undefined => fieldAt(schema, pathOf(path));

export const askedAt = (fields: AskedFields, path: string): AskedField => fields[patternOf(path)] ?? {};

/** The likely value of a field. */
export function suggestionAt({ schema, fields }: Form, path: string, body: unknown): string | undefined {
  const { derived, usual } = askedAt(fields, path);
  return derived?.(path, body) ?? usual ?? fieldIn(schema, path)?.assumed;
}

/** The request so far: profile, flags, file and answers. */
export const currentBody = ({ form, defaults }: FormContext, { body }: FormState): unknown =>
  complete(form.schema, layer(defaults, body));

/** The value at a path, unless it is only assumed. */
export const givenValue = ({ defaults }: FormContext, { body }: FormState, path: string): unknown =>
  getAt(layer(defaults, body), path);

/** The state with a value at the path; `undefined` removes the value. */
export function setValue(context: FormContext, state: FormState, path: string, value: unknown): FormState {
  const [top, ...inner] = pathOf(path);
  const { body } = state;
  // The empty path is the whole request: the value gives some of its fields.
  if (top === undefined) return { ...state, body: layer(body, value) };
  // An entered party or list replaces the profile's, so the rest of the profile's is copied.
  const whole =
    inner.length > 0 && getAt(body, [top]) === undefined
      ? setAt(body, [top], getAt(context.defaults, [top]))
      : body;
  return {
    ...state,
    body: (value === undefined ? removeAt(whole, pathOf(path)) : setAt(whole, pathOf(path), value)) ?? {},
    settled: state.settled.filter(other => other !== path),
    refused: state.refused.filter(issue => issue.path !== path && !issue.path.startsWith(`${path}.`)),
  };
}

/** The same. A derived field that still has its old suggestion follows: it gets the new one. */
export function changeValue(context: FormContext, state: FormState, path: string, value: unknown): FormState {
  const { form } = context;
  const before = currentBody(context, state);
  const next = setValue(context, state, path, value);
  // A removed element moves the others up: nothing changes in them.
  const inElements = path.endsWith(']') ? `${patternOf(path)}.` : undefined;
  return Object.entries(form.fields)
    .flatMap(([pattern, { derived }]) => (derived ? [pattern] : []))
    .filter(pattern => inElements === undefined || !pattern.startsWith(inElements))
    .flatMap(pattern => pathsOf(pattern, currentBody(context, next)))
    .reduce((changed, other) => {
      const old = suggestionAt(form, other, before);
      const isSuggestion =
        other !== path && old !== undefined && String(givenValue(context, changed, other)) === old;
      const now = isSuggestion ? suggestionAt(form, other, currentBody(context, changed)) : undefined;
      if (now === undefined || now === old) return changed;
      return setValue(context, changed, other, typed(fieldIn(form.schema, other), now));
    }, next);
}

/** With what follows from the answers so far: the dialling code of a country. */
export const withFollowing = (context: FormContext, state: FormState): FormState =>
  Object.entries(context.form.fields).reduce((changed, [path, { derived, follows }]) => {
    const value = follows && derived?.(path, currentBody(context, changed));
    const isOpen = value !== undefined && givenValue(context, changed, path) === undefined;
    return isOpen ? setValue(context, changed, path, value) : changed;
  }, state);

/** A copy without the value at the path, and without objects and lists that this leaves empty. */
function removeAt(target: unknown, [part, ...rest]: Path): unknown {
  if (part === undefined) return undefined;
  if (Array.isArray(target)) {
    const inner = removeAt(target[Number(part)], rest);
    const others = inner === undefined ? target.toSpliced(Number(part), 1) : target.with(Number(part), inner);
    return others.length === 0 ? undefined : others;
  }
  if (!isRecord(target)) return target;
  const { [part]: old, ...others } = target;
  const inner = old === undefined ? undefined : removeAt(old, rest);
  if (inner !== undefined) return { ...target, [part]: inner };
  return Object.keys(others).length === 0 ? undefined : others;
}

/** What to ask for a missing value: a field itself, the required fields of an object or of a list's first element. */
export function requiredFieldsUnder(schema: Schema, path: string): string[] {
  if (path === '') return [''];
  const field = fieldIn(schema, path);
  if (field?.kind === 'list') return requiredFieldsUnder(schema, `${path}[0]`);
  if (field !== undefined && field.kind !== 'object') return [path];
  const pattern = patternOf(path);
  const inside = fieldsOf(schema).filter(({ pattern: other }) => other.startsWith(`${pattern}.`));
  const optional = inside.filter(({ required }) => !required).map(({ pattern: other }) => other);
  return inside
    .filter(({ kind, pattern: other }) => kind !== 'object' && !optional.some(one => isWithin(other, one)))
    .map(({ pattern: other }) => path + other.slice(pattern.length));
}

export const isWithin = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);

/** `packages[1].weight` -> `packages` and 1. */
export function listElementOf(path: string): { list: string; index: number; element: string } | undefined {
  const [element, list, index] = /^(.+?)\[(\d+)\]/.exec(path) ?? [];
  return element && list ? { list, index: Number(index), element } : undefined;
}
