import { Failure, messageOf } from '../errors.ts';
import { shortened } from '../text.ts';

type JmesPath = typeof import('@jmespath-community/jmespath');
type Node = ReturnType<JmesPath['compile']>;

/** A well-formed query; it may still not fit the value. */
export type Query = (value: unknown) => unknown;

/** Parses a JMESPath expression; a bad one is a usage failure, so do this before anything is sent. */
export async function compileQuery(expression: string): Promise<Query> {
  const jmespath = await import('@jmespath-community/jmespath');
  const node = parsed(jmespath, expression);
  checkCalls(jmespath, expression, node);
  return value => {
    try {
      const plain: Parameters<JmesPath['search']>[0] = JSON.parse(JSON.stringify(value ?? null));
      return jmespath.TreeInterpreter.search(node, plain);
    } catch (error) {
      // Not `usage`, which promises that nothing was sent: by now a request may have been sent.
      throw new Failure(
        'partial',
        `The command did its work, but its result cannot be shown, because --query '${expression}' does not fit it: ${messageOf(error)}`,
        {},
        { cause: error },
      );
    }
  };
}

function parsed(jmespath: JmesPath, expression: string): Node {
  try {
    return jmespath.compile(expression);
  } catch (error) {
    if (error instanceof RangeError) throw bad(expression, 'it is nested too deeply', error);
    const what = messageOf(error).replace(/^Syntax error[:,] /, '');
    if (expression.length > LONGEST_LOOKED_THROUGH) throw bad(expression, what, error);
    const at = faultAt(jmespath, expression);
    const where =
      at < expression.length
        ? `at character ${at + 1} (${expression.slice(at, at + 20)})`
        : 'it ends too early';
    throw bad(expression, `${what}; ${where}`, error);
  }
}

// It takes time with the square of the length.
const LONGEST_LOOKED_THROUGH = 1000;

/** The library does not say where the error is: it is after the longest part that is correct or incomplete. */
function faultAt(jmespath: JmesPath, expression: string): number {
  for (let length = expression.length; length > 0; length -= 1)
    try {
      jmespath.compile(expression.slice(0, length));
      return length;
    } catch (error) {
      if (messageOf(error).includes('EOF')) return length;
    }
  return 0;
}

/** The parser accepts any function name and number of arguments. */
function checkCalls(jmespath: JmesPath, expression: string, node: unknown): void {
  if (typeof node !== 'object' || node === null || ('type' in node && node.type === 'Literal')) return;
  if ('type' in node && node.type === 'Function' && 'name' in node && 'children' in node)
    try {
      const blanks = Array.isArray(node.children) ? node.children.map(() => null) : [];
      jmespath.TreeInterpreter.runtime.callFunction(String(node.name), blanks);
    } catch (error) {
      // A wrong type is the fault of the blanks.
      if (/^(Unknown function|Invalid arity)/.test(messageOf(error)))
        throw bad(expression, messageOf(error), error);
    }
  for (const inner of Object.values(node)) checkCalls(jmespath, expression, inner);
}

const bad = (expression: string, message: string, cause: unknown): Failure =>
  new Failure(
    'usage',
    `--query '${shortened(expression)}' is not a JMESPath expression: ${message}`,
    {},
    { cause },
  );
