// `--query`: a JMESPath expression, applied to the result of a command.
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { QueryFault, QueryMisfit } from '../say/shell.ts';
import { messageOf } from '../system-errors.ts';

type JmesPath = typeof import('@jmespath-community/jmespath');

/** The longest expression, in bytes of UTF-8. No person writes a longer one, and a program that does has a fault. */
const MOST_BYTES = 4096;
/** The most values in the result of a query: each `[@,@]` in a short expression doubles the result. */
const MOST_MADE = 10_000_000;

/** A query that is well-formed. Throws `partial` if it does not fit the value. */
type Query = (value: unknown) => unknown;

/** Parses a JMESPath expression. Throws `usage` for a bad one, and so is called before anything is sent. */
export async function compileQuery(expression: string): Promise<Query> {
  const bytes = Buffer.byteLength(expression);
  if (bytes > MOST_BYTES) throw wrong(expression, { kind: 'too-long', bytes, most: MOST_BYTES });
  const jmespath = await import('@jmespath-community/jmespath');
  const node = parsedQuery(jmespath, expression);
  return value => {
    try {
      const plain: Parameters<JmesPath['search']>[0] = JSON.parse(JSON.stringify(value ?? null));
      const selected = jmespath.TreeInterpreter.search(node, plain);
      checkSize(selected);
      return selected;
    } catch (error) {
      // Not `usage`, which promises that nothing was sent: by now a request may have been sent.
      const notice = { kind: 'query-does-not-fit', expression, misfit: misfitOf(error) } as const;
      throw new Failure('partial', notice, {}, { cause: error });
    }
  };
}

/** The result of a query has more values than may be shown. */
class TooManyValues extends Error {}

/** Why a query does not fit a result. The library says it only in a sentence, and for some misfits not at all. */
function misfitOf(error: unknown): QueryMisfit {
  if (error instanceof TooManyValues) return { kind: 'too-large' };
  if (error instanceof RangeError) return { kind: 'too-deep' };
  const message = messageOf(error);
  const [, name, argument = '', wanted = '', actual = ''] =
    /^Invalid type: (\w+)\(\) expected argument (\d+) to be type \((.+)\) but received type (\w+)/.exec(
      message,
    ) ?? [];
  if (name !== undefined) return { kind: 'argument-type', name, argument, wanted, given: actual };
  return { kind: message.startsWith('not-a-number') ? 'no-number' : 'other-type' };
}

function parsedQuery(jmespath: JmesPath, expression: string): Node {
  let node: Node;
  try {
    node = jmespath.compile(expression);
  } catch (error) {
    const fault = error instanceof RangeError ? TOO_DEEP : placeOf(jmespath, expression);
    throw wrong(expression, fault, error);
  }
  const fault = faultIn(node, jmespath.TreeInterpreter.runtime._functionTable);
  if (fault !== undefined) throw wrong(expression, fault);
  return node;
}

const TOO_DEEP: QueryFault = { kind: 'too-deep' };

function faultIn(node: Node, functions: Functions): QueryFault | undefined {
  try {
    return expressionFault(node, functions) ?? (assigns(node) ? { kind: 'assignment' } : undefined);
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
}

const WORD = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[=!<>]=|&&|\|\||\[\?|\[\]|[\w$]+|\S/gsu;

/** The fault of a query that cannot be parsed: the first word that cannot stand where it does, or an end that comes too early. */
function placeOf(jmespath: JmesPath, expression: string): QueryFault {
  for (const { 0: word, index } of expression.matchAll(WORD))
    try {
      jmespath.compile(expression.slice(0, index + word.length));
    } catch (error) {
      if (!messageOf(error).includes('EOF')) return { kind: 'misplaced', word, character: index + 1 };
    }
  return { kind: 'ends-early' };
}

type Node = ReturnType<JmesPath['compile']>;
type Functions = JmesPath['TreeInterpreter']['runtime']['_functionTable'];

/** The number that the library has for the type "expression with `&` in front". */
const EXPRESSION = 6;

/** A fault that the parser accepts, but that fits no result. `part`: of the expression. `bound`: the variables of each `let` around it. */
function expressionFault(
  part: unknown,
  functions: Functions,
  bound: readonly string[] = [],
): QueryFault | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  const node = part as Node;
  const first = (parts: readonly unknown[], variables = bound) =>
    parts.reduce<QueryFault | undefined>(
      (fault, inner) => fault ?? expressionFault(inner, functions, variables),
      undefined,
    );
  switch (node.type) {
    case 'Literal':
      return undefined;
    case 'ExpressionReference':
      return { kind: 'loose-reference' };
    case 'Variable':
      return bound.includes(node.name) ? undefined : { kind: 'unknown-variable', name: node.name };
    case 'Slice':
      return node.step === 0 ? { kind: 'step-of-zero' } : undefined;
    case 'LetExpression': {
      const { bindings, expression } = node;
      const names = bindings.map(({ variable }) => variable);
      return first(bindings) ?? first([expression], [...bound, ...names]);
    }
    case 'Function':
      return callFault(node, functions) ?? first(node.children.map(withoutReference));
    default:
      return first(Object.values(node));
  }
}

const withoutReference = (argument: Node): Node =>
  argument.type === 'ExpressionReference' ? argument.child : argument;

/** What is wrong with a function call in a query: the name, or the number and kind of arguments. */
function callFault(node: Extract<Node, { type: 'Function' }>, functions: Functions): QueryFault | undefined {
  const { name, children } = node;
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (known === undefined)
    return { kind: 'unknown-function', name, meant: nearest(name, Object.keys(functions)) };
  const signature = known._signature;
  const least = signature.filter(({ optional }) => !optional).length;
  const most = signature.some(({ variadic }) => variadic) ? null : signature.length;
  const count = children.length;
  if (count < least || (most !== null && count > most))
    return { kind: 'argument-count', name, least, most, count };
  for (const [index, argument] of children.entries()) {
    const { types = [] } = signature[index] ?? {};
    const isReference = argument.type === 'ExpressionReference';
    if (types.includes(EXPRESSION) !== isReference)
      return {
        kind: isReference ? 'argument-no-reference' : 'argument-reference',
        name,
        argument: index + 1,
      };
  }
  return undefined;
}

/** Has a query a single `=` outside of `let`? The parser takes `a = 'x'`, and as a condition that would fit everything. */
function assigns(part: unknown, isInLet = false): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (Array.isArray(part)) return part.some(entry => assigns(entry, isInLet));
  const type = 'type' in part ? part.type : undefined;
  if (type === 'Binding' && !isInLet) return true;
  return (
    type !== 'Literal' && Object.entries(part).some(([name, inner]) => assigns(inner, name === 'bindings'))
  );
}

/** Refuses a result with too many values. A part that is used twice counts twice, because it is shown twice. */
function checkSize(result: unknown): void {
  let values = 0;
  const count = (value: unknown): void => {
    values += 1;
    if (values > MOST_MADE) throw new TooManyValues();
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) count(inner);
  };
  count(result);
}

const wrong = (expression: string, fault: QueryFault, cause?: unknown): Failure =>
  new Failure('usage', { kind: 'query-wrong', expression, fault }, {}, { cause });

// A comparison with the name of a field on its right side.
const NAME = /(==|!=|<=|>=|<|>)\s*("[^"]*"|[A-Za-z_]\w*(?![\w.([]))/;

/** Does the expression compare with the name of a field? Who writes that mostly means a text. */
export const comparesWithField = (expression: string): boolean => NAME.test(expression);
