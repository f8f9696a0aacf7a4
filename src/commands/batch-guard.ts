// What is already in the place of a results file, and must not be lost.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openInput } from '../batch/input.ts';
import type { Journal } from '../booking/journal.ts';
import type { Operation } from '../contract/operation.ts';
import { strict } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { bytesOf } from './files.ts';
import type { Session } from './session.ts';

const CHUNK = 500;

/**
 * Refuses to replace a file that is no results file, and one that holds created keys which this journal does not know:
 * they were booked by another machine, and nothing here would keep them from being booked again. Throws `usage`,
 * `duplicate`.
 */
export async function guardResults(
  session: Session,
  { command, keySpace }: Operation,
  journal: Journal | undefined,
  path: string,
  format: 'jsonl' | 'csv',
): Promise<void> {
  if (!existsSync(resolve(session.host.cwd, path))) return;
  const elsewhere = 'name another file with --results';
  const strange: string[] = [];
  let keys: string[] = [];
  const flush = async () => {
    if (journal === undefined || keySpace === null || keys.length === 0) return;
    const known = await journal.recall(session.scope(), { keySpace }, keys);
    strange.push(...keys.filter(key => !HERE.has(known.get(key)?.state ?? '')));
    keys = [];
  };
  const input = openInput(bytesOf(path, session.host), {
    format,
    name: path,
    fields: strict({}),
    keyColumn: 'key',
    allowUnknown: true,
  });
  const foreign = () =>
    new Failure(
      'usage',
      `${path} is there, and is no results file of a batch; ${elsewhere}. Nothing was sent`,
      {
        operation: command,
      },
    );
  try {
    for await (const piece of input.pieces) {
      const { key, value } = input.read(piece);
      if (typeof value.state !== 'string') throw foreign();
      if (key !== undefined && (value.state === 'created' || value.state === 'partial')) keys.push(key);
      if (keys.length >= CHUNK) await flush();
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_request') throw foreign();
    throw error;
  }
  await flush();
  if (strange.length === 0) return;
  const some = strange.slice(0, 5).map(key => JSON.stringify(key));
  throw new Failure(
    'duplicate',
    `${path} says that ${strange.length} ${strange.length === 1 ? 'key is' : 'keys are'} booked (${some.join(', ')}${strange.length > 5 ? ', …' : ''}), but this journal does not know of it: another machine, another account or address, may have booked them. Nothing was sent. Run it where they were booked; or, if they are to be booked here as well, ${elsewhere}`,
    { operation: command },
  );
}

const HERE = new Set(['created', 'partial', 'unknown', 'pending']);
