// --query: JMESPath over what a command shows.
import { Failure, messageOf } from '../errors.ts';
import { shortened } from '../text.ts';

type JmesPath = typeof import('@jmespath-community/jmespath');

/** The longest expression, in UTF-8. No person writes a longer one, and a program that does has a fault. */
const MOST_BYTES = 4096;
/** Values, whatever is selected from: a short expression doubles its result with each `[@,@]`. */
const MOST_MADE = 10_000_000;

/** A well-formed query. Throws `partial` if it does not fit the value. */
type Query = (value: unknown) => unknown;

/** Parses a JMESPath expression; a bad one is a usage failure, so do this before anything is sent. */
export async function compileQuery(expression: string): Promise<Query> {
  const bytes = Buffer.byteLength(expression);
  if (bytes > MOST_BYTES)
    throw bad(expression, `it has ${bytes} bytes, but at most ${MOST_BYTES} are allowed`);
  const jmespath = await import('@jmespath-community/jmespath');
  const node = parsed(jmespath, expression);
  return value => {
    try {
      const plain: Parameters<JmesPath['search']>[0] = JSON.parse(JSON.stringify(value ?? null));
      const found = jmespath.TreeInterpreter.search(node, plain);
      checkSize(found);
      return found;
    } catch (error) {
      // Not `usage`, which promises that nothing was sent: by now a request may have been sent.
      throw new Failure(
        'partial',
        `The command did its work, but its result cannot be shown, because --query '${shortened(expression)}' does not fit it: ${error instanceof RangeError ? TOO_DEEP : messageOf(error)}`,
        {},
        { cause: error },
      );
    }
  };
}

const TOO_DEEP = 'it is nested too deeply, or its result is too large';
const SPELLING =
  "Text goes in single quotes, numbers in backticks, and == compares: \"proposals[?id == 'EXP']\", 'proposals[?price > `10`]'";

function parsed(jmespath: JmesPath, expression: string): ReturnType<JmesPath['compile']> {
  try {
    const node = jmespath.compile(expression);
    checkCalls(jmespath, expression, node);
    if (assigns(node)) throw bad(expression, `a single = does not compare. ${SPELLING}`);
    return node;
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof RangeError) throw bad(expression, TOO_DEEP, error);
    const message = messageOf(error);
    const what = message.includes('EOF') ? 'it ends too early' : message.replace(/^Syntax error[:,] /, '');
    throw bad(expression, `${what}. ${SPELLING}`, error);
  }
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

/** The parser takes `a = 'x'` for what is only in `let $a = 'x' in …`, and as a condition it would fit everything. */
function assigns(part: unknown, isInLet = false): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (Array.isArray(part)) return part.some(one => assigns(one, isInLet));
  const type = 'type' in part ? part.type : undefined;
  if (type === 'Binding' && !isInLet) return true;
  return (
    type !== 'Literal' && Object.entries(part).some(([name, inner]) => assigns(inner, name === 'bindings'))
  );
}

/** A part that is used twice counts twice, because it is shown twice. */
function checkSize(found: unknown): void {
  let made = 0;
  const count = (value: unknown): void => {
    made += 1;
    if (made > MOST_MADE) throw new Error('its result would be too large');
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) count(inner);
  };
  count(found);
}

const bad = (expression: string, message: string, cause?: unknown): Failure =>
  new Failure(
    'usage',
    `--query '${shortened(expression)}' is not a JMESPath expression: ${message}`,
    {},
    { cause },
  );

// The right side of a comparison that names a field.
const NAME = /(==|!=|<=|>=|<|>)\s*("[^"]*"|[A-Za-z_]\w*(?![\w.([]))/;

/** What was probably meant with an expression that finds nothing; empty if nobody knows. */
export const hintForNothing = (expression: string): string =>
  NAME.test(expression)
    ? `A word on the right of a comparison, bare or in double quotes, is the name of a field. ${SPELLING}`
    : '';
