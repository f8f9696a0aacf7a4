// What is said of the journal: of its file, its server, what it has lost, and of a move into a shared one.
import { numbered, shellWord } from '../text.ts';
import { command, flag, next, pattern, type Saying, say, type Text } from './sentence.ts';
import { type MustExist, mustExistText } from './session.ts';

/** `journal`: its file, or its address without a password. */
interface OfJournal {
  journal: string;
}

type Engine = 'SQLite' | 'PostgreSQL';

const RESTORED = pattern('waybill history check --restored --reason TEXT');
const PUT_FILE_BACK = say`Put the file back with its -wal, or from a backup`;
const LET_USER_WRITE = say`Let the user of this command write to that file and its folder`;

/** What a journal has lost. */
export type JournalLoss =
  /** Of a file: it is missing or empty. */
  | { loss: 'file' }
  /** `held`: how many it had. */
  | { loss: 'newest'; newest: number; held: number }
  /** It is a copy that `history backup` made. `at`: ISO 8601. */
  | { loss: 'backup'; at: string }
  /** Of a server: all tables, or all that was in them. */
  | { loss: 'tables' | 'bookings' }
  /** This machine saw it there. `at`: ISO 8601. */
  | { loss: 'booking'; booking: string; at: string }
  /** A dump was restored over the tables. */
  | { loss: 'restored-dump' }
  /** It is on another server, in another database or on another timeline. */
  | { loss: 'system' | 'database' | 'timeline'; was: string; is: string };

interface LossWords {
  what: Text;
  /** How what was lost is put back. */
  cure: Text;
  isGone?: boolean;
}

const LOOK_ELSEWHERE = say`${next('waybill', 'history', 'list')} shows the newest that it has. Look for later ones at the provider and in the results of batches, which ${pattern('waybill history import FILE')} adds`;
const PUT_TABLES_BACK = say`Put them back from a backup`;

function lossWords(lost: JournalLoss): LossWords {
  switch (lost.loss) {
    case 'file':
      return { what: say`is missing or empty, but it held bookings`, cure: PUT_FILE_BACK, isGone: true };
    case 'newest':
      return {
        what: say`has lost bookings: the newest is number ${lost.newest}, and it held ${lost.held}`,
        cure: PUT_FILE_BACK,
        isGone: lost.newest === 0,
      };
    case 'backup':
      return {
        what: say`is a copy that ${pattern('waybill history backup FILE')} made at ${lost.at}, without the bookings since then`,
        cure: say`Use the journal itself if it still exists`,
      };
    case 'tables':
      return { what: say`has lost its tables`, cure: PUT_TABLES_BACK, isGone: true };
    case 'bookings':
      return {
        what: say`has lost its bookings: it held some, and holds none`,
        cure: PUT_TABLES_BACK,
        isGone: true,
      };
    case 'booking':
      return {
        what: say`has lost bookings: ${lost.booking}, of ${lost.at}, that this machine saw in it, is not in it any more`,
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
        what: say`may have lost bookings, because it is a copy: it was made ${
          lost.loss === 'system' ? 'on a server with the system identifier' : 'in a database with the oid'
        } ${lost.was}, and not ${lost.is}`,
        cure: LOOK_ELSEWHERE,
      };
    case 'timeline':
      return {
        what: say`may have lost bookings: its server is on timeline ${lost.is}, and was on timeline ${lost.was}, so a standby took over, or it was put back`,
        cure: LOOK_ELSEWHERE,
      };
  }
}

/** Why the file beside a journal that says how many bookings it held cannot be used. */
export type CountFault =
  | { fault: 'no-file' | 'other-user' | 'damaged' }
  /** `isForbidden`: this user may not read it. */
  | { fault: 'unreadable'; why: string; isForbidden: boolean };

function countFault(fault: CountFault): string {
  switch (fault.fault) {
    case 'no-file':
      return 'it is not a plain file';
    case 'other-user':
      return 'it belongs to another user than the journal';
    case 'damaged':
      return 'it is damaged: it does not have two numbers';
    case 'unreadable':
      return fault.why;
  }
}

export type JournalWork = 'opened' | 'read' | 'written' | 'copied' | 'cleaned' | 'closed';

