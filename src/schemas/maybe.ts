import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';

/** `null` if it is not known. */
export const maybe = <T extends z.ZodMiniType>(description: string, schema: T) =>
  about(description, z.nullable(schema));
