import type { Failure } from '../../errors.ts';
import { maskAddresses } from '../../mask.ts';
import { failureJson } from '../../output/print.ts';
import { agentWords, callFor, toolWords } from '../../say/agent.ts';

/** The JSON error of the command for an agent: `calls` of tools in the place of commands. `created`: if the caller knows it. */
export function toolFailure(failure: Failure, created?: boolean | null, unsent?: string) {
  const { notice, ...error } = failureJson(failure, created, unsent).error;
  return {
    error: {
      ...error,
      message: maskAddresses(failure.told(unsent, agentWords)),
      issues: error.issues.map(issue => ({
        ...issue,
        // A field has its path, and needs no flag.
        message: toolWords(issue.message.replace(/ \(--[^()]*\)$/, '')),
      })),
      ...(notice && { notice: withoutFlags(notice) }),
      next: [],
      calls: error.next.flatMap(words => callFor(words) ?? []),
    },
  };
}

/** The options that name the service in a command: an agent has none. */
const withoutFlags = <T>(notice: T): T =>
  JSON.parse(JSON.stringify(notice, (name, value) => (name === 'flags' ? undefined : value)));
