import * as z from 'zod/mini';
import { COUNTRIES } from './countries.ts';

// The kinds of fields that the service document uses. Each takes the description that help and OpenAPI show, and what else is
// known of the field.

/** What a text is, where the service document allows any: a form, completion and warnings know more of it. */
export type Meaning =
  | 'country'
  | 'currency'
  | 'dialling code'
  | 'phone number'
  | 'postal code'
  | 'e-mail address'
  | 'short address'
  | 'HS code'
  | 'IOSS number';

/** What is known of a field beyond its type and its description. */
export interface FieldFacts {
  means?: Meaning;
  /** Of a postal code: where its country is, from the object that it is in. */
  countryAt?: string;
  /** A value of a real shipment; the second is that of a receiver. */
  sample?: string | number | readonly [string, string];
  /** What it is if it is left out. */
  assumed?: string;
  /**
   * The flag that gives it. With a placeholder, `--from <cc>`, the option is made of it; a command makes the others itself,
   * because they give more than one field.
   */
  flag?: string;
  /** The heading of that option in help. */
  group?: string;
  /** The setting of a profile that gives it. */
  setting?: 'type' | 'category' | 'deliveryType' | 'currency' | 'carrier' | 'label';
  /** Is it probably the same for all orders of a shop? */
  isOfShop?: boolean;
}

const known = new WeakMap<z.ZodMiniType, FieldFacts>();

export const fieldFacts = (schema: z.ZodMiniType): FieldFacts => known.get(schema) ?? {};

/**
 * Gives a schema its description. It is registered and not a check, because a check copies the schema, and every
 * command makes all schemas when it starts.
 */
export function about<T extends z.ZodMiniType>(description: string, schema: T, facts?: FieldFacts): T {
  z.globalRegistry.add(schema, { description });
  if (facts) known.set(schema, facts);
  return schema;
}

/** Required text, which must not be blank. */
export const text = (description: string, facts?: FieldFacts) =>
  about(description, z.string().check(z.regex(/\S/)), facts);

/** Required text that may be blank. */
export const anyText = (description: string, facts?: FieldFacts) => about(description, z.string(), facts);

/** Optional text: may be blank. */
export const note = (description: string, facts?: FieldFacts) => z.optional(anyText(description, facts));

/** A finite number that is not negative. */
export const amount = (description: string, facts?: FieldFacts) =>
  about(description, z.number().check(z.nonnegative()), facts);

export const anyNumber = (description: string) => about(description, z.number());

export const flag = (description: string, facts?: FieldFacts) => about(description, z.boolean(), facts);

/** ISO 3166-1 alpha-2, upper case. Not an enumeration of zod: that takes 0.7 ms to make, and this 0.1. */
export function country(description: string, facts?: FieldFacts) {
  const schema = z.string().check(z.refine(code => COUNTRIES.has(code)));
  return about(description, schema, facts).register(z.globalRegistry, {
    description,
    'x-kind': 'country',
    enum: [...COUNTRIES],
  });
}

/** One of the values, each with the description of the document (empty if it has none). */
export const oneOf = <T extends string>(
  description: string,
  values: Readonly<Record<T, string>>,
  facts?: FieldFacts,
) =>
  about(description, z.enum(Object.keys(values) as [T, ...T[]]), facts).register(z.globalRegistry, {
    description,
    'x-values': values,
  });

/** A list of a request, which must not be empty. */
export const listOf = <T extends z.ZodMiniType>(description: string, element: T, facts?: FieldFacts) =>
  about(description, z.array(element).check(z.minLength(1)), facts);

/** A list of an answer, which may be empty. */
export const anyList = <T extends z.ZodMiniType>(description: string, element: T) =>
  about(description, z.array(element));

export type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** The fields of an object; a function is called when they are first read. A command reads few of the objects that there are. */
type FieldsOf<T extends Fields> = T | (() => T);

function objectOf<T extends Fields, Others extends z.core.$ZodObjectConfig>(
  fields: FieldsOf<T>,
  catchall: z.ZodMiniType,
) {
  let made: T | undefined;
  const object = new z.ZodMiniObject({
    type: 'object',
    catchall,
    get shape() {
      made ??= typeof fields === 'function' ? fields() : fields;
      return made;
    },
  });
  return object as z.ZodMiniObject<T, Others>;
}

/** A body of a request: unknown fields are issues. */
export const strict = <T extends Fields>(fields: FieldsOf<T>) =>
  objectOf<T, z.core.$strict>(fields, z.never());

/** A body of an answer: it may have fields that the document does not name. */
export const loose = <T extends Fields>(fields: FieldsOf<T>) =>
  objectOf<T, z.core.$loose>(fields, z.unknown());

/** An object in a request. */
export const part = <T extends Fields>(description: string, fields: FieldsOf<T>, facts?: FieldFacts) =>
  about(description, strict(fields), facts);

/** An object in an answer. */
export const anyPart = <T extends Fields>(description: string, fields: FieldsOf<T>) =>
  about(description, loose(fields));

export const timestamp = (description: string) => about(description, z.iso.datetime({ offset: true }));

export const optional = z.optional;
