import type { Schema } from '../../sqlite.ts';
import { SCHEMA_VERSION } from '../opening.ts';
import { holdingList } from '../row.ts';

/**
 * Times are milliseconds since 1970. A key and the label of a shipment belong to one booking at a time; a booking that was
 * rejected or never sent releases them, and so does one whose key was booked again before its own answer came.
 */
export const SCHEMA: Schema = {
  version: SCHEMA_VERSION,
  create: `
    CREATE TABLE bookings (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      address TEXT NOT NULL,
      account TEXT NOT NULL,
      operation TEXT NOT NULL,
      key_space TEXT NOT NULL,
      key TEXT,
      -- What is compared of the key.
      key_id TEXT,
      fingerprint TEXT NOT NULL,
      source TEXT,
      -- Which record of a batch it was, as a file of its failed records names it.
      record_name TEXT,
      state TEXT NOT NULL,
      profile TEXT,
      sandbox INTEGER NOT NULL,
      run TEXT,
      actor TEXT,
      max_price TEXT,
      -- The price that a proposal gave.
      expected TEXT,
      at INTEGER NOT NULL,
      settled_at INTEGER,
      lease_until INTEGER NOT NULL,
      holder TEXT NOT NULL,
      code TEXT,
      http_status INTEGER,
      over_price INTEGER,
      -- The provider cancelled it.
      cancelled INTEGER NOT NULL DEFAULT 0,
      overtaken_by TEXT,
      why TEXT NOT NULL DEFAULT '',
      ids TEXT NOT NULL DEFAULT '{}',
      labels TEXT NOT NULL DEFAULT '{}',
      files TEXT NOT NULL DEFAULT '{}',
      settlements TEXT NOT NULL DEFAULT '[]',
      request TEXT,
      answer TEXT
    ) STRICT;
    CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key_id)
      WHERE key_id IS NOT NULL AND state IN (${holdingList}) AND overtaken_by IS NULL;
    CREATE INDEX same_key ON bookings (key_id);
    -- A booking with a key is looked up by its key: an index of hashes takes most of the time of an insert.
    CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key_id IS NULL;
    CREATE INDEX record_names ON bookings (record_name) WHERE record_name IS NOT NULL;
    -- For the few unknown bookings among a million others.
    CREATE INDEX unsettled ON bookings (number) WHERE state IN ('pending', 'unknown');
    CREATE INDEX overtaken ON bookings (overtaken_by) WHERE overtaken_by IS NOT NULL;
    -- The same input is sought among the bookings of a day.
    CREATE INDEX recent ON bookings (at, fingerprint);
    CREATE TABLE labels (
      address TEXT NOT NULL,
      account TEXT NOT NULL,
      shipment TEXT NOT NULL,
      leg TEXT NOT NULL,
      booking TEXT NOT NULL REFERENCES bookings (id),
      PRIMARY KEY (address, account, shipment)
    ) STRICT;
    CREATE INDEX labels_of ON labels (booking);
    CREATE INDEX labelled ON labels (shipment);
    CREATE TABLE made (
      id TEXT NOT NULL,
      booking TEXT NOT NULL REFERENCES bookings (id),
      PRIMARY KEY (id, booking)
    ) STRICT;
    CREATE TABLE label_files (
      booking TEXT NOT NULL REFERENCES bookings (id),
      leg TEXT NOT NULL,
      pdf TEXT NOT NULL,
      printed_at INTEGER,
      PRIMARY KEY (booking, leg)
    ) STRICT;
    -- By which words each booking is found. It is narrow, because a search reads all of it.
    CREATE TABLE found_by (
      number INTEGER PRIMARY KEY,
      person TEXT NOT NULL,
      names TEXT NOT NULL
    ) STRICT;
    -- At which milestones that end a journey the shipments of a booking were seen.
    CREATE TABLE seen (
      booking TEXT NOT NULL,
      shipment TEXT NOT NULL,
      milestone TEXT NOT NULL,
      PRIMARY KEY (booking, shipment, milestone)
    ) STRICT, WITHOUT ROWID;
    -- What persons said about a journal that was put back.
    CREATE TABLE restorations (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      person TEXT NOT NULL,
      reason TEXT NOT NULL,
      run TEXT,
      missing_since INTEGER
    ) STRICT;`,
};
