import * as z from 'zod/mini';
import { COUNTRIES } from './countries.ts';

// The few kinds of field that the service document uses. Each takes the sentence that help and OpenAPI show.

/** Required text: a blank one is as good as none. */
export const text = (says: string) => z.string().check(z.regex(/\S/), z.meta({ description: says }));

/** Required text that may be blank. */
export const anyText = (says: string) => z.string().check(z.meta({ description: says }));

/** Optional text: may be blank. */
export const note = (says: string) => z.optional(anyText(says));

/** A finite number that is not negative. */
export const amount = (says: string) => z.number().check(z.nonnegative(), z.meta({ description: says }));

export const flag = (says: string) => z.boolean().check(z.meta({ description: says }));

/** ISO 3166-1 alpha-2, upper case. Not an enumeration of zod's: each takes 0.7 ms to make, and this 0.1. */
export const country = (says: string) =>
  z.string().check(
    z.refine(code => COUNTRIES.has(code)),
    z.meta({ description: says, 'x-kind': 'country', enum: [...COUNTRIES] }),
  );

/** One of the values, each with the document's explanation (empty where it gives none). */
export const oneOf = <T extends string>(says: string, values: Readonly<Record<T, string>>) =>
  z.enum(Object.keys(values) as [T, ...T[]]).check(z.meta({ description: says, 'x-values': values }));

export const listOf = <T extends z.ZodMiniType>(says: string, element: T) =>
  z.array(element).check(z.minLength(1), z.meta({ description: says }));

/** An object of a request: unknown fields are faults. */
export const strict = z.strictObject;

/** An object of an answer: the document's lists of fields are not complete. */
export const loose = z.looseObject;

export const timestamp = (says: string) =>
  z.iso.datetime({ offset: true }).check(z.meta({ description: says }));

export const optional = z.optional;
