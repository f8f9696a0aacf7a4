// The tables of the first state of the journal, for imports.

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
