// The tables, once for both databases. Times are milliseconds since 1970; requests, answers and ids are JSON as text. A key
// and the label of a shipment belong to one booking at a time; a booking that was rejected or never sent releases them, and so
// does one whose key was booked again before its own answer came.
import { holdingList } from './claim.ts';
import { columnTypes } from './columns.ts';

/** The number of the schema in both databases. Both refuse tables that have another one. */
export const SCHEMA_VERSION = 11;

/**
 * The statements that make them. `integer`: the type of whole numbers; `counter`: that of a key that counts up; `end`: behind
 * each table; `keyed`: behind one that is only looked up by its key.
 */
export const tables = ({
  integer,
  counter,
  end,
  keyed,
}: Record<'integer' | 'counter' | 'end' | 'keyed', string>): string => `
  CREATE TABLE bookings (number ${counter}, ${columnTypes(integer)}, UNIQUE (id)) ${end};
  CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key_id)
    WHERE key_id IS NOT NULL AND state IN (${holdingList}) AND overtaken_by IS NULL;
  CREATE INDEX same_key ON bookings (key_id) WHERE key_id IS NOT NULL;
  -- A booking with a key is looked up by its key: an index of hashes takes most of the time of an insert.
  CREATE INDEX sources ON bookings (source) WHERE source IS NOT NULL AND key_id IS NULL;
  CREATE INDEX record_names ON bookings (record_name) WHERE record_name IS NOT NULL;
  -- For the few that are open among a million others.
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
  ) ${end};
  CREATE INDEX labels_of ON labels (booking);
  CREATE INDEX labelled ON labels (shipment);
  -- Ids that the service gave, and tracking numbers behind a ~.
  CREATE TABLE made (
    id TEXT NOT NULL,
    booking TEXT NOT NULL REFERENCES bookings (id),
    PRIMARY KEY (id, booking)
  ) ${keyed};
  -- PDFs in base64.
  CREATE TABLE label_files (
    booking TEXT NOT NULL REFERENCES bookings (id),
    leg TEXT NOT NULL,
    pdf TEXT NOT NULL,
    PRIMARY KEY (booking, leg)
  ) ${end};
  -- By which words each booking is found. It is narrow, because a search reads all of it.
  CREATE TABLE found_by (
    number ${integer} PRIMARY KEY,
    person TEXT NOT NULL,
    names TEXT NOT NULL
  ) ${end};
  -- What persons said about a journal that was put back.
  CREATE TABLE restorations (
    number ${counter},
    id TEXT NOT NULL UNIQUE,
    at ${integer} NOT NULL,
    person TEXT NOT NULL,
    reason TEXT NOT NULL,
    run TEXT,
    missing_since ${integer}
  ) ${end};`;
