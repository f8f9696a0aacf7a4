// Finds PostgreSQL (at WAYBILL_TEST_POSTGRES or on this machine), and gives each test its own schema and a relay that can be cut.
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { userInfo } from 'node:os';
import tls from 'node:tls';
import pg from 'pg';
import { describe, onTestFinished } from 'vitest';
import { QUICK } from '../torture/size.ts';
import { lacking, titled } from './needs.ts';
import { listening } from './sockets.ts';

const HERE = 'postgres://127.0.0.1:5432/test';

/** The server, with a user, or `undefined` if there is none. A configured server that does not answer is an error. */
const server = await found(process.env.WAYBILL_TEST_POSTGRES);

/** Why there is no shared journal here, if so. */
export const noPostgres = lacking(server !== undefined, 'no PostgreSQL answers: set WAYBILL_TEST_POSTGRES');

async function found(named: string | undefined): Promise<URL | undefined> {
  if (named === 'none') return undefined;
  const url = new URL(named || HERE);
  url.username ||= process.env.PGUSER ?? userInfo().username;
  try {
    await asked(url, 'SELECT 1');
    return url;
  } catch (error) {
    if (named) throw new Error(`no PostgreSQL answers at ${named}`, { cause: error });
    return undefined;
  }
}

/** Runs a query over a connection of its own. */
export async function asked<Row>(url: URL, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 10 * 60_000 });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** An empty place for a journal, for one test. */
export interface SharedPlace {
  /** For WAYBILL_JOURNAL. */
  address: string;
  /** Runs a query in the schema of the journal. */
  ask<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** Runs a query in a transaction that stays open until the returned function is called. */
  hold(sql: string): Promise<() => Promise<void>>;
  /** Makes all records this many ms older, because the clock of the server cannot be set. */
  age(ms: number): Promise<void>;
  /** Takes all bookings out of it. */
  empty(): Promise<void>;
}

/** An empty schema, dropped when the test ends. */
export async function sharedPlace(): Promise<SharedPlace> {
  const { drop, ...place } = placeIn(await newSchema());
  onTestFinished(drop);
  return place;
}

/** An empty schema, dropped when `act` ends: several tests may use one at the same time. */
export async function inSharedPlace<T>(act: (place: SharedPlace) => Promise<T>): Promise<T> {
  const { drop, ...place } = placeIn(await newSchema());
  try {
    return await act(place);
  } finally {
    await drop();
  }
}

/**
 * An empty journal in a schema of this worker, which is emptied when the test ends: to make and to drop its tables takes
 * longer than most tests. Whoever kills what writes to it, or cuts its connection, takes a place of its own.
 */
export async function emptiedPlace(): Promise<SharedPlace> {
  const schema = idle.pop() ?? (await ownSchema());
  const { drop, ask, ...place } = placeIn(schema);
  let isChanged = false;
  onTestFinished(async () => {
    if (isChanged) return drop();
    livePlaces.delete(schema);
    await place.empty();
    idle.push(schema);
  });
  return {
    ...place,
    ask(sql, ...values) {
      isChanged ||= /\b(ALTER|CREATE|DROP|GRANT|REVOKE|TRUNCATE|waybill_schema)\b/i.test(sql);
      return ask(sql, ...values);
    },
  };
}

/** The schemas of this worker that no test uses. */
const idle: string[] = [];

const EMPTY = `DO $$ BEGIN IF to_regclass('bookings') IS NOT NULL THEN
  DELETE FROM listed; DELETE FROM lists; DELETE FROM facts; DELETE FROM label_files; DELETE FROM labels; DELETE FROM made; DELETE FROM given; DELETE FROM found_by;
  DELETE FROM restorations; DELETE FROM bookings; UPDATE waybill_schema SET in_use = false;
  PERFORM setval(pg_get_serial_sequence('bookings', 'number'), 1, false); END IF; END $$`;

/** Of no other worker, as long as this one lives, because it holds a lock; what one before it left there is dropped. */
async function ownSchema(): Promise<string> {
  const keeper = new pg.Client({ connectionString: server?.href });
  await keeper.connect();
  // It does not keep the worker alive.
  (keeper as unknown as { unref(): void }).unref();
  for (let number = 1; ; number += 1) {
    const schema = `waybill_test_worker_${number}`;
    const { rows } = await keeper.query('SELECT pg_try_advisory_lock(hashtext($1)) AS taken', [schema]);
    if (!rows[0].taken) continue;
    await keeper.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
    return schema;
  }
}

/** The places of running tests, by schema. */
export const livePlaces = new Map<string, Pick<SharedPlace, 'ask'>>();

async function newSchema(): Promise<string> {
  if (!server) throw new Error(noPostgres);
  const schema = `waybill_test_${randomBytes(6).toString('hex')}`;
  await asked(server, `CREATE SCHEMA ${schema}`);
  return schema;
}

function urlOf(schema: string): URL {
  const url = new URL(server ?? HERE);
  url.searchParams.set('options', `-csearch_path=${schema}`);
  return url;
}

