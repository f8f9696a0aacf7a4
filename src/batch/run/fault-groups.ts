// Faults of records: those with the same words are told once, with the lines that have them.
import type { Issue } from '../../contract/shapes.ts';
import type { FailureCode } from '../../errors.ts';
import { shortened } from '../../text.ts';

interface Group extends Pick<Issue, 'message' | 'suggestion'> {
  /** Within the record; empty for the record itself. */
  path: string;
  code: FailureCode | undefined;
  count: number;
  /** The first few of them in the file: records end in any order. */
  records: Place[];
}

interface Place {
  line: number;
  key: string | null;
}

/** Memory does not grow with the number of faults. */
const MAX_GROUPS = 1000;
const MAX_LINES = 10;
const FEW = 3;
const MAX_NAMED = 5;

export class FaultGroups {
  /** How many faults there are. */
  count = 0;
  readonly #groups = new Map<string, Group>();

  add(
    { line, key = null }: { line: number; key?: string | null },
    { path, message, suggestion }: Issue,
    code?: FailureCode,
  ): void {
    this.count += 1;
    const name = JSON.stringify([path, message]);
    const group = this.#groups.get(name);
    if (group) {
      group.count += 1;
      group.records = [...group.records, { line, key }]
        .sort((one, other) => one.line - other.line)
        .slice(0, MAX_LINES);
    } else if (this.#groups.size < MAX_GROUPS)
      this.#groups.set(name, {
        path,
        message,
        code,
        count: 1,
        records: [{ line, key }],
        ...(suggestion !== undefined && { suggestion }),
      });
  }

  /**
   * At most so many groups as issues, and how many faults these are. What all `records` share comes first, then what
   * failed by the code that stopped the run. `hint`: the end of the message of what they share.
   */
  listed(
    records: number,
    most: number,
    { stop, hint = () => '' }: { stop?: FailureCode | undefined; hint?(issue: Issue): string },
  ): { issues: Issue[]; covered: number } {
    const isShared = ({ count }: Group) => count > 1 && count === records;
    const rank = (group: Group) => (isShared(group) ? 0 : stop !== undefined && group.code === stop ? 1 : 2);
    const byRank = (one: Group, other: Group) =>
      rank(one) - rank(other) || (one.records[0]?.line ?? 0) - (other.records[0]?.line ?? 0);
    const groups = [...this.#groups.values()].sort(byRank).slice(0, most);
    return {
      issues: groups.map(group => {
        const { path, message, suggestion } = group;
        const place = placeOf(group, isShared(group));
        return {
          path: path === '' ? place : `${place}: ${path}`,
          message: isShared(group) ? `${message}${hint(group)}` : message,
          ...(suggestion !== undefined && { suggestion }),
        };
      }),
      covered: groups.reduce((sum, { count }) => sum + count, 0),
    };
  }
}

/** `line 4, ORDER-7`; `all 41 records`; `line 2 and line 3`; `lines 2, 3, 5 and 7`; `lines 2, 3, …, 14 and 9 more` */
function placeOf(group: Group, isShared: boolean): string {
  const { count, records, code } = group;
  const [first] = records;
  if (count === 1) return `line ${first?.line}${first?.key ? `, ${first.key}` : ''}`;
  const keys = code === 'outcome_unknown' ? keysOf(group) : '';
  const place = isShared && count > FEW ? `all ${count} records` : linesOf(count, records);
  return `${place}${keys && ` (${keys})`}`;
}

function linesOf(count: number, records: readonly Place[]): string {
  const lines = records.map(({ line }) => line);
  if (count > lines.length) return `lines ${lines.join(', ')} and ${count - lines.length} more`;
  const words = count > FEW ? lines.map(String) : lines.map(line => `line ${line}`);
  return `${count > FEW ? 'lines ' : ''}${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What the provider of the service is asked about: it does not know lines. Empty without keys. */
function keysOf({ count, records }: Group): string {
  const keys = records.flatMap(({ key }) => (key === null ? [] : shortened(key))).slice(0, MAX_NAMED);
  const left = count - keys.length;
  return keys.length === 0 || left === 0 ? keys.join(', ') : `${keys.join(', ')} and ${left} more`;
}
