// SQL that both databases understand is written once, with this. What differs between them is in a `Dialect`.

export type Value = string | number | boolean | null | Uint8Array | readonly string[];

/** A statement, or a part of one: text, with a part between each two. */
export interface Sql {
  texts: readonly string[];
  parts: readonly (Value | Sql)[];
}

/** What is inserted becomes a parameter, unless it is a part of a statement itself. */
export const sql = (texts: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql => ({ texts, parts });

/** SQL as it is. Never for text that comes from outside. */
export const raw = (text: string): Sql => ({ texts: [text], parts: [] });

/** The text of a statement for the database; adds its values to `values`. `parameter`: the text of the nth, from 1. */
export function textOf(
  { texts, parts }: Sql,
  values: Value[],
  parameter: (number: number) => string,
): string {
  let [text = ''] = texts;
  parts.forEach((part, index) => {
    if (typeof part === 'object' && part !== null && 'texts' in part) text += textOf(part, values, parameter);
    else text += parameter(values.push(part));
    text += texts[index + 1];
  });
  return text;
}

/**
 * Statements of which one may depend on the result of another. The SQLite journal runs them synchronously, inside a
 * group commit; the PostgreSQL journal awaits each.
 */
export type Steps<Value> = Generator<Sql, Value, Result>;

export interface Result {
  rows: readonly unknown[];
  /** The number of rows that were written. */
  changed: number;
}

export function* rowsOf<Row>(statement: Sql): Steps<Row[]> {
  return (yield statement).rows as Row[];
}

export function* firstOf<Row>(statement: Sql): Steps<Row | undefined> {
  return (yield* rowsOf<Row>(statement))[0];
}
