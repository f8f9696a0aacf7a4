import * as z from 'zod/mini';
import { COUNTRIES } from './countries.ts';

// The kinds of fields that the service document uses. Each takes the description that help and OpenAPI show.

/**
 * Gives a schema its description. It is registered and not a check, because a check copies the schema, and every
 * command makes all schemas when it starts.
 */
export function about<T extends z.ZodMiniType>(description: string, schema: T): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** Required text, which must not be blank. */
export const text = (description: string) => about(description, z.string().check(z.regex(/\S/)));

/** Required text that may be blank. */
export const anyText = (description: string) => about(description, z.string());

/** Optional text: may be blank. */
export const note = (description: string) => z.optional(anyText(description));

/** A finite number that is not negative. */
export const amount = (description: string) => about(description, z.number().check(z.nonnegative()));

export const anyNumber = (description: string) => about(description, z.number());

export const flag = (description: string) => about(description, z.boolean());

/** ISO 3166-1 alpha-2, upper case. Not an enumeration of zod: that takes 0.7 ms to make, and this 0.1. */
export const country = (description: string) =>
  z
    .string()
    .check(z.refine(code => COUNTRIES.has(code)))
    .register(z.globalRegistry, { description, 'x-kind': 'country', enum: [...COUNTRIES] });

/** One of the values, each with the description of the document (empty if it has none). */
export const oneOf = <T extends string>(description: string, values: Readonly<Record<T, string>>) =>
  z.enum(Object.keys(values) as [T, ...T[]]).register(z.globalRegistry, { description, 'x-values': values });

/** A list of a request, which must not be empty. */
export const listOf = <T extends z.ZodMiniType>(description: string, element: T) =>
  about(description, z.array(element).check(z.minLength(1)));

/** A list of an answer, which may be empty. */
export const anyList = <T extends z.ZodMiniType>(description: string, element: T) =>
  about(description, z.array(element));

/** A body of a request: unknown fields are issues. */
export const strict = z.strictObject;

/** A body of an answer: it may have fields that the document does not name. */
export const loose = z.looseObject;

export type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** An object in a request. */
export const part = <T extends Fields>(description: string, fields: T) => about(description, strict(fields));

/** An object in an answer. */
export const anyPart = <T extends Fields>(description: string, fields: T) =>
  about(description, loose(fields));

export const timestamp = (description: string) => about(description, z.iso.datetime({ offset: true }));

export const optional = z.optional;
