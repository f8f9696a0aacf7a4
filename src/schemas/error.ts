import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';
import { FAILURES, type FailureCode } from '../errors.ts';
import { maybe } from './maybe.ts';

const issue = z.object({
  path: about('The field, such as items[0].hsCode; empty for the whole', z.string()),
  message: about('What is wrong, what was given, and what is allowed', z.string()),
  suggestion: z.exactOptional(about('What was probably meant', z.string())),
});

export const error = z.object({
  code: about('What went wrong; codes may be added', z.enum(Object.keys(FAILURES) as [FailureCode])),
  exitCode: about('The exit code of the command, or of this record or id', z.int()),
  message: about('For people; its words may change', z.string()),
  operation: maybe('The operation that failed', z.string()),
  httpStatus: maybe('The status of the answer', z.int()),
  issues: about('Each problem of the input', z.array(issue)),
  booking: maybe('The id in the journal of the booking that failed', z.string()),
  body: about('The answer of the service as received, or null', z.unknown()),
  retry: z.exactOptional(about('The same command may succeed later', z.literal('later'))),
  retryAt: z.exactOptional(about('From when on, in UTC', z.string())),
});

/** The last line on stderr of a command that fails. */
export const errorLine = z.object({ error });
export type ErrorLine = z.infer<typeof errorLine>;
