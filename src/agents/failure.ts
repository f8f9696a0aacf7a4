// A failure as an agent gets it: the JSON error of the command, in the words of tools.
import type { Failure } from '../errors.ts';
import { maskAddresses } from '../mask.ts';
import { failureJson } from '../output/print.ts';
import { type AgentReader, agentReader, callFor } from '../say/agent.ts';
import type { Message } from '../say/notices.ts';
import { wordsFor } from '../say/notices.ts';

/** One of several orders that a call names, and why it failed. */
export interface Cause {
  name: string;
  failure: Failure;
}

/** The error of a call that names several orders: an agent is told of each that failed. */
export class SeveralFailed extends Error {
  constructor(
    readonly failure: Failure,
    readonly causes: readonly Cause[],
  ) {
    super(failure.message, { cause: failure });
  }
}

interface Known {
  /** Whether what was to be booked exists, if the caller knows it. */
  created?: boolean | null | undefined;
  /** What was not sent, in words; `undefined`: it was sent, or may have been. */
  unsent?: string | undefined;
  causes?: readonly Cause[];
}

/**
 * A failure as JSON for an agent. Calls of tools (`calls`) replace commands. It has no `notice`, whose data name commands and options of a
 * person, and no issues in the words of the service, which `body` has. Warnings that were made errors stand beside it.
 */
export function toolFailure(failure: Failure, known: Known = {}) {
  const { created, unsent, causes = [] } = known;
  const agent = agentReader();
  const { notice, ...error } = failureJson(failure, created, unsent).error;
  const message = maskAddresses(failure.told(unsent, agent));
  const isOfOthers = error.body !== null || notice?.kind === 'warnings-refused';
  const issues =
    causes.length > 0
      ? causes.map(cause => ({ path: cause.name, message: cause.failure.told(undefined, agent) }))
      : isOfOthers
        ? []
        : error.issues.map(issue => ({ ...issue, message: agent.sentence(issue.message) }));
  const calls = error.next.flatMap(words => callFor(words) ?? []);
  return { error: { ...error, message, issues, next: [], calls, ...besideSentences(agent) } };
}

/** A warning or a note beside an answer: the command would write it to stderr. */
export function toldBeside(word: 'warning' | 'note', message: Message) {
  const agent = agentReader();
  return { [word]: maskAddresses(wordsFor(agent, message)), ...besideSentences(agent) };
}

/** The texts that others wrote: the sentence has their numbers in their place. */
const besideSentences = (agent: AgentReader) =>
  agent.writtenByOthers.length > 0
    ? { writtenByOthers: agent.writtenByOthers.map(text => maskAddresses(text)) }
    : {};