/** What is not as waybill wrote it. */
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
      return `it would be written by SQLite ${fault.version}, which can lose what it has confirmed while several processes write. It must be 3.51.3 or newer; install waybill on this machine again`;
    case 'other-version':
      return `it was written by ${versionWords(fault)}`;
    case 'no-tables':
      return 'it has no tables of waybill';
    case 'replaced':
      return 'it was deleted, moved or replaced while it was in use';
    case 'booking-gone':
      return `it does not have the booking ${fault.booking} any more`;
    case 'ended-twice':
      return `the booking ${fault.booking} ended twice, and nobody has settled it`;
    case 'shipments-contended':
      return `other processes take the shipments of booking ${fault.booking} and give them back, again and again`;
    case 'shipment-just-recorded':
      return `another process has just recorded the shipment ${fault.shipment}`;
    case 'no-answer':
      return 'it gave no answer';
  }
}

function damageWords(damage: Damage): string {
  switch (damage.part) {
    case 'column':
      return `the "${damage.column}" of booking ${damage.booking} is not what waybill writes`;
    case 'text':
      return `the text "${damage.column}"${damage.booking === undefined ? '' : ` of ${damage.booking}`} is not UTF-8`;
    case 'list':
      return `list ${damage.list} has a claim that is not what waybill writes`;
    case 'booking':
      return `the booking ${damage.booking} is not found by its id`;
    case 'label':
      return `the label of ${damage.shipment} belongs to ${damage.booking}, which is not found`;
    case 'print':
      return 'who prints a label is not what waybill writes';
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

const versionWords = ({ version, supported }: Versions): string =>
  `${version > supported ? 'a newer' : 'an older'} version of waybill (its tables have number ${version}, not ${supported})`;

interface Failed extends OfJournal {
  doing: JournalWork;
  why: string | StoreFault;
}

const failed = ({ journal, doing, why }: Failed): Text =>
  say`the journal ${journal} cannot be ${doing === 'cleaned' ? 'cleaned of what was deleted' : doing}: ${typeof why === 'string' ? why : storeFaultWords(why)}`;

const FILE_CURES = {
  damaged: say`Put it back from a backup, or save what can be read: ${command('waybill', 'help', 'journal')} says how`,
  locked: say`Another command holds it, such as one that prunes: try again when that has ended`,
};

const PASSWORD = say`The password comes from the address in WAYBILL_JOURNAL, PGPASSWORD, PGPASSFILE or the profile`;

/** What to do next, by the code that PostgreSQL gives. */
const SERVER_CURES: Readonly<Record<string, Text>> = {
  '28P01': PASSWORD,
  '28000': PASSWORD,
  '3D000': say`Create the database first: ${command('waybill', 'help', 'journal')} shows how`,
  '3F000': say`The schema of the address does not exist, or the role may not use it. As the owner of the database: CREATE SCHEMA name AUTHORIZATION role`,
  '42501': say`The role lacks a right: ${command('waybill', 'help', 'journal')} shows which it needs. Who does not own the database needs its schema: CREATE SCHEMA waybill AUTHORIZATION role`,
  '25006': say`It is read-only, like that of a standby server. Name the server that accepts writes`,
  '0A000': say`It may be a server that cannot do all that PostgreSQL does`,
};
const CHECK_SERVER = say`Check the server, and the address in WAYBILL_JOURNAL or the profile, and try again`;

/** A role that books, and the tables of a shared journal. */
interface OfTables extends OfJournal {
  schema: string;
  tables: readonly string[];
}

interface OfRole {
  role: string;
}

const quoted = (role: string): string => `"${role.replaceAll('"', '""')}"`;

/** A statement for each table. */
const forEach = (
  { schema, tables }: Pick<OfTables, 'schema' | 'tables'>,
  statement: (table: string) => string,
): string => tables.map(table => statement(`${schema}.${table}`)).join('; ');

const DIFFERENCES = { system: 'system identifier', database: 'oid', timeline: 'timeline' };

/** What a server may lose in a crash, by its setting. */
const UNSAFE_SETTINGS = {
  synchronous_commit: {
    crash: 'a crash',
    cure: 'To switch it on for this role: ALTER ROLE name SET synchronous_commit = on',
  },
  fsync: {
    crash: 'a power failure',
    cure: 'To switch it on: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()',
  },
};

const FOUND_TWICE = say`If that finds a key twice, it was booked twice: ${pattern('waybill history list --key KEY')} shows both`;

interface NotUnique extends OfJournal {
  engine: Engine;
  table: string;
  columns: string;
  /** An index that is there and not valid. */
  invalidIndex?: string | undefined;
  /** The SQL that makes it unique again; only a backup does where there is none. */
  statement?: string;
}

export const JOURNAL = {
  'journal-has-no-tables': ({ journal }: OfJournal): Saying => ({
    what: say`the journal ${journal} does not exist yet: its database has no tables of waybill`,
  }),
  'journal-tables-must-exist': ({
    journal,
    schema,
    reason,
  }: OfJournal & { schema: string; reason: MustExist }): Saying => ({
    what: say`the journal ${journal} does not exist yet: its database has no tables of waybill in the schema ${schema}. ${mustExistText(reason)}`,
    toDo: say`Check the address, or give ${flag('--new-journal')} to make them`,
  }),
  'journal-of-other-version': ({
    journal,
    engine,
    version,
    supported,
  }: OfJournal & Versions & { engine: Engine }): Saying => {
    const isNewer = version > supported;
    const begin =
      engine === 'SQLite'
        ? 'Then move it, with the files whose names begin with its own, into another folder, and keep them'
        : 'Then name another database, and keep this one';
    return {
      what: say`the journal ${journal} was written by ${versionWords({ version, supported })}`,
      toDo: isNewer
        ? say`To use it, update waybill on this machine`
        : say`First settle what is unknown in it, with that version: ${pattern('waybill history list --state unknown')} lists it. ${begin}: the next booking makes a new journal, which does not know its keys`,
    };
  },
  'journal-lost-bookings': ({ journal, ...lost }: JournalLoss & OfJournal): Saying => {
    const { what, cure, isGone = false } = lossWords(lost);
    return {
      what: say`the journal ${journal} ${what}. A key that was lost with them would be booked again`,
      toDo: isGone
        ? say`${cure}. ${flag('--new-journal')} continues with a new one`
        : say`${cure}. ${RESTORED} continues with what is there`,
    };
  },
  'journal-key-not-unique': (missing: NotUnique): Saying => {
    const { journal, engine, table, columns, invalidIndex, statement } = missing;
    const index =
      invalidIndex === undefined
        ? `no unique index${engine === 'PostgreSQL' ? ' with the collation "C"' : ''}`
        : `an index that is not valid (${invalidIndex})`;
    const who =
      engine === 'PostgreSQL'
        ? 'As the owner of the tables'
        : 'To make it again, with any program for SQLite';
    return {
      what: say`the journal ${journal} may book a key twice, because its table ${table} has ${index} for ${columns}`,
      toDo:
        statement === undefined
          ? say`Put it back from a backup: ${command('waybill', 'help', 'journal')} says how`
          : say`${who}: ${statement}. ${FOUND_TWICE}`,
    };
  },
  'journal-moved': ({ journal, to }: OfJournal & { to: string }): Saying => ({
    what: say`the bookings of the journal ${journal} were moved to ${to}`,
    toDo: say`Set WAYBILL_JOURNAL to that address, or ${pattern(`waybill profile set NAME journal=${shellWord(to)}`)}. If the move was interrupted, run ${command('waybill', 'history', 'move', to)} again`,
  }),
  'booking-moved': ({ booking, to }: { booking: string; to: string }): Saying => ({
    what: say`booking ${booking} was moved to ${to}: settle it there`,
  }),

  // A file of this machine.
  'journal-file-failed': ({
    problem,
    ...failure
  }: Failed & { problem?: 'damaged' | 'locked' | undefined }): Saying => ({
    what: failed(failure),
    ...(problem && { toDo: FILE_CURES[problem] }),
  }),
  'journal-file-unwritable': ({ journal }: OfJournal): Saying => ({
    what: say`the journal ${journal} cannot be written by this user`,
    toDo: LET_USER_WRITE,
  }),
  'journal-writes-unmerged': ({ journal }: OfJournal): Saying => ({
    what: say`the newest bookings of the journal ${journal} are in ${journal}-wal alone, and only a user who may write to them can merge them`,
    toDo: say`Run ${command('waybill', 'history', 'check')} as that user`,
  }),
  'journal-writes-of-other-file': ({ journal }: OfJournal): Saying => ({
    what: say`${journal} is not the file that the -wal beside it belongs to: it is older, or a copy, and the newest bookings are in the -wal alone. A key that both lack would be booked again`,
    toDo: say`Put the file back that was there before. To go on without those bookings, move ${journal}-wal and ${journal}-shm to another folder: then ${command('waybill', 'history', 'check')} says what is missing`,
  }),
  'journal-has-several-names': ({ journal, names }: OfJournal & { names: number }): Saying => ({
    what: say`the journal ${journal} has ${names} names (hard links): a process that opens it by another path does not see what this one books`,
    toDo: say`Remove all but one; ${pattern(`find / -xdev -samefile ${shellWord(journal)}`)} lists them`,
  }),
  'journal-count-unusable': ({ path, ...fault }: CountFault & { path: string }): Saying => ({
    what: say`${path}, which says how many bookings the journal held, cannot be used: ${countFault(fault)}`,
    toDo:
      fault.fault === 'unreadable' && fault.isForbidden
        ? LET_USER_WRITE
        : say`If the journal beside it is complete, ${RESTORED} writes that file again`,
  }),

  // A server.
  /** `code`: that of PostgreSQL or the system. `wasSent`: it was to record what was sent: to try again would book it again. */
  'journal-server-failed': ({
    code,
    wasSent,
    ...failure
  }: Failed & { code?: string | undefined; wasSent: boolean }): Saying => ({
    what: failed(failure),
    ...(!wasSent && { toDo: SERVER_CURES[code ?? ''] ?? CHECK_SERVER }),
  }),
  'journal-server-changed': ({
    journal,
    differs,
    was,
    is,
  }: OfJournal & { differs: keyof typeof DIFFERENCES; was: string; is: string }): Saying => ({
    what: say`the journal ${journal} has another server than this run began with: the ${DIFFERENCES[differs]} is ${is}, and was ${was}`,
    toDo: say`Nothing more is sent, because bookings may be missing there; ${command('waybill', 'history', 'check')} says more`,
  }),
  'journal-taken-over': ({ journal, was, is }: OfJournal & Record<'was' | 'is', string | null>): Saying => ({
    what: say`the server of the journal ${journal} is on timeline ${String(is)}, and was on timeline ${String(was)}: it goes on, because journalFailover=lossless vouches that a standby loses nothing`,
  }),
  'journal-identity-lost': ({ journal }: OfJournal): Saying => ({
    what: say`the journal ${journal} is damaged: it has lost its identity`,
    toDo: say`Put it back from a backup`,
  }),
  'journal-tables-missing': ({
    journal,
    missing,
    ...there
  }: OfTables & { missing: readonly string[] }): Saying => ({
    what: say`the journal ${journal} has lost the tables ${missing.join(', ')}`,
    toDo: say`Put them back from a backup. To go on without their keys: DROP TABLE ${there.tables.map(table => `${there.schema}.${table}`).join(', ')} CASCADE, and then ${flag('--new-journal')}`,
  }),
  /** `isRequired`: WAYBILL_REQUIRE_JOURNAL is set. */
  'journal-doubtful': ({
    journal,
    role,
    isRequired,
  }: OfJournal & OfRole & { isRequired: boolean }): Saying => ({
    what: say`the journal ${journal} cannot tell whether it was put back, moved or taken over, because the role ${quoted(role)} may not run pg_control_system and pg_walfile_name${isRequired ? '. WAYBILL_REQUIRE_JOURNAL is set, so nothing is booked without knowing that' : ''}`,
    toDo: say`As a superuser in its database: GRANT EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn) TO ${quoted(role)}`,
  }),
  'journal-on-standby': ({ journal }: OfJournal): Saying => ({
    what: say`the journal ${journal} is that of a standby server, which may lack what was booked last`,
    toDo: say`Name its primary, the server that accepts writes`,
  }),
  'journal-schema-closed': ({ journal, role, schema }: OfJournal & OfRole & { schema: string }): Saying => ({
    what: say`the journal ${journal} cannot be read: the role ${quoted(role)} lacks USAGE on the schema ${schema}`,
    toDo: say`As the owner of the schema: GRANT USAGE ON SCHEMA ${schema} TO ${quoted(role)}`,
  }),
  'journal-setting-unsafe': ({
    journal,
    setting,
  }: OfJournal & { setting: keyof typeof UNSAFE_SETTINGS }): Saying => ({
    what: say`the journal ${journal} could lose a booking in ${UNSAFE_SETTINGS[setting].crash}, because ${setting} is off`,
    toDo: say`${UNSAFE_SETTINGS[setting].cure}`,
  }),
  'journal-encoding-unusable': ({ journal, encoding }: OfJournal & { encoding: string }): Saying => ({
    what: say`the journal ${journal} cannot hold every text, because the encoding of its database is ${encoding}`,
    toDo: say`Name a database that has UTF8: CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8'`,
  }),
  'journal-isolation-unusable': ({ journal, isolation }: OfJournal & { isolation: string }): Saying => ({
    what: say`the journal ${journal} has transactions of the kind ${isolation}, although the connection asks for read committed`,
    toDo: say`A pooler in between must not share connections within a session`,
  }),
  'journal-rights-missing': ({
    journal,
    doing,
    role,
    rights,
    ...there
  }: OfTables & OfRole & { doing: 'read' | 'written'; rights: readonly string[] }): Saying => ({
    what: say`the journal ${journal} cannot be ${doing} completely: the role ${quoted(role)} lacks ${rights.join(', ')}`,
    toDo: say`As the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${there.tables.map(table => `${there.schema}.${table}`).join(', ')} TO ${quoted(role)}`,
  }),
  'journal-rows-hidden': ({ journal, role, ...hidden }: OfTables & OfRole): Saying => ({
    what: say`the journal ${journal} may hide bookings from the role ${quoted(role)}, because ${hidden.tables.join(', ')} has row security`,
    toDo: say`As the owner of the tables: ${forEach(hidden, table => `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)}`,
  }),
  'journal-read-only': ({ journal }: OfJournal): Saying => ({
    what: say`the journal ${journal} is read-only`,
    toDo: say`Name the server that accepts writes`,
  }),
  'journal-tables-unlogged': ({ journal, ...unlogged }: OfTables): Saying => ({
    what: say`the journal ${journal} would lose bookings in a crash of its server, because these tables are UNLOGGED: ${unlogged.tables.join(', ')}`,
    toDo: say`As the owner of the tables: ${forEach(unlogged, table => `ALTER TABLE ${table} SET LOGGED`)}`,
  }),

  // A move into a shared journal.
  'nothing-moved': ({ reasons }: { reasons: number }): Saying => ({
    what: say`history move: nothing was moved, for ${numbered(reasons, 'reason')}`,
  }),
  'move-incomplete': ({ to, there, bookings }: { to: string; there: number; bookings: number }): Saying => ({
    what: say`${to} has ${there} of the ${numbered(bookings, 'booking')} that were moved`,
    toDo: say`Run the move again`,
  }),
  'moved-elsewhere': ({ to, identity }: { to: string; identity: string }): Saying => ({
    what: say`the bookings were moved to the journal ${to} (${identity}), and ADDRESS is that of another one`,
  }),
  'booking-under-way': (): Saying => ({ what: say`it is being sent: wait for its end` }),
  'print-under-way': (): Saying => ({ what: say`its label is being printed: wait for its end` }),
  'list-unfinished': (): Saying => ({
    what: say`the list was not written to its end: run its command again`,
  }),
  'held-in-both': (held: Record<'here' | 'there' | 'address' | 'account', string>): Saying => ({
    what: say`${held.here} has it here, and ${held.there} has it there, at ${held.address}${held.account && ` (account ${held.account})`}`,
  }),
};
