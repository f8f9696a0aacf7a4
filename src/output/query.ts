import { Failure, messageOf } from '../errors.ts';
import { shortened } from '../text.ts';
import { evaluate } from './bounded-query.ts';
import { hintForFault } from './query-hints.ts';

type JmesPath = typeof import('@jmespath-community/jmespath');
type Node = ReturnType<JmesPath['compile']>;

/** Of UTF-8. No person writes a longer one, and a program that does has a fault. */
const MOST_BYTES = 4096;
const MOST_LEVELS = 100;
const TOO_DEEP = `it is nested too deeply: at most ${MOST_LEVELS} levels are allowed`;

/** A well-formed query; it may still not fit the value. */
export type Query = (value: unknown) => unknown;

/** Parses a JMESPath expression; a bad one is a usage failure, so do this before anything is sent. */
export async function compileQuery(expression: string): Promise<Query> {
  const bytes = Buffer.byteLength(expression);
  if (bytes > MOST_BYTES)
    throw bad(expression, `it has ${bytes} bytes, but at most ${MOST_BYTES} are allowed`);
  const jmespath = await import('@jmespath-community/jmespath');
  const node = parsed(jmespath, expression);
  if (isDeeper(node, MOST_LEVELS) || bracketsIn(jmespath, expression) > MOST_LEVELS)
    throw bad(expression, TOO_DEEP);
  checkCalls(jmespath, expression, node);
  if (assigns(node)) throw bad(expression, `a single = does not compare${hintAfter(jmespath, expression)}`);
  return value => {
    try {
      const plain: Parameters<JmesPath['search']>[0] = JSON.parse(JSON.stringify(value ?? null));
      return evaluate(jmespath, node, plain);
    } catch (error) {
      // Not `usage`, which promises that nothing was sent: by now a request may have been sent.
      throw new Failure(
        'partial',
        `The command did its work, but its result cannot be shown, because --query '${shortened(expression)}' does not fit it: ${error instanceof RangeError ? 'it is nested too deeply, or its result is too large' : messageOf(error)}`,
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
    if (error instanceof RangeError) throw bad(expression, TOO_DEEP, error);
    // The library reads a `-` without a digit as a number.
    const what = messageOf(error)
      .replace(/^Syntax error[:,] /, '')
      .replace('(Number): "NaN"', '"-"');
    if (expression.length > LONGEST_LOOKED_THROUGH) throw bad(expression, what, error);
    const at = faultAt(jmespath, expression);
    const where =
      at < expression.length
        ? `at character ${at + 1} (${expression.slice(at, at + 20)})`
        : 'it ends too early';
    throw bad(expression, `${what}; ${where}${hintAfter(jmespath, expression)}`, error);
  }
}

function hintAfter(jmespath: JmesPath, expression: string): string {
  const hint = hintForFault(expression, fixed => isParsed(jmespath, fixed));
  return hint && `. ${hint}`;
}

function isParsed(jmespath: JmesPath, expression: string): boolean {
  try {
    jmespath.compile(expression);
    return true;
  } catch {
    return false;
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

/** Has the expression more levels? Parts of it and values in it count alike. */
function isDeeper(part: unknown, levels: number): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (levels === 0) return true;
  const isList =
    Array.isArray(part) && part.every(one => typeof one === 'object' && one !== null && 'type' in one);
  return Object.values(part).some(one => isDeeper(one, isList ? levels : levels - 1));
}

/** How deep its brackets are nested: those around one value leave no level behind. */
function bracketsIn(jmespath: JmesPath, expression: string): number {
  let depth = 0;
  let deepest = 0;
  for (const { type } of jmespath.tokenize(expression)) {
    if (/^(L(paren|bracket|brace)|Filter)$/.test(type)) depth += 1;
    if (/^R(paren|bracket|brace)$/.test(type)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const bad = (expression: string, message: string, cause?: unknown): Failure =>
  new Failure(
    'usage',
    `--query '${shortened(expression)}' is not a JMESPath expression: ${message}`,
    {},
    { cause },
  );
