import * as z from 'zod/mini';
import { COUNTRIES } from './countries.ts';

// The few kinds of field that the service document uses. Each takes the sentence that help and OpenAPI show.

/**
 * Gives a schema its sentence; wherever that schema stands, it says the same. The sentence is registered and not a
 * check, as a check copies the schema, and every command makes all of them when it starts.
 */
export function about<T extends z.ZodMiniType>(says: string, schema: T): T {
  z.globalRegistry.add(schema, { description: says });
  return schema;
}

/** Required text: a blank one is as good as none. */
export const text = (says: string) => about(says, z.string().check(z.regex(/\S/)));

/** Required text that may be blank. */
export const anyText = (says: string) => about(says, z.string());

/** Optional text: may be blank. */
export const note = (says: string) => z.optional(anyText(says));

/** A finite number that is not negative. */
export const amount = (says: string) => about(says, z.number().check(z.nonnegative()));

export const anyNumber = (says: string) => about(says, z.number());

export const flag = (says: string) => about(says, z.boolean());

/** ISO 3166-1 alpha-2, upper case. Not an enumeration of zod's: each takes 0.7 ms to make, and this 0.1. */
export const country = (says: string) =>
  z
    .string()
    .check(z.refine(code => COUNTRIES.has(code)))
    .register(z.globalRegistry, { description: says, 'x-kind': 'country', enum: [...COUNTRIES] });

/** One of the values, each with the document's explanation (empty where it gives none). */
export const oneOf = <T extends string>(says: string, values: Readonly<Record<T, string>>) =>
  z
    .enum(Object.keys(values) as [T, ...T[]])
    .register(z.globalRegistry, { description: says, 'x-values': values });

/** A list of a request, which has an element. */
export const listOf = <T extends z.ZodMiniType>(says: string, element: T) =>
  about(says, z.array(element).check(z.minLength(1)));

/** A list of an answer, which may have none. */
export const anyList = <T extends z.ZodMiniType>(says: string, element: T) => about(says, z.array(element));

/** An object of a request: unknown fields are faults. */
export const strict = z.strictObject;

/** An object of an answer: the document's lists of fields are not complete. */
export const loose = z.looseObject;

export const timestamp = (says: string) => about(says, z.iso.datetime({ offset: true }));

export const optional = z.optional;
