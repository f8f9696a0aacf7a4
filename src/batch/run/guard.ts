// What must not be lost of the files that a batch would replace.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { OperationCommand } from '../../contract/operations.ts';
import { Failure, unreadableBecause } from '../../errors.ts';
import { absolutePath } from '../../folder.ts';
import type { Host } from '../../host.ts';
import { targetFlags } from '../../orders/same-command.ts';
import type { Session } from '../../session/session.ts';
import { shellWord } from '../../text.ts';
import { type OutputNames, refusing } from './outputs.ts';
import { resultsIn, saysBooked } from './read-results.ts';

const CHUNK = 500;
/** Why a file that a batch would replace cannot be read: then no one knows what would be lost with it. */
export function whyUnreadable(path: string, host: Host): Failure | undefined {
  if (host.cwd === undefined && !isAbsolute(path)) return undefined;
  try {
    if (fileAt(path, host)) closeSync(openSync(absolutePath(path, host), 'r'));
    return undefined;
  } catch (error) {
    const why = `${path} cannot be read: ${unreadableBecause(error)}`;
    return new Failure('storage', why, {}, { cause: error });
  }
}

/**
 * Refuses to replace a file that is not a results file, or that holds created keys unknown to this journal: another
 * machine booked them, and nothing here would prevent a second booking. Throws `usage`, `duplicate`.
 */
export async function guardResults(
  session: Session,
  operation: OperationCommand,
  { results: path, format }: OutputNames,
): Promise<void> {
  if (session.host.cwd === undefined && !isAbsolute(path)) return;
  if (!hasContent(path, session.host)) return;
  const journal = await session.journalIfThere();
  const unknown: string[] = [];
  let created: { key: string; shipments: string[] }[] = [];
  const compare = async () => {
    const known = await journal?.knownAmong(
      created.map(({ key }) => key),
      created.flatMap(({ shipments }) => shipments),
    );
    for (const { key, shipments } of created)
      if (![key, ...shipments].some(word => known?.has(word))) unknown.push(key);
    created = [];
  };
  const foreign = () =>
    new Failure(
      'usage',
      `${path} is not a results file of a batch; name another file with --results. Nothing was sent`,
      {
        operation,
      },
    );
  for await (const { key, value } of resultsIn(session.host, path, format, foreign)) {
    if (key === undefined || value === undefined || !saysBooked(value)) continue;
    const shipments = [value.shipmentId, value.domesticShipmentId].filter(id => typeof id === 'string');
    created.push({ key, shipments });
    if (created.length >= CHUNK) await compare();
  }
  await compare();
  if (unknown.length === 0) return;
  const takeOver = ['waybill history import', shellWord(path), ...targetFlags(session)].join(' ');
  const some = unknown.slice(0, 5).map(key => JSON.stringify(key));
  throw new Failure(
    'duplicate',
    `${path} says that ${unknown.length} ${unknown.length === 1 ? 'key is' : 'keys are'} booked (${some.join(', ')}${unknown.length > 5 ? ', …' : ''}), but this journal does not know of it: another machine may have booked them. Nothing was sent. \`${takeOver}\` imports them, so that they are not booked a second time`,
    { operation },
  );
}

// In the first record, or in the header, of every `--failed` file.
const MARK = '_error';
const MARK_WITHIN = 64 * 1024;

/** Refuses to replace a file that is not a `--failed` file. Throws `usage`. */
export function guardFailed({ host }: Session, operation: OperationCommand, path: string): void {
  const unreadable = whyUnreadable(path, host);
  if (unreadable) throw refusing(unreadable, '--failed', operation);
  if (!hasContent(path, host)) return;
  const file = openSync(absolutePath(path, host), 'r');
  const start = Buffer.alloc(MARK_WITHIN);
  try {
    readSync(file, start, 0, MARK_WITHIN, 0);
  } finally {
    closeSync(file);
  }
  if (!start.includes(MARK))
    throw new Failure(
      'usage',
      `${path} exists, and a batch did not write it with --failed; name another file with --failed. Nothing was sent`,
      { operation },
    );
}

/** A device holds nothing that could be lost. */
function hasContent(path: string, host: Host): boolean {
  return (fileAt(path, host)?.size ?? 0) > 0;
}

function fileAt(path: string, host: Host) {
  const present = statSync(absolutePath(path, host), { throwIfNoEntry: false });
  return present?.isFile() ? present : undefined;
}
