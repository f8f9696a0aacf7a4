// Where the skill for agents is: the page for agents as a file, which can be given to an agent.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';

const SKILL = join('skills', 'waybill', 'SKILL.md');

/**
 * The path of the skill: in the package beside `bin`, in the archive beside the single executable. Throws `usage` for any other page than
 * `agents`, and `not_found` if the command was copied without the skill.
 */
export function skillPath(host: Pick<Host, 'runtime'>, words: readonly string[]): string {
  if (words.join(' ') !== 'agents') throw new Failure('usage', { kind: 'path-of-other-page' });
  const folder = dirname(realpathSync(host.runtime.started));
  const paths = [join(folder, '..', SKILL), join(folder, SKILL)];
  const path = paths.find(place => existsSync(place));
  if (path === undefined) throw new Failure('not_found', { kind: 'skill-not-there', folder });
  return path;
}
