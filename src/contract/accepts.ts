import type { Schema } from './operation.ts';
import { isRecord } from './paths.ts';

interface Payload {
  value: unknown;
  issues: unknown[];
}

interface Check {
  _zod: { check(payload: Payload): unknown };
}

// zod publishes `_zod` for libraries that read schemas; these are the parts of it that our shapes use.
interface Node {
  _zod: {
    def: {
      type: string;
      format?: string;
      coerce?: boolean;
      entries?: Readonly<Record<string, unknown>>;
      innerType?: Node;
      element?: Node;
      shape?: Readonly<Record<string, Node>>;
      catchall?: Node;
      checks?: readonly Check[];
    };
    run(payload: Payload, context: { async: false }): Payload;
  };
}

type Test = (value: unknown) => boolean;

const tests = new WeakMap<Schema, Test>();

/**
 * Whether zod would find no issue. It answers without the copy that zod makes of every object and the result of every
 * field, which are a seventh of the garbage of a batch. zod itself is asked for each text and number.
 */
export function accepts(schema: Schema, value: unknown): boolean {
  const test = tests.get(schema) ?? testOf(schema as unknown as Node);
  tests.set(schema, test);
  return test(value);
}

const PLAIN: Readonly<Record<string, Test>> = {
  string: value => typeof value === 'string',
  number: Number.isFinite,
  boolean: value => typeof value === 'boolean',
};

function testOf(node: Node): Test {
  const { type, format, coerce, entries, innerType, element, shape, catchall, checks = [] } = node._zod.def;
  if (type === 'optional' && innerType) {
    const test = testOf(innerType);
    return value => value === undefined || test(value);
  }
  if (type === 'array' && element) {
    const [test, ofList] = [testOf(element), checks.map(testOfCheck)];
    return value =>
      Array.isArray(value) && ofList.every(check => check(value)) && value.every(one => test(one));
  }
  const isPlain = format === undefined && !coerce && checks.length <= 1;
  const plain = isPlain ? PLAIN[type] : undefined;
  if (plain) {
    const [check] = checks.map(testOfCheck);
    return check ? value => plain(value) && check(value) : plain;
  }
  if (type === 'enum' && entries && checks.length === 0) {
    const values = new Set<unknown>(Object.values(entries));
    return value => values.has(value);
  }
  const others = catchall?._zod.def.type;
  if (type === 'object' && shape && checks.length === 0 && (others === 'never' || others === 'unknown'))
    return fieldsOf(shape, others === 'unknown');
  return asked(payload => node._zod.run(payload, SYNCHRONOUS));
}

function fieldsOf(shape: Readonly<Record<string, Node>>, isLoose: boolean): Test {
  const fields = new Map(Object.entries(shape).map(([name, node]) => [name, testOf(node)]));
  const all = [...fields];
  return value => {
    if (!isRecord(value)) return false;
    if (!isLoose) for (const name in value) if (!fields.has(name)) return false;
    return all.every(([name, test]) => test(value[name]));
  };
}

const SYNCHRONOUS = { async: false } as const;

const testOfCheck = ({ _zod }: Check): Test =>
  asked(payload => {
    _zod.check(payload);
    return payload;
  });

/** What zod finds. It writes into one payload for all values that it accepts; a refused one leaves marks in it. */
function asked(run: (payload: Payload) => Payload): Test {
  let payload: Payload = { value: undefined, issues: [] };
  return value => {
    payload.value = value;
    // Of a union it may be another payload.
    if (run(payload).issues.length === 0) return true;
    payload = { value: undefined, issues: [] };
    return false;
  };
}
