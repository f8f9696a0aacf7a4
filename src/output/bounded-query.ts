// A short JMESPath expression can make a result without end (`[@,@] | [@,@] | …`). A booking was sent by then, and its
// result must not be lost in a process that hangs or dies.

type JmesPath = typeof import('@jmespath-community/jmespath');
type Interpreter = JmesPath['TreeInterpreter'];
type Node = Parameters<Interpreter['visit']>[0];
type Value = Parameters<Interpreter['visit']>[1];
type Scope = Parameters<Interpreter['withScope']>[0];

/** Values, and characters of one text, whatever is selected from. */
const MOST_MADE = 10_000_000;
const MOST_STEPS = 20_000_000;
/** To make a list or an object, and to remember its size. */
const STEPS_OF_A_LIST = 10;

/** Repeats something that often; the library makes a list of this length first. */
const REPEATING = ['pad_left', 'pad_right', 'replace', 'split'];
const MOST_REPEATS = 1_000_000;
/** The library takes time with the square of the length of these. */
const TRIMMING = ['trim', 'trim_left', 'trim_right'];
const MOST_TRIMMED = 10_000;

/** Evaluates a parsed expression. Throws if that takes too long or makes too much, and what the library throws. */
export function evaluate({ TreeInterpreter }: JmesPath, node: Node, value: Value): unknown {
  const count = counterFor(value);
  const Base = TreeInterpreter.constructor as new () => Interpreter;

  class Bounded extends Base {
    constructor() {
      super();
      const call = this.runtime.callFunction.bind(this.runtime);
      this.runtime.callFunction = (name, args) => {
        for (const arg of args) {
          if (REPEATING.includes(name) && typeof arg === 'number' && arg > MOST_REPEATS)
            throw new Error(`${name}() takes numbers up to ${MOST_REPEATS} here, not ${arg}`);
          if (TRIMMING.includes(name) && typeof arg === 'string' && arg.length > MOST_TRIMMED)
            throw new Error(`${name}() takes texts of up to ${MOST_TRIMMED} characters here`);
          if (typeof arg === 'string' || Array.isArray(arg)) count.steps(arg.length);
        }
        return call(name, args);
      };
    }
    override visit(inner: Node, from: Value) {
      count.steps(1);
      const made = super.visit(inner, from);
      count.value(made);
      return made;
    }
    override withScope(scope: Scope): Interpreter {
      // What is inside of `let` is counted, too.
      const scoped = new Bounded();
      return Object.assign(scoped, { ...super.withScope(scope), runtime: scoped.runtime });
    }
  }
  return new Bounded().search(node, value as Parameters<Interpreter['search']>[1]);
}

/** Counts what is done and made. A part that is used twice counts twice, because it is shown twice. */
function counterFor(selectedFrom: unknown) {
  const sizes = new WeakMap<object, number>();
  const sizeOf = (value: unknown): number => {
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    const inner = Object.values(value);
    steps(STEPS_OF_A_LIST + inner.length);
    const size = inner.reduce((sum: number, one) => sum + sizeOf(one), 1);
    sizes.set(value, size);
    return size;
  };
  let left = Number.POSITIVE_INFINITY;
  const steps = (number: number): void => {
    left -= number;
    if (left < 0) throw new Error('it takes too long');
  };
  // The more there is to select from, the more may be done with it.
  const size = sizeOf(selectedFrom);
  left = MOST_STEPS + 100 * size;
  const most = MOST_MADE + 4 * size;
  return {
    steps,
    value(value: unknown): void {
      if (sizeOf(value) > most) throw new Error('its result would be too large');
    },
  };
}
