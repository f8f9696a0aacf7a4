// What doctor looks at in the journal. The journal is opened only to read; if there is none, none is made.
import { fileAt } from '../../host/folder.ts';
import { sqliteVersion } from '../../journal/sqlite/database.ts';
import { targetFilter } from '../../order/listed.ts';
import { targetFlags } from '../../order/options.ts';
import type { Notice } from '../../say/notices.ts';
import type { Session } from '../../session/session.ts';
import { type Finding, finding } from './finding.ts';

/** How often the journal is looked at while other processes write it. */
const MOST_LOOKS = 3;

/** Throws `storage` if a booking could not use the journal. */
export async function journalFindings(session: Session): Promise<Finding[]> {
  if (session.sharesJournal()) return lookedAt(session);
  const file = session.journalName();
  for (let looks = 1; ; looks += 1) {
    const before = fileAt(file);
    // Doctor reads without a lock: if another process has changed the file meanwhile, the look may have seen half a change.
    const isLast = () => looks === MOST_LOOKS || fileAt(file) === before;
    try {
      const findings = await lookedAt(session);
      if (isLast()) return findings;
    } catch (error) {
      if (isLast()) throw error;
    }
    await session.closeJournal();
  }
}

async function lookedAt(session: Session): Promise<Finding[]> {
  const warnings: Notice[] = [];
  const journal = await session.examineJournal(notice => warnings.push(notice));
  const name = session.journalName();
  if (journal === undefined) {
    const engine = session.sharesJournal() ? 'PostgreSQL' : `SQLite ${await sqliteVersion()}`;
    return [finding('journal', 'ok', { kind: 'journal-not-made', journal: name, engine })];
  }
  if (await journal.isPooled()) warnings.push({ kind: 'journal-behind-pooler', journal: name });
  const { engine, bookings, bytes } = await journal.size();
  const ready: Notice = { kind: 'journal-ready', journal: name, engine, bookings, bytes };
  const waiting = await journal.waiting(targetFilter(session).demo === true);
  const dear = waiting.filter(({ why }) => why === 'over_price');
  const open = waiting.length - dear.length;
  const flags = targetFlags(session);
  const findings: Notice[] = open > 0 ? [{ kind: 'bookings-unknown', count: open, flags }] : [];
  const [first] = dear;
  if (first)
    findings.push({ kind: 'prices-to-accept', count: dear.length, booking: first.booking.id, flags });
  return [
    finding('journal', 'ok', ready),
    // A journal that can only be read is no fault: its database role, or its user, may be meant only to read.
    ...(journal.isReadOnly
      ? [finding('journal', 'info', { kind: 'journal-for-reading', journal: name })]
      : []),
    ...warnings.map(notice => finding('journal', 'warning', notice)),
    ...findings.map(notice => finding('bookings', 'warning', notice)),
    ...(findings.length === 0 ? [finding('bookings', 'ok', { kind: 'bookings-settled' })] : []),
  ];
}
