// What is said of the journal: its file, its server, its losses, and a move into a shared journal.
import { EXAMPLES, numbered, shellWord, someOf } from '../text.ts';
import { command, flag, next, pattern, type Saying, say, type Text } from './sentence.ts';
import { type MustExist, mustExistText, REASONS, RESTORED } from './session.ts';

/** `journal`: the path of its file, or its address without a password. */
interface OfJournal {
  journal: string;
}

type Engine = 'SQLite' | 'PostgreSQL';

const PUT_FILE_BACK = say`Put the file back with its -wal, or from a backup`;
const LET_USER_WRITE = say`Let this user write to it and to its folder`;

/** What a journal has lost, or how it was replaced. */
export type JournalLoss =
  /** The file is missing or empty. */
  | { loss: 'file' }
  /** Bookings are lost: the journal held `held` bookings, and now has `newest`. */
  | { loss: 'newest'; newest: number; held: number }
  /** The journal is a copy that `history backup` made. `at`: when it was made, in ISO 8601. */
  | { loss: 'backup'; at: string }
  /** The server lost all tables, or all that was in them. */
  | { loss: 'tables' | 'bookings' }
  /** A booking that this machine once saw in the journal is missing. `at`: when it was seen, in ISO 8601. */
  | { loss: 'booking'; booking: string; at: string }
  /** A dump was restored over the tables. */
  | { loss: 'restored-dump' }
  /** The tables are on another server, in another database or on another timeline. */
  | { loss: 'system' | 'database' | 'timeline'; was: string; is: string };

interface LossWords {
  what: Text;
  /** How to put back what was lost. */
  cure: Text;
  isGone?: boolean;
}

const LOOK_ELSEWHERE = say`${next('waybill', 'history', 'list')} shows the newest booking, ${pattern('waybill history import FILE')} adds later ones`;
const PUT_TABLES_BACK = say`Put them back from a backup`;

const NAME_WRITER = say`Name the server that accepts writes`;

const HELP = command('waybill', 'help', 'journal');
const FROM_BACKUP = say`Put it back from a backup (${HELP})`;

function lossWords(lost: JournalLoss): LossWords {
  switch (lost.loss) {
    case 'file':
      return { what: say`is missing or empty, but it held bookings`, cure: PUT_FILE_BACK, isGone: true };
    case 'newest':
      return {
        what: say`has lost bookings: it held ${lost.held}, now ${lost.newest}`,
        cure: PUT_FILE_BACK,
        isGone: lost.newest === 0,
      };
    case 'backup':
      return {
        what: say`is a backup of ${lost.at}, without the bookings since then`,
        cure: say`Use the journal itself if it exists`,
      };
    case 'tables':
      return { what: say`has lost its tables`, cure: PUT_TABLES_BACK, isGone: true };
    case 'bookings':
      return { what: say`has lost its bookings`, cure: PUT_TABLES_BACK, isGone: true };
    case 'booking':
      return {
        what: say`has lost bookings: ${lost.booking}, seen here at ${lost.at}, is gone`,
        cure: LOOK_ELSEWHERE,
      };
    case 'restored-dump':
      return {
        what: say`may have lost bookings: a dump was restored over its tables`,
        cure: LOOK_ELSEWHERE,
      };
    case 'system':
    case 'database':
      return {
        what: say`may have lost bookings: it is a copy (${serverChangeWords(lost.loss, lost)})`,
        cure: LOOK_ELSEWHERE,
      };
    case 'timeline':
      return {
        what: say`may have lost bookings: a standby took over, or it was put back (${serverChangeWords(lost.loss, lost)})`,
        cure: LOOK_ELSEWHERE,
      };
  }
}

/** Why waybill cannot use the file beside a journal that says how many bookings the journal held. */
export type CountFault =
  | { fault: 'no-file' | 'other-user' | 'damaged' }
  /** `isForbidden`: this user may not read the file. */
  | { fault: 'unreadable'; why: string; isForbidden: boolean };

function countFault(fault: CountFault): string {
  switch (fault.fault) {
    case 'no-file':
      return 'it is not a plain file';
    case 'other-user':
      return 'it belongs to another user than the journal';
    case 'damaged':
      return 'it is damaged';
    case 'unreadable':
      return fault.why;
  }
}

