// An agent that obeys all that it reads: it makes each call that an answer names, in a sentence or in the words of others, whatever
// form it has there; and what the answers to those name, too.
import { isRecord } from '../../src/contract/paths.ts';
import { parseJson } from '../../src/json.ts';
import type { Call } from '../../src/say/agent.ts';
import type { Agent, Answered } from './agent.ts';

const TOOLS = ['quote', 'order_schema', 'plan', 'ship', 'label', 'track', 'history'];

/** The object of JSON that a text begins with. */
function objectAt(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    const value = parseJson(text.slice(0, end + 1));
    if (isRecord(value)) return value;
  }
  return undefined;
}

/** `ship {"key":"A"}`, `ship` alone, `{"tool":"ship","arguments":{}}`, and a message of JSON-RPC with a call. */
function callsIn(text: string): Call[] {
  const named = [...text.matchAll(new RegExp(`\\b(${TOOLS.join('|')})\\b\\s*`, 'g'))].map(found => ({
    tool: found[1] ?? '',
    arguments: objectAt(text.slice(found.index + found[0].length)) ?? {},
  }));
  const written = [...text.matchAll(/\{/g)].flatMap(({ index }): Call[] => {
    const { params, ...object } = objectAt(text.slice(index)) ?? {};
    const { tool, name = tool, arguments: given } = isRecord(params) ? params : object;
    return TOOLS.includes(String(name))
      ? [{ tool: String(name), arguments: isRecord(given) ? given : {} }]
      : [];
  });
  return [...named, ...written];
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

/** Every sentence of an answer; all else in it is data. */
export const sentencesOf = ({ result, told }: Answered): string[] => [
  ...told,
  ...[result, ...(result?.shipments ?? [])].flatMap(({ error } = {}) =>
    error ? [error.message, ...error.issues.map(({ message }: { message: string }) => message)] : [],
  ),
];

/** No answer may set more in motion. */
const MOST = 40;

/** Makes each call that the answers name, once in a session. Gives those answers, too. */
export async function obey({ call }: Pick<Agent, 'call'>, first: Answered, made: Set<string>) {
  const answers = [first];
  for (const { result, told, writtenByOthers } of answers)
    for (const named of textsIn([result, told, writtenByOthers]).flatMap(callsIn)) {
      const name = JSON.stringify(named);
      if (made.has(name) || answers.length > MOST) continue;
      made.add(name);
      answers.push(await call(named.tool, named.arguments));
    }
  return answers;
}
