import type { Issue, Schema } from './operation.ts';
import { formatPath, getAt, type Path } from './paths.ts';

/**
 * Where a body is not as the service document says, in the order of the document: all problems of a schema that shows what
 * the document shows. Elements of a list are not told apart: `proposals[].price` stands for each of them that differs alike.
 */
export function differencesFrom(schema: Schema, body: unknown): Issue[] {
  const found = new Map<string, Issue>();
  for (const issue of schema.safeParse(body).error?.issues ?? []) {
    const given = getAt(body, issue.path as Path);
    const expected = 'expected' in issue ? ` as ${KINDS[String(issue.expected)] ?? issue.expected}` : '';
    const path = formatPath(issue.path).replace(/\[\d+\]/g, '[]');
    const message =
      given === undefined
        ? 'is missing'
        : `is ${given === null ? 'null' : (KINDS[kindOf(given)] ?? kindOf(given))}; the document has it${expected || ' in another form'}`;
    found.set(`${path} ${message}`, { path, message });
  }
  return [...found.values()];
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