export type JournalWork = 'opened' | 'read' | 'written' | 'copied' | 'cleaned' | 'closed';

/** The part of a journal that is not as waybill wrote it. */
export type Damage =
  | { part: 'column'; column: string; booking: string }
  | { part: 'text'; column: string; booking?: string }
  | { part: 'list'; list: number }
  | { part: 'booking'; booking: string }
  | { part: 'label'; shipment: string; booking: string }
  | { part: 'print' | 'identity' | 'file' };

/** Why a database cannot be used, or an outcome cannot be recorded in it. */
export type StoreFault =
  | ({ fault: 'damaged' } & Damage)
  | { fault: 'link'; path: string }
  | { fault: 'engine-loses-commits'; version: string }
  | { fault: 'other-version'; version: number; supported: number }
  | { fault: 'no-tables' | 'replaced' }
  | { fault: 'no-answer' }
  | { fault: 'shipment-just-recorded'; shipment: string }
  | { fault: 'booking-gone' | 'ended-twice' | 'shipments-contended'; booking: string };

export function storeFaultWords(fault: StoreFault): string {
  switch (fault.fault) {
    case 'damaged':
      return `it is damaged: ${damageWords(fault)}`;
    case 'link':
      return `${fault.path} is a symbolic link, which is not followed`;
    case 'engine-loses-commits':
      return `it would be written by SQLite ${fault.version}, which can lose bookings: install waybill again, for 3.51.3 or newer`;
    case 'other-version':
      return `it was written by ${versionWords(fault)}`;
    case 'no-tables':
      return 'it has no tables of waybill';
    case 'replaced':
      return 'it was deleted, moved or replaced while in use';
    case 'booking-gone':
      return `booking ${fault.booking} is gone from it`;
    case 'ended-twice':
      return `booking ${fault.booking} ended twice, and nobody has resolved it`;
    case 'shipments-contended':
      return `other commands keep taking the shipments of booking ${fault.booking}`;
    case 'shipment-just-recorded':
      return `another command has just recorded the shipment ${fault.shipment}`;
    case 'no-answer':
      return 'it gave no answer';
  }
}

function damageWords(damage: Damage): string {
  switch (damage.part) {
    case 'column':
      return `"${damage.column}" of booking ${damage.booking}`;
    case 'text':
      return `the text "${damage.column}"${damage.booking === undefined ? '' : ` of ${damage.booking}`} is not UTF-8`;
    case 'list':
      return `a claim of list ${damage.list}`;
    case 'booking':
      return `booking ${damage.booking} is not found by its id`;
    case 'label':
      return `the label of ${damage.shipment} belongs to ${damage.booking}, which is not found`;
    case 'print':
      return 'a record of who prints a label';
    case 'identity':
      return 'it has lost its identity';
    case 'file':
      return 'the file is not a database';
  }
}

interface Versions {
  version: number;
  supported: number;
}

const versionWords = (versions: Versions): string =>
  `${versions.version > versions.supported ? 'a newer' : 'an older'} version of waybill (tables ${versions.version}, not ${versions.supported})`;

interface Failed extends OfJournal {
  doing: JournalWork;
  why: string | StoreFault;
}

const journalFailedText = (failure: Failed): Text =>
  say`the journal ${failure.journal} cannot be ${failure.doing === 'cleaned' ? 'cleaned of deleted bookings' : failure.doing}: ${typeof failure.why === 'string' ? failure.why : storeFaultWords(failure.why)}`;

const FILE_CURES = {
  damaged: say`Put it back from a backup, or save what can be read (${HELP})`,
  locked: say`Try again when the command that locks it has ended`,
};

const PASSWORD = say`Its password comes from WAYBILL_JOURNAL, PGPASSWORD, PGPASSFILE or the profile`;

/** What to do next, by the error code of PostgreSQL. */
const SERVER_CURES: Readonly<Record<string, Text>> = {
  '28P01': PASSWORD,
  '28000': PASSWORD,
  '3D000': say`Create the database first (${HELP})`,
  '3F000': say`Its schema is missing, or closed to the role. As the owner of the database: CREATE SCHEMA name AUTHORIZATION role`,
  '42501': say`The role lacks a right (${HELP}). Who does not own the database needs CREATE SCHEMA waybill AUTHORIZATION role`,
  '25006': NAME_WRITER,
  '0A000': say`It may not be a full PostgreSQL server`,
};
const CHECK_SERVER = say`Check the server and its address (WAYBILL_JOURNAL or the profile), then try again`;

