import type { Failure } from '../../errors.ts';
import { maskAddresses } from '../../mask.ts';
import { failureJson } from '../../output/print.ts';
import { agentWords, callFor, toolWords } from '../../say/agent.ts';

/**
 * The JSON error of the command for an agent: `calls` of tools in the place of commands, and no `notice`, whose data have commands and
 * options of a person. `created`: if the caller knows it.
 */
export function toolFailure(failure: Failure, created?: boolean | null, unsent?: string) {
  const { notice: _, ...error } = failureJson(failure, created, unsent).error;
  return {
    error: {
      ...error,
      message: maskAddresses(failure.told(unsent, agentWords)),
      issues: error.issues.map(issue => ({
        ...issue,
        // A field has its path, and needs no flag.
        message: toolWords(issue.message.replace(/ \(--[^()]*\)$/, '')),
      })),
      next: [],
      calls: error.next.flatMap(words => callFor(words) ?? []),
    },
  };
}
