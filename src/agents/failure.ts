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
  /** What the call did not send. */
  unsent?: string | undefined;
  causes?: readonly Cause[];
}

/**
 * `calls` of tools stand in place of commands. There is no `notice`: its data have commands and options of a person. What the
 * service finds wrong is in its own words: `body` has them. Warnings that were made errors stand beside the error.
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

/** What is told beside an answer, as the lines on stderr of the command have it. */
export function toldBeside(word: 'warning' | 'note', message: Message) {
  const agent = agentReader();
  return { [word]: maskAddresses(wordsFor(agent, message)), ...besideSentences(agent) };
}

/** What others wrote, where a sentence has its number. */
const besideSentences = (agent: AgentReader) =>
  agent.writtenByOthers.length > 0
    ? { writtenByOthers: agent.writtenByOthers.map(text => maskAddresses(text)) }
    : {};
