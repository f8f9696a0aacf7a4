// What doctor looks at in the journal. The journal is opened to read, and none is made.
import { fileAt } from '../../host/folder.ts';
import { sqliteVersion } from '../../journal/sqlite/database.ts';
import { targetFilter } from '../../order/listed.ts';
import { targetFlags } from '../../order/options.ts';
import type { Notice } from '../../say/notices.ts';
import type { Session } from '../../session/session.ts';
import { type Finding, finding } from './finding.ts';

/** How often the journal is looked at while other processes write it. */
const MOST_LOOKS = 3;

/** Throws `storage` where a booking would. */
export async function journalFindings(session: Session): Promise<Finding[]> {
  if (session.sharesJournal()) return lookedAt(session);
  const file = session.journalName();
  for (let looks = 1; ; looks += 1) {
    const before = fileAt(file);
    // A reader that makes no file takes no lock: what it sees while a process merges its writes into the file may be torn.
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
    // A role or a user may be meant to read only.
    ...(journal.isReadOnly
      ? [finding('journal', 'info', { kind: 'journal-for-reading', journal: name })]
      : []),
    ...warnings.map(notice => finding('journal', 'warning', notice)),
    ...findings.map(notice => finding('bookings', 'warning', notice)),
    ...(findings.length === 0 ? [finding('bookings', 'ok', { kind: 'bookings-settled' })] : []),
  ];
}
