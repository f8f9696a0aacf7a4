// Where the skill for agents lies: the page for agents, as a file that an agent can be given.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';

const SKILL = join('skills', 'waybill', 'SKILL.md');

/**
 * The path of the skill: beside `bin` in the package, beside the file of a single executable, as its archive has it. Throws `usage` for
 * any page but that for agents, and `not_found` where the command was copied without the skill.
 */
export function skillPath(host: Pick<Host, 'runtime'>, words: readonly string[]): string {
  if (words.join(' ') !== 'agents') throw new Failure('usage', { kind: 'path-of-other-page' });
  const folder = dirname(realpathSync(host.runtime.started));
  const paths = [join(folder, '..', SKILL), join(folder, SKILL)];
  const path = paths.find(place => existsSync(place));
  if (path === undefined) throw new Failure('not_found', { kind: 'skill-not-there', folder });
  return path;
}