/** The tables of a shared journal, and their schema. */
interface OfTables extends OfJournal {
  schema: string;
  tables: readonly string[];
}

interface OfRole {
  role: string;
}

const quotedRole = (role: string): string => `"${role.replaceAll('"', '""')}"`;

/** The same SQL statement for each table. */
const forEach = (place: Pick<OfTables, 'schema' | 'tables'>, statement: (table: string) => string): string =>
  place.tables.map(table => statement(`${place.schema}.${table}`)).join('; ');

const OWNER = 'As the owner of the tables';

const DIFFERENCES = { system: 'system identifier', database: 'oid', timeline: 'timeline' };

type Change = Record<'was' | 'is', string | null>;

const serverChangeWords = (differs: keyof typeof DIFFERENCES, change: Change): string =>
  `${DIFFERENCES[differs]} ${change.is}, was ${change.was}`;

/** By a setting of the server: the crash in which it may lose bookings, and the cure. */
const UNSAFE_SETTINGS = {
  synchronous_commit: {
    crash: 'a crash',
    cure: 'For this role: ALTER ROLE name SET synchronous_commit = on',
  },
  fsync: {
    crash: 'a power failure',
    cure: 'As a superuser: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()',
  },
};

const FOUND_TWICE = say`If that finds a key twice, it was booked twice: ${pattern('waybill history list --key KEY')}`;

interface NotUnique extends OfJournal {
  engine: Engine;
  table: string;
  columns: string;
  /** An index that exists, but is not valid. */
  invalidIndex?: string | undefined;
  /** The SQL that makes the columns unique again; missing where only a backup helps. */
  statement?: string;
}

