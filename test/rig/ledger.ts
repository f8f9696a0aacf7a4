// At the end of a test, what its commands sent is held against what the journals say of it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { MASK } from '../../src/mask.ts';
import { configIn, SECRET } from './oracles.ts';
import { isBooking, type Sent } from './traffic.ts';

/** What is compared of a booking. */
interface Row {
  address: string;
  account: string;
  key_space: string;
  key: string | null;
  state: string;
  key_holder: string | null;
  /** 0: no person settled it. A shared journal gives text. */
  has_facts: number | string;
  request: string | null;
  answer: string | null;
}

const ROWS =
  'SELECT address, account, key_space, key, state, key_holder, has_facts, request, answer FROM bookings';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the commands of one test have sent, and where their journals are. */
export class Ledger {
  readonly #sent: Sent[] = [];
  readonly #states = new Set<string>();
  readonly #shared: string | undefined;
  #isShared = false;

  /** `shared`: the address of their journal; otherwise those of all running tests are looked at. */
  constructor(shared?: string) {
    this.#shared = shared;
  }

  /** Notes a command with this environment. */
  add(sent: readonly Sent[], env: Environment): void {
    this.#sent.push(...sent.filter(isBooking));
    if (env.WAYBILL_STATE_DIR) this.#states.add(env.WAYBILL_STATE_DIR);
    this.#isShared ||= isShared(env);
  }

  get isEmpty(): boolean {
    return this.#sent.length === 0;
  }

  /** What the journals do not say, or say in another way. */
  async disagreements(): Promise<string[]> {
    if (this.isEmpty) return [];
    const journals = [...this.#states].map(folder => rowsIn(join(folder, 'journal.db')));
    if (this.#isShared) journals.push(...(await sharedRows(this.#shared)));
    const rows = journals.flat();
    const recorded = groups(rows, ({ request }) => canonical(request ?? '') ?? '');
    // Of those nobody knows what was sent: each may be one that is missing.
    const pruned = rows
      .filter(isPruned)
      .sort((one, other) => Number(isDenying(one)) - Number(isDenying(other)));
    const wrong = [...groups(this.#sent, ({ body }) => canonical(body) ?? body)].flatMap(([body, sent]) => {
      const own = recorded.get(body) ?? [];
      return wrongWith(sent, [...own, ...pruned.splice(0, fewestOf(sent) - own.length)]);
    });
    return [...wrong, ...journals.flatMap(keysTwice)];
  }
}

const isShared = (env: Environment): boolean =>
  Boolean(env.WAYBILL_JOURNAL) || configIn(env).includes('"journal":');

function rowsIn(file: string): Row[] {
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(ROWS).all() as Row[];
  } finally {
    database.close();
  }
}

/** Only tests with PostgreSQL look for it. A place may have no tables. */
async function sharedRows(address: string | undefined): Promise<Row[][]> {
  const { asked, livePlaces } = await import('./postgres.ts');
  if (address !== undefined) return [await asked<Row>(new URL(address), ROWS)];
  return Promise.all([...livePlaces.values()].map(({ ask }) => ask<Row>(ROWS).catch(() => [])));
}

/** Requests with one body, and the bookings with that body. */
function wrongWith(sent: readonly Sent[], rows: readonly Row[]): string[] {
  const what = `${sent.map(({ line, status }) => `${line} (${status})`)} with ${sent[0]?.body}`;
  const states = rows.map(({ state }) => state);
  const isDenied = rows.every(isDenying);
  const counted = sent.filter(isProcessed);
  if (rows.length < fewestOf(sent))
    return [`the journal has ${rows.length} bookings (${states}) for ${what}`];
  return [
    ...(isDenied && counted.some(mayExist) ? [`the journal denies (${states}) what may exist: ${what}`] : []),
    ...counted
      .filter(
        one => isAccepted(one) && !rows.some(row => isPruned(row) || isSameJson(row.answer, textOf(one))),
      )
      .map(one => `the journal (${states}) has no answer ${textOf(one)} of ${what}`),
  ];
}

/** Others are sent again by the same booking. */
const isProcessed = ({ status }: Sent): boolean => status !== 429 && status !== 401;

/** How many bookings sent these. */
const fewestOf = (sent: readonly Sent[]): number => Math.max(1, sent.filter(isProcessed).length);

const isPruned = ({ request }: Row): boolean => request === null;

const DENIES = ['not_sent', 'rejected'];

const isDenying = ({ state, has_facts }: Row): boolean => DENIES.includes(state) && Number(has_facts) === 0;

const isAccepted = ({ status = 0, isComplete }: Sent): boolean => isComplete && status >= 200 && status < 300;

/** Can nobody tell that nothing was created? Of what is encrypted, the end of the handshake may tell it. */
function mayExist({ status, isComplete, isEncrypted }: Sent): boolean {
  if (status === undefined) return !isEncrypted;
  if (status < 300) return !isComplete;
  return status < 400 || status === 408 || status >= 500;
}

/** As it may be kept: without the credential. */
const textOf = ({ answer }: Sent): string => Buffer.concat(answer).toString().replaceAll(SECRET, MASK);

/** Keys of one place that two bookings have. */
function keysTwice(rows: readonly Row[]): string[] {
  const holding = rows.filter(
    ({ key, state, key_holder }) =>
      key !== null && (state === 'created' || state === 'partial') && key_holder === null,
  );
  const keys = groups(holding, ({ address, account, key_space, key }) =>
    JSON.stringify([address, account, key_space, key]),
  );
  return [...keys].filter(([, { length }]) => length > 1).map(([key]) => `two bookings have the key ${key}`);
}

function groups<T>(list: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of list) {
    const name = nameOf(one);
    const group = found.get(name);
    if (group) group.push(one);
    else found.set(name, [one]);
  }
  return found;
}

/** Only of JSON can be told that it is the same. */
const isSameJson = (kept: string | null, came: string): boolean => {
  const wanted = canonical(came);
  return wanted === undefined || canonical(kept ?? '') === wanted;
};

/** JSON with the names of each object in order; `undefined` if it is none. */
function canonical(text: string): string | undefined {
  try {
    return JSON.stringify(inOrder(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map(name => [name, inOrder((value as Record<string, unknown>)[name])]));
}
