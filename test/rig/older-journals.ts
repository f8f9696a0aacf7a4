// The tables of earlier states of the journal, for imports: the first one, and the last before the keys had an identity.

export const FIRST_TABLES = `
   CREATE TABLE bookings (
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
     WHERE key IS NOT NULL AND state IN ('pending', 'created', 'partial', 'unknown');
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
   ) STRICT;`;

/** What later states added. */
const ADDED = `
   ALTER TABLE bookings ADD COLUMN source TEXT;
   CREATE INDEX keys ON bookings (address, account, key_space, key) WHERE key IS NOT NULL;
   CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL;
   CREATE INDEX labelled ON labels (shipment);
   DROP INDEX sources;
   CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key IS NULL;
   DROP INDEX pending;
   CREATE INDEX unsettled ON bookings (number) WHERE state IN ('pending', 'unknown');
   ALTER TABLE bookings ADD COLUMN settlements TEXT NOT NULL DEFAULT '[]';
   ALTER TABLE bookings ADD COLUMN overtaken_by TEXT;
   DROP INDEX one_key;
   CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key)
     WHERE key IS NOT NULL AND state IN ('pending', 'created', 'partial', 'unknown') AND overtaken_by IS NULL;
   CREATE INDEX overtaken ON bookings (overtaken_by) WHERE overtaken_by IS NOT NULL;
   CREATE TABLE words (
     word TEXT NOT NULL,
     number INTEGER NOT NULL,
     PRIMARY KEY (word, number)
   ) STRICT, WITHOUT ROWID;
   ALTER TABLE bookings ADD COLUMN run TEXT;
   ALTER TABLE bookings ADD COLUMN actor TEXT;
   ALTER TABLE bookings ADD COLUMN max_price TEXT;
   ALTER TABLE bookings ADD COLUMN over_price INTEGER;
   CREATE INDEX recent ON bookings (at, fingerprint);
   CREATE TABLE seen (
     booking TEXT NOT NULL,
     shipment TEXT NOT NULL,
     milestone TEXT NOT NULL,
     PRIMARY KEY (booking, shipment, milestone)
   ) STRICT, WITHOUT ROWID;`;

export const LATER_TABLES = FIRST_TABLES + ADDED;
