// What is already in the place of a results file, and must not be lost.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { targetFlags } from '../../orders/same-command.ts';
import type { Session } from '../../session/session.ts';
import { shellWord } from '../../text.ts';
import { resultsIn } from './read-results.ts';

const CHUNK = 500;

/**
 * Refuses to replace a file that is no results file, and one that holds created keys which this journal does not know:
 * they were booked by another machine, and nothing here would keep them from being booked again. Throws `usage`,
 * `duplicate`.
 */
export async function guardResults(
  session: Session,
  command: OperationCommand,
  path: string,
  format: 'jsonl' | 'csv',
): Promise<void> {
  const there = statSync(resolve(session.host.cwd, path), { throwIfNoEntry: false });
  // A device keeps nothing.
  if (!there?.isFile() || there.size === 0) return;
  const journal = await session.journalIfThere();
  const strange: string[] = [];
  let made: Made[] = [];
  const compare = async () => {
    const known = await journal?.knownAmong(
      made.map(({ key }) => key),
      made.flatMap(({ shipments }) => shipments),
    );
    for (const { key, shipments } of made)
      if (![key, ...shipments].some(word => known?.has(word))) strange.push(key);
    made = [];
  };
  for await (const one of madeIn(session, command, path, format)) {
    made.push(one);
    if (made.length >= CHUNK) await compare();
  }
  await compare();
  if (strange.length === 0) return;
  const takeOver = ['waybill history import', shellWord(path), ...targetFlags(session)].join(' ');
  const some = strange.slice(0, 5).map(key => JSON.stringify(key));
  throw new Failure(
    'duplicate',
    `${path} says that ${strange.length} ${strange.length === 1 ? 'key is' : 'keys are'} booked (${some.join(', ')}${strange.length > 5 ? ', …' : ''}), but this journal does not know of it: another machine may have booked them. Nothing was sent. \`${takeOver}\` takes them over, so that they are not booked again; or, if they are to be booked here as well, ${ELSEWHERE}`,
    { operation: command },
  );
}

// In the first record, or in the header, of every file that a batch wrote for mending.
const MARK = '_error';
const MARK_WITHIN = 64 * 1024;

/** Refuses to replace a file that no batch wrote for mending. Throws `usage`. */
export function guardFailed({ host }: Session, command: OperationCommand, path: string): void {
  const place = resolve(host.cwd, path);
  const there = statSync(place, { throwIfNoEntry: false });
  if (!there?.isFile() || there.size === 0) return;
  const file = openSync(place, 'r');
  const begun = Buffer.alloc(MARK_WITHIN);
  try {
    readSync(file, begun, 0, MARK_WITHIN, 0);
  } finally {
    closeSync(file);
  }
  if (!begun.includes(MARK))
    throw new Failure(
      'usage',
      `${path} is there, and is none of what a batch writes for mending; name another file with --failed. Nothing was sent`,
      { operation: command },
    );
}

const ELSEWHERE = 'name another file with --results';

/** What a results file says was created. */
interface Made {
  key: string;
  shipments: string[];
}

async function* madeIn(
  session: Session,
  command: OperationCommand,
  path: string,
  format: 'jsonl' | 'csv',
): AsyncGenerator<Made> {
  const foreign = () =>
    new Failure(
      'usage',
      `${path} is there, and is no results file of a batch; ${ELSEWHERE}. Nothing was sent`,
      {
        operation: command,
      },
    );
  for await (const { key, value } of resultsIn(session.host, path, format, foreign)) {
    if (key === undefined || (value?.state !== 'created' && value?.state !== 'partial')) continue;
    const shipments = [value.shipmentId, value.domesticShipmentId].filter(id => typeof id === 'string');
    yield { key, shipments };
  }
}
