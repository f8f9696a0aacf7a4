import { holdingList } from '../row.ts';

// Times are milliseconds since 1970. A key and the label of a shipment belong to one booking at a time; a booking that
// was rejected or never sent releases them.
export const MIGRATIONS = [
  `CREATE TABLE bookings (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     address TEXT NOT NULL,
     account TEXT NOT NULL,
     operation TEXT NOT NULL,
     key_space TEXT NOT NULL,
     key TEXT,
     fingerprint TEXT NOT NULL,
     state TEXT NOT NULL,
     profile TEXT,
     sandbox INTEGER NOT NULL,
     at INTEGER NOT NULL,
     settled_at INTEGER,
     lease_until INTEGER NOT NULL,
     holder TEXT NOT NULL,
     request TEXT,
     code TEXT,
     why TEXT NOT NULL DEFAULT '',
     http_status INTEGER,
     answer TEXT,
     ids TEXT NOT NULL DEFAULT '{}',
     labels TEXT NOT NULL DEFAULT '{}',
     files TEXT NOT NULL DEFAULT '{}'
   ) STRICT;
   CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key)
     WHERE key IS NOT NULL AND state IN (${holdingList});
   CREATE INDEX same_key ON bookings (key);
   CREATE INDEX same_input ON bookings (address, account, operation, fingerprint);
   CREATE INDEX pending ON bookings (number) WHERE state = 'pending';
   CREATE TABLE labels (
     address TEXT NOT NULL,
     account TEXT NOT NULL,
     shipment TEXT NOT NULL,
     leg TEXT NOT NULL,
     booking TEXT NOT NULL REFERENCES bookings (id),
     PRIMARY KEY (address, account, shipment)
   ) STRICT;
   CREATE INDEX labels_of ON labels (booking);
   CREATE TABLE made (
     id TEXT NOT NULL,
     booking TEXT NOT NULL REFERENCES bookings (id),
     PRIMARY KEY (id, booking)
   ) STRICT;
   CREATE TABLE label_files (
     booking TEXT NOT NULL REFERENCES bookings (id),
     leg TEXT NOT NULL,
     pdf TEXT NOT NULL,
     PRIMARY KEY (booking, leg)
   ) STRICT;`,
  `ALTER TABLE bookings ADD COLUMN source TEXT;
   CREATE INDEX keys ON bookings (address, account, key_space, key) WHERE key IS NOT NULL;
   CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL;
   CREATE INDEX labelled ON labels (shipment);`,
  // An index of hashes takes most of the time of an insert; a booking with a key is looked up by its key.
  `DROP INDEX sources;
   CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key IS NULL;`,
  // For the few unknown bookings among a million others.
  `DROP INDEX pending;
   CREATE INDEX unsettled ON bookings (number) WHERE state IN ('pending', 'unknown');`,
  // A booking whose key was booked again before its own answer came does not hold the key.
  `ALTER TABLE bookings ADD COLUMN settlements TEXT NOT NULL DEFAULT '[]';
   ALTER TABLE bookings ADD COLUMN overtaken_by TEXT;
   DROP INDEX one_key;
   CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key)
     WHERE key IS NOT NULL AND state IN (${holdingList}) AND overtaken_by IS NULL;
   CREATE INDEX overtaken ON bookings (overtaken_by) WHERE overtaken_by IS NOT NULL;`,
  // By which words a booking is found. The empty word has the number up to which readers have added them.
  `CREATE TABLE words (
     word TEXT NOT NULL,
     number INTEGER NOT NULL,
     PRIMARY KEY (word, number)
   ) STRICT, WITHOUT ROWID;`,
  // Which run booked, who, up to which price, and whether the price is above it.
  `ALTER TABLE bookings ADD COLUMN run TEXT;
   ALTER TABLE bookings ADD COLUMN actor TEXT;
   ALTER TABLE bookings ADD COLUMN max_price TEXT;
   ALTER TABLE bookings ADD COLUMN over_price INTEGER;`,
  // The same input is sought among the bookings of a day, a key by `same_key`.
  'CREATE INDEX recent ON bookings (at, fingerprint);',
  // At which milestones that end a journey the shipments of a booking were seen.
  `CREATE TABLE seen (
     booking TEXT NOT NULL,
     shipment TEXT NOT NULL,
     milestone TEXT NOT NULL,
     PRIMARY KEY (booking, shipment, milestone)
   ) STRICT, WITHOUT ROWID;`,
  // What persons said about a journal that was put back.
  `CREATE TABLE restorations (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     at INTEGER NOT NULL,
     person TEXT NOT NULL,
     reason TEXT NOT NULL,
     run TEXT,
     missing_since INTEGER
   ) STRICT;`,
];

/**
 * Only versions before `recent` use these indexes, and the journal that such a version may have open keeps them: without
 * them it would read all bookings while it holds the lock. Each costs a page for each booking.
 */
export const FOR_NEW_JOURNALS = 'DROP INDEX same_input; DROP INDEX keys;';
