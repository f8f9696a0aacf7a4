// The shapes of the JSON in a row of the journal. One flipped bit on a disk may leave JSON that can be parsed and is not what was
// written: it is refused where a row becomes a booking, so that nothing else meets it.
import { LEGS } from '../contract/operations.ts';
import { ID_NAMES, SETTLED_STATES } from './booking.ts';

export type Shape = (value: unknown) => boolean;

/** The end of the year 9999, in ms since 1970: a later time cannot be written as other times are. */
const LAST_TIME = 253_402_300_799_999;

/** A time, or another whole number from 0 that is no larger. */
export const isWhole: Shape = value =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_TIME;

const isText: Shape = value => typeof value === 'string';
const isFlag: Shape = value => typeof value === 'boolean';
const isOneOf =
  (texts: readonly string[]): Shape =>
  value =>
    texts.includes(value as string);
const isOptional =
  (shape: Shape): Shape =>
  value =>
    value === undefined || shape(value);
const isNullOr =
  (shape: Shape): Shape =>
  value =>
    value === null || shape(value);

export const isObject: Shape = value => typeof value === 'object' && value !== null && !Array.isArray(value);

const isListOf =
  (shape: Shape): Shape =>
  value =>
    Array.isArray(value) && value.every(shape);

/** `names`: the only ones that it may have. */
function isRecordOf(shape: Shape, names?: readonly string[]): Shape {
  return value => {
    if (!isObject(value)) return false;
    for (const [name, one] of Object.entries(value as object))
      if (!shape(one) || names?.includes(name) === false) return false;
    return true;
  };
}

/** It may have other fields, too. */
function hasFields(fields: Readonly<Record<string, Shape>>): Shape {
  const all = Object.entries(fields);
  return value =>
    isObject(value) && all.every(([name, shape]) => shape((value as Record<string, unknown>)[name]));
}

const isTextOrNull = isNullOr(isText);

export const isHolder = hasFields({
  host: isText,
  process: isWhole,
  start: isText,
  space: isOptional(isText),
  user: isOptional(isText),
  version: isOptional(isText),
});

export const isIds = isRecordOf(isText, ID_NAMES);

export const isLabels = isRecordOf(
  hasFields({ made: isFlag, trackingNumber: isOptional(isText), link: isOptional(isText) }),
  LEGS,
);

export const isMilestones = isRecordOf(isListOf(isText));

export const isFiles = isRecordOf(isText, LEGS);

export const isListing = hasFields({ number: isText, at: isWhole, by: isText, run: isTextOrNull });

export const isSettlements = isListOf(
  hasFields({
    at: isWhole,
    state: isOneOf(SETTLED_STATES),
    by: isText,
    reason: isTextOrNull,
    run: isTextOrNull,
    ids: isIds,
    evidence: isOptional(isText),
    sameAs: isOptional(isText),
    before: isOptional(
      hasFields({
        ids: isIds,
        labels: isLabels,
        overPrice: isNullOr(isFlag),
        charged: isTextOrNull,
      }),
    ),
  }),
);
