// --query: JMESPath over what a command shows.
import { Failure, messageOf } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { shortened, shown } from '../text.ts';

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
        `The command did its work, but its result cannot be shown, because --query '${shortened(expression)}' does not fit it: ${misfitWords(error)}`,
        {},
        { cause: error },
      );
    }
  };
}

const TOO_DEEP = 'it is nested too deeply, or its result is too large';
const TOO_LARGE = 'its result would be too large';
const SPELLING =
  "Text goes in single quotes, numbers in backticks, and == compares: \"proposals[?id == 'EXP']\", 'proposals[?price > `10`]'";

/** Why a query cannot be made of a result. The library has other words, and of some misfits none. */
function misfitWords(error: unknown): string {
  const message = messageOf(error);
  if (message === TOO_LARGE) return TOO_LARGE;
  if (error instanceof RangeError) return TOO_DEEP;
  const [, name, argument, wanted = '', given] =
    /^Invalid type: (\w+)\(\) expected argument (\d+) to be type \((.+)\) but received type (\w+)/.exec(
      message,
    ) ?? [];
  if (name !== undefined)
    return `${name}() takes ${wanted.replace(/Array<(\w+)>/g, 'an array of $1s').replaceAll(' | ', ' or ')} as its argument ${argument}, and the result has ${given} there`;
  if (message.startsWith('not-a-number')) return 'it calculates with what is no number in the result';
  return 'a part of it takes another type of value than the result has there';
}

function parsed(jmespath: JmesPath, expression: string): Node {
  try {
    const node: Node = jmespath.compile(expression);
    const fault =
      expressionFault(node, jmespath.TreeInterpreter.runtime._functionTable) ??
      (assigns(node) ? `a single = does not compare. ${SPELLING}` : undefined);
    if (fault !== undefined) throw bad(expression, fault);
    return node;
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof RangeError) throw bad(expression, TOO_DEEP, error);
    throw bad(expression, `${placeOf(jmespath, expression)}. ${SPELLING}`, error);
  }
}

const WORD = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[=!<>]=|&&|\|\||\[\?|\[\]|[\w$]+|\S/gsu;

/** The first word that cannot stand where it does: all before it may be the beginning of an expression. */
function placeOf(jmespath: JmesPath, expression: string): string {
  for (const { 0: word, index } of expression.matchAll(WORD))
    try {
      jmespath.compile(expression.slice(0, index + word.length));
    } catch (error) {
      if (!messageOf(error).includes('EOF'))
        return `${shown(word)} cannot stand there (character ${index + 1})`;
    }
  return 'it ends too early';
}

type Node = ReturnType<JmesPath['compile']>;
type Functions = JmesPath['TreeInterpreter']['runtime']['_functionTable'];

/** The type of an argument that is an expression with `&` in front. */
const EXPRESSION = 6;

/** What the parser accepts, and fits no result, in a part of an expression. `bound`: the variables of each `let` around that. */
function expressionFault(
  part: unknown,
  functions: Functions,
  bound: readonly string[] = [],
): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  const node = part as Node;
  const first = (parts: readonly unknown[], variables = bound) =>
    parts.reduce<string | undefined>(
      (fault, inner) => fault ?? expressionFault(inner, functions, variables),
      undefined,
    );
  switch (node.type) {
    case 'Literal':
      return undefined;
    case 'ExpressionReference':
      return `an expression with & in front is only an argument of a function, as in sort_by(proposals, &price)`;
    case 'Variable':
      return bound.includes(node.name)
        ? undefined
        : `there is no variable $${node.name}: \`let $${node.name} = … in …\` makes one`;
    case 'Slice':
      return node.step === 0 ? 'the step of a slice cannot be 0' : undefined;
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

/** What is wrong with the name of a function of a query, or with the number and kind of its arguments. */
function callFault(
  { name, children }: Extract<Node, { type: 'Function' }>,
  functions: Functions,
): string | undefined {
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (known === undefined) return `there is no function ${name}()${didYouMean(name, Object.keys(functions))}`;
  const signature = known._signature;
  const least = signature.filter(({ optional }) => !optional).length;
  const most = signature.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : signature.length;
  const count = children.length;
  if (count < least || count > most) {
    const range = most === least ? '' : most === Number.POSITIVE_INFINITY ? ' or more' : ` to ${most}`;
    return `${name}() takes ${least}${range} ${least === 1 && range === '' ? 'argument' : 'arguments'}, not ${count}`;
  }
  for (const [index, argument] of children.entries()) {
    const { types = [] } = signature[index] ?? {};
    const isReference = argument.type === 'ExpressionReference';
    if (types.includes(EXPRESSION) !== isReference)
      return `argument ${index + 1} of ${name}() is ${isReference ? 'no expression with & in front' : 'an expression with & in front, such as &price'}`;
  }
  return undefined;
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
    if (made > MOST_MADE) throw new Error(TOO_LARGE);
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
