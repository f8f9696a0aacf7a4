import type { Failure } from '../../errors.ts';
import { maskAddresses } from '../../mask.ts';
import { failureJson } from '../../output/print.ts';
import { AGENT, callFor, unspokenWords } from '../../say/agent.ts';

/**
 * The JSON error of the command for an agent: `calls` of tools in the place of commands, and no `notice`, whose data have commands and
 * options of a person. `created`: if the caller knows it.
 */
export function toolFailure(failure: Failure, created?: boolean | null, unsent?: string) {
  const { notice: _, ...error } = failureJson(failure, created, unsent).error;
  return {
    error: {
      ...error,
      message: maskAddresses(failure.told(unsent, AGENT)),
      issues: error.issues.map(issue => ({ ...issue, message: unspokenWords(issue.message) })),
      next: [],
      calls: error.next.flatMap(words => callFor(words) ?? []),
    },
  };
}

/** The failure of a call for several, with what an agent is told of each that failed. */
export const failureOfSeveral = (
  failure: Failure,
  several: readonly { name: string; failure: Failure | undefined }[],
): Failure =>
  failure.with({
    issues: several.flatMap(({ name, failure: cause }) =>
      cause ? { path: name, message: cause.told(undefined, AGENT) } : [],
    ),
  });