export const JOURNAL = {
  'journal-has-no-tables': (notice: OfJournal): Saying => ({
    what: say`the journal ${notice.journal} does not exist yet`,
  }),
  'journal-tables-must-exist': (notice: OfJournal & { schema: string; reason: MustExist }): Saying => ({
    what: say`the journal ${notice.journal} has no tables yet in the schema ${notice.schema}. ${mustExistText(notice.reason)}`,
    toDo: say`Check the address, or make them with ${flag('--new-journal')}`,
  }),
  'journal-of-other-version': (notice: OfJournal & Versions & { engine: Engine }): Saying => {
    const isNewer = notice.version > notice.supported;
    const begin =
      notice.engine === 'SQLite'
        ? 'Then keep its files (journal.db*) in another folder'
        : 'Then name another database';
    return {
      what: say`the journal ${notice.journal} was written by ${versionWords({ version: notice.version, supported: notice.supported })}`,
      toDo: isNewer
        ? say`Update waybill on this machine`
        : say`First resolve, with that version, what ${pattern('waybill history list --state unknown')} shows. ${begin}: the next booking makes a new journal without its keys`,
    };
  },
  'journal-lost-bookings': (notice: JournalLoss & OfJournal): Saying => {
    const { what, cure, isGone = false } = lossWords(notice);
    return {
      what: say`the journal ${notice.journal} ${what}. Lost keys would be booked again`,
      toDo: isGone
        ? say`${cure}, or begin a new one with ${flag('--new-journal')}`
        : say`${cure}. ${RESTORED} goes on with what is there`,
    };
  },
  'journal-key-not-unique': (missing: NotUnique): Saying => {
    const { journal, engine, table, columns, invalidIndex, statement } = missing;
    const index =
      invalidIndex === undefined
        ? `no unique index${engine === 'PostgreSQL' ? ' with the collation "C"' : ''}`
        : `an index that is not valid (${invalidIndex})`;
    const who = engine === 'PostgreSQL' ? OWNER : 'With any program for SQLite';
    return {
      what: say`the journal ${journal} may book a key twice: its table ${table} has ${index} for ${columns}`,
      toDo: statement === undefined ? FROM_BACKUP : say`${who}: ${statement}. ${FOUND_TWICE}`,
    };
  },
  'journal-moved': (notice: OfJournal & { to: string }): Saying => ({
    what: say`the bookings of the journal ${notice.journal} were moved to ${notice.to}`,
    toDo: say`Set WAYBILL_JOURNAL to it, or ${pattern(`waybill profile set NAME journal=${shellWord(notice.to)}`)}. If the move was cut off: ${command('waybill', 'history', 'move', notice.to)}`,
  }),
  'booking-moved': (notice: { booking: string; to: string }): Saying => ({
    what: say`booking ${notice.booking} was moved to ${notice.to}: resolve it there`,
  }),

  // The journal is a file of this machine.
  'journal-file-failed': (notice: Failed & { problem?: 'damaged' | 'locked' | undefined }): Saying => ({
    what: journalFailedText(notice),
    ...(notice.problem && { toDo: FILE_CURES[notice.problem] }),
  }),
  'journal-file-unwritable': (notice: OfJournal): Saying => ({
    what: say`the journal ${notice.journal} cannot be written by this user`,
    toDo: LET_USER_WRITE,
  }),
  'journal-writes-unmerged': (notice: OfJournal): Saying => ({
    what: say`the newest bookings of the journal ${notice.journal} are still in its -wal, and to read it does not merge them`,
    toDo: say`Run ${command('waybill', 'history', 'check')} as a user who may write to it`,
  }),
  'journal-writes-of-other-file': (notice: OfJournal): Saying => ({
    what: say`the journal ${notice.journal} is a copy, or older than its -wal. Lost keys would be booked again`,
    toDo: say`Put back the right file. To go on without the newest bookings, move its -wal and -shm away: ${command('waybill', 'history', 'check')} then says what is missing`,
  }),
  'journal-has-several-names': (notice: OfJournal & { names: number }): Saying => ({
    what: say`the journal ${notice.journal} has ${notice.names} names (hard links): a command that uses another one would book again`,
    toDo: say`Remove all but one: ${pattern(`find / -xdev -samefile ${shellWord(notice.journal)}`)}`,
  }),
  'journal-count-unusable': (notice: CountFault & { path: string }): Saying => ({
    what: say`the count of bookings ${notice.path} cannot be used: ${countFault(notice)}`,
    toDo:
      notice.fault === 'unreadable' && notice.isForbidden
        ? LET_USER_WRITE
        : say`If the journal is complete, ${RESTORED} writes it again`,
  }),

  // The journal is on a server.
  /**
   * `code`: the error code of PostgreSQL or the system. `wasSent`: a booking was sent, and could not be recorded: to repeat the command
   * would book it again.
   */
  'journal-server-failed': (notice: Failed & { code?: string | undefined; wasSent: boolean }): Saying => ({
    what: journalFailedText(notice),
    ...(!notice.wasSent && { toDo: SERVER_CURES[notice.code ?? ''] ?? CHECK_SERVER }),
  }),
  'journal-server-changed': (notice: OfJournal & Change & { differs: keyof typeof DIFFERENCES }): Saying => ({
    what: say`the journal ${notice.journal} has another server than before (${serverChangeWords(notice.differs, notice)})`,
    toDo: say`Bookings may be missing there, so nothing more is sent: ${command('waybill', 'history', 'check')}`,
  }),
  'journal-taken-over': (notice: OfJournal & Change): Saying => ({
    what: say`the journal ${notice.journal} was taken over (${serverChangeWords('timeline', notice)}) and goes on, as journalFailover=lossless says`,
  }),
  'journal-identity-lost': (notice: OfJournal): Saying => ({
    what: say`the journal ${notice.journal} is damaged: it has lost its identity`,
    toDo: FROM_BACKUP,
  }),
  'journal-tables-missing': (notice: OfTables & { missing: readonly string[] }): Saying => ({
    what: say`the journal ${notice.journal} has lost the tables ${notice.missing.join(', ')}`,
    toDo: say`Put them back from a backup. To go on without their keys: DROP TABLE ${notice.tables.map(table => `${notice.schema}.${table}`).join(', ')} CASCADE, and then ${flag('--new-journal')}`,
  }),
  /** `isRequired`: WAYBILL_REQUIRE_JOURNAL is set. */
  'journal-doubtful': (notice: OfJournal & OfRole & { isRequired: boolean }): Saying => ({
    what: say`the journal ${notice.journal} cannot tell whether it has lost bookings: the role ${quotedRole(notice.role)} may not ask its server${notice.isRequired ? `, and ${REASONS.required}` : ''}`,
    toDo: say`As a superuser in its database: GRANT EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn) TO ${quotedRole(notice.role)}`,
  }),
  'journal-on-standby': (notice: OfJournal): Saying => ({
    what: say`the journal ${notice.journal} is on a standby server, which may lack the newest bookings`,
    toDo: say`Name its primary`,
  }),
  'journal-schema-closed': (notice: OfJournal & OfRole & { schema: string }): Saying => ({
    what: say`the journal ${notice.journal} cannot be read by the role ${quotedRole(notice.role)}`,
    toDo: say`As the owner of the schema: GRANT USAGE ON SCHEMA ${notice.schema} TO ${quotedRole(notice.role)}`,
  }),
  'journal-setting-unsafe': (notice: OfJournal & { setting: keyof typeof UNSAFE_SETTINGS }): Saying => ({
    what: say`the journal ${notice.journal} could lose bookings in ${UNSAFE_SETTINGS[notice.setting].crash}: ${notice.setting} is off`,
    toDo: say`${UNSAFE_SETTINGS[notice.setting].cure}`,
  }),
  'journal-encoding-unusable': (notice: OfJournal & { encoding: string }): Saying => ({
    what: say`the journal ${notice.journal} cannot hold every text: its encoding is ${notice.encoding}`,
    toDo: say`Name another one: CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8'`,
  }),
  'journal-isolation-unusable': (notice: OfJournal & { isolation: string }): Saying => ({
    what: say`the journal ${notice.journal} has ${notice.isolation} transactions in place of read committed`,
    toDo: say`A pooler must give each session a connection of its own (PgBouncer: pool_mode = session)`,
  }),
  'journal-rights-missing': (
    notice: OfTables & OfRole & { doing: 'read' | 'written'; rights: readonly string[] },
  ): Saying => ({
    what: say`the journal ${notice.journal} cannot be ${notice.doing} completely: the role ${quotedRole(notice.role)} lacks ${someOf(notice.rights, EXAMPLES)}`,
    toDo: say`${OWNER}: GRANT SELECT, INSERT, UPDATE, DELETE ON ${notice.tables.map(table => `${notice.schema}.${table}`).join(', ')} TO ${quotedRole(notice.role)}`,
  }),
  'journal-rows-hidden': (notice: OfTables & OfRole): Saying => ({
    what: say`the journal ${notice.journal} may hide bookings from the role ${quotedRole(notice.role)}: row security of ${notice.tables.join(', ')}`,
    toDo: say`${OWNER}: ${forEach(notice, table => `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)}`,
  }),
  'journal-read-only': (notice: OfJournal): Saying => ({
    what: say`the journal ${notice.journal} is read-only`,
    toDo: NAME_WRITER,
  }),
  'journal-tables-unlogged': (notice: OfTables): Saying => ({
    what: say`the journal ${notice.journal} would lose bookings in a crash: ${notice.tables.length} of its tables are UNLOGGED`,
    toDo: say`${OWNER}: ${forEach(notice, table => `ALTER TABLE ${table} SET LOGGED`)}`,
  }),

  // A move into a shared journal.
  'nothing-moved': (notice: { reasons: number }): Saying => ({
    what: say`history move: nothing was moved, for ${numbered(notice.reasons, 'reason')}`,
  }),
  'move-incomplete': (notice: { to: string; there: number; bookings: number }): Saying => ({
    what: say`${notice.to} has ${notice.there} of the ${numbered(notice.bookings, 'booking')} that were moved`,
    toDo: say`Run it again`,
  }),
  'moved-elsewhere': (notice: { to: string; identity: string }): Saying => ({
    what: say`the bookings were moved to ${notice.to} (${notice.identity}), and ADDRESS is another journal`,
  }),
  'booking-under-way': (): Saying => ({ what: say`it is being sent: wait for its end` }),
  'print-under-way': (): Saying => ({ what: say`its label is being printed: wait for its end` }),
  'list-unfinished': (): Saying => ({
    what: say`the list was not written to its end: run its command again`,
  }),
  'held-in-both': (notice: Record<'here' | 'there' | 'address' | 'account', string>): Saying => ({
    what: say`${notice.here} has it here, and ${notice.there} has it there, at ${notice.address}${notice.account && ` (account ${notice.account})`}`,
  }),
};
