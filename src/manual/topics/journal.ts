import { CANCELLING } from '../cancelling.ts';
import { sectionsOf } from '../document.ts';

export const TOPIC = sectionsOf(`
# Purpose

The service has no idempotency key and no list of shipments. So the journal records every booking (ship, ship-dual, label, webhook create) twice: the intent before the first byte is sent, and the outcome before it is shown. If a command is killed at any moment, you can run it again: it does not book twice.

# States

pending    It is being sent. It becomes unknown when its process has ended. If the process runs in another container or on another machine, it becomes unknown a minute after the process last renewed its claim; if the process is stopped, an hour later.
created    It exists, and its answer is recorded.
partial    A part of it exists: one leg, a shipment without its label, or a subscription without its secret.
rejected   The service rejected it. You can use its key again.
not_sent   It never reached the service. You can use its key again.
unknown    It was sent, but no clear answer came: it may exist. Nothing like it is sent until it is resolved.

# Keys

--key gives a booking a name of your own, such as an order number: at most 1,024 bytes of UTF-8, without control characters. Keys that look the same are one key: blanks around a key, the number of blanks in it, characters that nobody sees, and zeros in front of a number do not count. The same key with the same input shows the recorded answer with its exit code, and sends nothing. With other input it is a duplicate (exit 2). While the booking is unknown it is exit 8. ship and ship-dual share their keys. Keys belong to the address and the account of the profile.

Without a key, waybill asks before it sends the same input as a booking of the last 24 hours, or as an unknown booking of any age. If it cannot ask, that is a duplicate. --allow-duplicate sends it. With a key of its own, the same input under another key is a warning, and with --strict an error. A shipment is labelled once, by its id.

# Resolving an unknown booking

  waybill history list --state unknown
  waybill history resolve ORDER-1001 --created SHIPMENT_ID
  waybill history resolve ORDER-1001 --not-created

Look it up at the service first. With --created waybill reads the shipment from the service, compares the receiver and shows it before it records anything. What you say is added to the record; --reopen takes it back.

Before every attempt waybill asks the journal whether the booking is still its own to send. A process that was stopped, and whose booking was resolved in the meantime, sends nothing. An answer that comes after you resolved its booking is never dropped: it counts, and the command says so. If the order was booked again in the meantime, both shipments may exist: the command names them with exit 8, and the first booking is unknown until you cancel one of the two and resolve it.

# Cancelling

${CANCELLING}.

# One journal for a team

A journal on a disk protects one machine. Two people with the same orders, or CI jobs that each get a new disk, need a shared journal in PostgreSQL. It needs a role and a database that the role owns. The first command that opens it creates the tables:

  createuser --pwprompt waybill
  createdb --owner=waybill waybill
  export WAYBILL_JOURNAL=postgres://waybill@db.example.com/waybill

Or set it in the profile, for everyone who uses the profile: \`waybill profile set live journal=postgres://waybill@db.example.com/waybill\`. The password comes from PGPASSWORD, from PGPASSFILE, or from a program: \`waybill profile set live "journalPasswordCommand=pass show waybill-journal"\`. In WAYBILL_JOURNAL the address may contain it. Connections to another machine are encrypted, and the server is verified. sslrootcert=FILE in the address names your own authority.

The first machine that records the intent of a key sends it. All others wait for the outcome and show it. The sender holds the key for one minute at a time, by the clock of the server, and renews that while it works. If it stops renewing, the booking is unknown for everyone, and is never sent again. Several machines may run the same batch file at the same time: they divide the records, and each record is booked once.

The database must have the encoding UTF8, fsync and synchronous_commit must be on, and the role needs SELECT, INSERT, UPDATE and DELETE on the tables, or owns them. In the schema public, the role that makes the tables needs \`GRANT USAGE, CREATE ON SCHEMA public TO name\`; for another one, run \`GRANT USAGE ON SCHEMA public TO name\` and \`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO name\` afterwards. Otherwise nothing is sent (exit 10), and the message has the SQL that fixes it. waybill sets isolation and time limits of its connections itself. A journal that held bookings and is empty, or whose tables were dropped, is exit 10, too, unless you give --new-journal.

A database has one journal, unless the address names the schema. A second set of tables in public, in a schema that has the name of a role, or in one that ALTER ROLE or ALTER DATABASE names in a search_path, is exit 10: the message names both schemas, and what to do. So is a second set in the search_path of the address itself.

If the journal cannot be reached or written, nothing is sent (exit 10). If the connection is lost during a batch, no further record starts. Requests in flight are waited for and shown, and waybill tries for a minute to record their outcome. The profile demo always uses the journal of this machine.

# Another machine

  waybill history import orders.results.jsonl
  waybill history import old-state/journal.db

The bookings of another machine are not known here until you import them: a whole journal, or what the results of a batch say, as JSON lines. Results are imported only where their place is that of the command: choose it with --profile and --sandbox (else exit 2). Each booking is imported once. A key that has another booking here is left out, and the command says so.

# Where it is

The file journal.db in the state folder (\`waybill help environment\`), readable only for you. It also keeps labels, and secrets that the service shows only once. \`waybill history check\` says whether a booking could use it, and how large it is. \`waybill history backup FILE\` copies it while others write. \`waybill history prune --older-than 365d\` deletes requests, answers and labels, and keeps keys and ids.

A new disk has no journal. So with CI set, booking against production is exit 10 if the journal does not exist yet, also a shared database without the tables. With WAYBILL_REQUIRE_JOURNAL=1 that is so everywhere, and at any address. Keep the state folder between runs. --new-journal starts with an empty journal.

The file has one path. One that has a second name (a hard link), or is mounted by itself into a container, is exit 10: SQLite names its locks by the path, so two processes would not see each other. Mount the folder.

# A journal that lost bookings

A file beside the journal (journal.db-count) says how many bookings it held. If the journal is missing, was emptied, or is an older copy, booking is exit 10: a key that was lost would be booked again. \`waybill history list\` shows what is left, with a warning. Put journal.db back with journal.db-wal, or from a backup, or import the results of your batches. An older copy beside the journal.db-wal of a crash is exit 10 for every command, because the two do not belong together.

In a shared journal the tables know their server and their database, and the state folder of each machine remembers the last booking that it has seen there. A copy of the database in another place, and one without that booking, is exit 10. If the server only changed its timeline, as after a failover, and the booking is there, nothing is said; a machine that has not used the journal before warns. A role that may not run pg_control_system gets a warning with the GRANT that mends it.

To go on without what was lost:

  waybill history check --new-journal
  waybill history check --restored --reason "the backup of Monday"

--new-journal is for a journal that is gone, with all of its bookings. --restored is for one that was put back or moved: who said so, when and why is kept in the journal, holds for every machine, and is shown with the time after which bookings may be missing. In a shared journal the role needs UPDATE on waybill_schema and INSERT on restorations for that, or owns them. waybill does not know the lost keys, and books them again if you give them. If the whole state folder is deleted, nothing shows that there was a journal: WAYBILL_REQUIRE_JOURNAL=1 prevents that a new journal is made.

If the journal is deleted or replaced while a booking is in flight, the command shows the ids that it got and ends with exit 10, because it could not record them.

# Damage

A journal that cannot be read is exit 10, and nothing is sent: damage to a text, a page or a record is named if it can be found. Put the file back from a backup. If there is none, SQLite saves what can be read as statements:

  sqlite3 journal.db .recover >all.sql

Compare what was saved with the service before you book again: what is not in the journal can be booked twice.
`);
