import * as z from 'zod/mini';

/** Gives a schema its description. */
export function about<T extends z.ZodMiniType>(description: string, schema: T): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** `null` if it is not known. */
export const maybe = <T extends z.ZodMiniType>(description: string, schema: T) =>
  about(description, z.nullable(schema));
