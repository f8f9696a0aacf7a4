import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Booked, book, type Order } from '../../src/booking/book.ts';
import type { Holder, Intent, Journal } from '../../src/booking/journal.ts';
import { openJournal } from '../../src/booking/sqlite-journal.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { Client } from '../../src/http/client.ts';

export const NOON = Date.parse('2026-03-02T12:00:00Z');
export const SCOPE = { address: 'https://api.example', account: '' };

export interface JournalRig {
  journal: Journal;
  file: string;
  clock: { now: number };
  /** Processes that are gone. */
  gone: Set<number>;
  /** The same file, as another process of this machine has it. */
  other(process: number): Promise<Journal>;
}

/** A journal in a file of its own, with a clock and processes that the test decides about. */
export async function journalRig(): Promise<JournalRig> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-journal-'));
  const file = join(folder, 'state', 'journal.db');
  const clock = { now: NOON };
  const gone = new Set<number>();
  const opened: Journal[] = [];
  const lives = ({ process }: Holder) => !gone.has(process);
  const other = async (process: number) => {
    const own = { host: 'here', process, start: '1' };
    const journal = await openJournal(file, { own, lives }, { now: () => clock.now, turn: async () => {} });
    opened.push(journal);
    return journal;
  };
  const journal = await other(1);
  onTestFinished(async () => {
    for (const one of opened) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { journal, file, clock, gone, other };
}

export const intentOf = (operation: Operation, more: Partial<Intent> = {}): Intent => ({
  scope: SCOPE,
  operation: operation.command,
  keySpace: operation.keySpace ?? operation.command,
  key: null,
  fingerprint: 'one',
  source: null,
  request: {},
  profile: null,
  sandbox: false,
  labels: [],
  allowDuplicate: false,
  lease: 60_000,
  ...more,
});

export const patient = { sleep: async () => {}, interrupted: new AbortController().signal };

/** Books through a journal of its own; throws where something stands against it. */
export async function bookIn(order: Order, client: Client): Promise<Booked> {
  const result = await book(order, (await journalRig()).journal, client, patient);
  if ('kind' in result) throw new Error(`there is a ${result.kind}`);
  return result;
}