function placeIn(schema: string): SharedPlace & { drop(): Promise<void> } {
  const url = urlOf(schema);
  const ask = <Row>(sql: string, ...values: unknown[]) => asked<Row>(url, sql, values);
  livePlaces.set(schema, { ask });
  return {
    address: url.href,
    ask,
    async hold(sql) {
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await client.query('BEGIN');
      await client.query(sql);
      return () => client.end();
    },
    age: async ms => {
      await ask('UPDATE bookings SET at = at - $1::bigint, lease_until = lease_until - $1::bigint', ms);
      await ask('UPDATE labels SET printing_since = printing_since - $1::bigint', ms);
      await ask('UPDATE lists SET writing_until = writing_until - $1::bigint', ms);
    },
    empty: async () => void (await ask(EMPTY)),
    async drop() {
      livePlaces.delete(schema);
      await asked(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}

/** A database where a test may change roles and schemas, empty or a copy of another; dropped when the test ends. */
export async function ownDatabase(template = 'template0') {
  if (!server) throw new Error(noPostgres);
  const name = `waybill_test_${randomBytes(6).toString('hex')}`;
  await asked(server, `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8'`);
  const url = new URL(server);
  url.pathname = name;
  onTestFinished(async () => void (await asked(server, `DROP DATABASE ${name} WITH (FORCE)`)));
  const withOptions = (options: string): URL => {
    const changed = new URL(url);
    changed.searchParams.set('options', options);
    return changed;
  };
  return {
    name,
    address: url.href,
    /** Runs a query in the schema that a journal makes. */
    ask: <Row>(sql: string) => asked<Row>(withOptions('-csearch_path=waybill,public'), sql),
    /** Its address for that role. */
    as: (role: string): string => withOptions(`-crole=${role}`).href,
  };
}

/** Tests of what only PostgreSQL has. Without a server they are skipped, and their name says why. */
const describePostgres = (name: string, tests: () => void): void =>
  void describe.skipIf(noPostgres)(titled(name, noPostgres), tests);

/**
 * Tests of a command with a shared journal. Together they take a third of the time of all tests, so the landing runs them, and not
 * `npm test`: it finds them by the last word of their names.
 */
export function describeShared(name: string, tests: () => void): void {
  if (QUICK) describe.skip(titled(name, 'npm run test:landing runs it'), tests);
  else describePostgres(`${name} (PostgreSQL)`, tests);
}

export type JournalKind = 'local' | 'shared';

/** One suite for both journals: the commands do not know which one they have. */
export function describeBoth(name: string, tests: (journal: JournalKind) => void): void {
  describe(`${name}, in the journal of this machine`, () => tests('local'));
  describeShared(`${name}, in a shared journal`, () => tests('shared'));
}

export interface RelayOptions {
  /** A client without this password is refused, as the server does. */
  password?: string;
  /** The certificate of the relay, for a client that asks for TLS. */
  certificate?: { key: string; cert: string };
}

export interface Relay {
  /** The address of the journal through the relay. */
  address: string;
  /** Ends every connection and takes no new one. */
  cut(): void;
  mend(): void;
  /** Cuts every connection. New ones wait until that server has taken over, and then lead to its address. */
  lead(address: Promise<string>): void;
  /**
   * Cuts the connection permanently when a statement with this text passes: before the server gets it, or after the server
   * has answered and before the client gets the answer.
   */
  cutAt(moment: 'before' | 'after', text: string): void;
  /** How many connections were requested. */
  connections(): number;
  /** How many statements with this text have passed. */
  statements(text: string): number;
  /** How each client sent its name, if it got that far. */
  heard: ('plain' | 'encrypted')[];
}

const TLS_REQUEST = 80877103;

/** A relay in front of the server of a journal. */
export async function relayTo(address: string, options: RelayOptions = {}): Promise<Relay> {
  let target = Promise.resolve(new URL(address));
  const servers = new Set<net.Socket>();
  let isCut = false;
  let asked = 0;
  const heard: Relay['heard'] = [];
  const passed: Buffer[] = [];
  let strike: { moment: 'before' | 'after'; text: string } | undefined;

  const cut = () => {
    isCut = true;
    for (const socket of [...servers, ...open]) socket.destroy();
  };

  async function carry(client: net.Socket, startup: Buffer): Promise<void> {
    const { port, hostname } = await target;
    const server = net.connect(Number(port || 5432), hostname);
    servers.add(server);
    server.on('error', () => {});
    server.write(startup);
    let isStruck = false;
    client.on('data', chunk => {
      passed.push(chunk);
      const hit = strike !== undefined && chunk.includes(strike.text);
      if (hit && strike?.moment === 'before') return cut();
      if (hit) isStruck = true;
      server.write(chunk);
    });
    server.on('data', chunk => {
      if (isStruck) cut();
      else client.write(chunk);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => {
      servers.delete(server);
      client.destroy();
    });
  }

  function greet(client: net.Socket): void {
    client.once('data', first => {
      if (first.readInt32BE(4) === TLS_REQUEST) return encrypt(client);
      heard.push(client instanceof tls.TLSSocket ? 'encrypted' : 'plain');
      if (options.password === undefined) return void carry(client, first);
      client.write(message('R', Buffer.from([0, 0, 0, 3])));
      client.once('data', given => {
        if (given.toString('utf8', 5, given.length - 1) === options.password)
          return void carry(client, first);
        client.end(message('E', Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0')));
      });
    });
  }

  function encrypt(client: net.Socket): void {
    if (!options.certificate) return void client.end('N');
    client.write('S');
    const secure = new tls.TLSSocket(client, { isServer: true, ...options.certificate });
    secure.on('error', () => {});
    greet(secure);
  }

  const server = net.createServer(client => {
    asked += 1;
    if (isCut) client.destroy();
    else greet(client);
  });
  const { port, open, close } = await listening(server);
  onTestFinished(() => {
    cut();
    return close();
  });
  const url = new URL(address);
  url.host = `127.0.0.1:${port}`;
  return {
    address: url.href,
    cut,
    mend() {
      isCut = false;
      strike = undefined;
    },
    lead(other) {
      cut();
      isCut = false;
      target = other.then(address => new URL(address));
    },
    cutAt(moment, text) {
      strike = { moment, text };
    },
    connections: () => asked,
    statements: text => passed.filter(chunk => chunk.includes(text)).length,
    heard,
  };
}

/** A message of the protocol: letter, length, content. */
function message(letter: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}
