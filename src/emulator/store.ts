import { openStore as open, type Store } from '../sqlite.ts';

// Times are milliseconds since 1970, money is cents of a euro.
const TABLES = `
  CREATE TABLE shipments (
    id TEXT PRIMARY KEY,
    world TEXT NOT NULL,
    leg TEXT NOT NULL,
    carrier TEXT NOT NULL,
    cents INTEGER NOT NULL,
    goods TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    delivered_at INTEGER
  ) STRICT;
  CREATE INDEX under_way ON shipments (carrier, created_at) WHERE delivered_at IS NULL;
  CREATE TABLE labels (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    shipment TEXT NOT NULL REFERENCES shipments (id),
    tracking TEXT UNIQUE
  ) STRICT;
  CREATE INDEX labels_of ON labels (shipment, number);
  CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    headers TEXT NOT NULL,
    retry TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription TEXT NOT NULL REFERENCES subscriptions (id),
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX waiting ON deliveries (due_at) WHERE state = 'waiting';
  CREATE TABLE requests (
    world TEXT NOT NULL,
    operation TEXT NOT NULL,
    token TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX recent ON requests (world, operation, token, at);
`;

/** Opens or creates the data; `:memory:` ends with the process. Throws plain errors that name the file. */
export const openStore = (file: string): Promise<Store> =>
  open(file, { durability: 'normal', schema: { version: 1, create: TABLES } }).catch((error: Error) => {
    throw new Error(`the data ${file} cannot be opened: ${error.message}`);
  });
