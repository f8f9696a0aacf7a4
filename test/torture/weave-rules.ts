// What is true after every order of steps: of the service, the journal, the printer and what was shown.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { Ledger } from '../rig/ledger.ts';
import { breachesOf } from '../rig/oracles.ts';
import { valuesIn } from '../rig/outputs.ts';
import type { Weave } from './weave.ts';
import { ACTORS, type Did, type World } from './weave-world.ts';

/** A booking of the journal. */
interface Row {
  id: string;
  number: number;
  operation: string;
  key_space: string;
  key: string | null;
  fingerprint: string;
  order_fingerprint: string | null;
  actor: string;
  state: string;
  key_holder: string | null;
  ids: string;
  labels: string;
  /** What persons said, as JSON. */
  settlements: string;
  holder: string;
  request: string | null;
  answer: string | null;
  files: string;
  why: string;
  expected: string | null;
  charged: string | null;
}

const ROWS = `SELECT bookings.*, (SELECT '[' || COALESCE(
    string_agg('{"kind":"' || kind || '","said":' || said || '}', ',' ORDER BY facts.number), '') || ']'
  FROM facts WHERE facts.booking = bookings.id AND kind IN ('confirmed', 'denied', 'reopened', 'accepted', 'cancelled')
) AS settlements FROM bookings ORDER BY number`;

const HOLDING = ['pending', 'created', 'partial', 'unknown', 'cancelled'];

export async function rowsOf<R = Row>({ shared, folder }: World, query = ROWS): Promise<R[]> {
  if (shared) return shared.ask<R>(query);
  const file = join(folder, 'state/journal.db');
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(query).all() as R[];
  } finally {
    database.close();
  }
}

/** What the bookings that may exist cost together, or a sentence if that is above the limit. */
export async function limitPassed(world: World, limit: number): Promise<string[]> {
  const rows = await rowsOf(world).catch(() => []);
  const held = rows.filter(({ key_space, state }) => key_space === 'shipment' && HOLDING.includes(state));
  const cost = held.reduce(
    (sum, { charged, expected }) => sum + Number((charged ?? expected ?? 'EUR 0').slice(4)) / 10_000,
    0,
  );
  return cost > limit + 0.001 ? [`the limit of ${limit} is passed: ${cost}`] : [];
}

/** The rules that were broken. */
export async function broken(world: World, weave: Weave, all: readonly Did[]): Promise<string[]> {
  const rows = await rowsOf(world);
  return [
    ...all.flatMap(did => ofRun(did, did.isElsewhere ? undefined : rows)),
    ...ordersTwice(rows),
    ...untold(rows, all),
    ...shipmentsTwice(rows),
    ...labelsTwice(world, rows),
    ...all.flatMap(did => notLabelled(did, world, rows)),
    ...printsTwice(world),
    ...rows.flatMap(row => [...withoutOutcome(row, weave), ...sentLate(row, world, weave)]),
    ...(await prunedAgain(world, rows, all)),
    ...listedTwice(all),
    ...(await ledgerOf(world, all)),
    ...(await damaged(world)),
  ];
}

/** A command that was killed has shown nothing that counts. */
const hasEnded = ({ exitCode }: Did): boolean => exitCode !== undefined;

/** What every command holds to; and what it showed is what the journal has, but for what was said or came since. */
function ofRun(did: Did, rows: readonly Row[] | undefined): string[] {
  const { actor, words, stdout, stderr, sent } = did;
  if (!hasEnded(did)) return [];
  const exitCode = did.exitCode ?? null;
  const rules = breachesOf({ exitCode, stdout, stderr, words, sent, may: ['reads'] });
  if (exitCode === 10) rules.push(`the journal fails: ${stderr}`);
  const told = [...linesOf(did), ...stderr.split('\n').flatMap(bookingLine)];
  const wrong = told.flatMap(({ name, state }) => {
    if (rows === undefined) return [];
    const row = rows.find(one => one.id === name || shipmentOf(one) === name);
    if (row === undefined) return [`it shows ${name} as ${state}, which the journal does not have`];
    const isSame =
      row.state === state || row.settlements !== '[]' || row.key_holder !== null || isOpen(state);
    return isSame ? [] : [`it shows ${name} as ${state}, and the journal says ${row.state}`];
  });
  const isSilent = exitCode === 0 && told.length === 0 && ACTORS[actor]?.books && !ACTORS[actor]?.agent;
  return [...rules, ...wrong, ...(isSilent ? [`exit 0, and it shows no booking: ${stdout}`] : [])].map(
    one => `${actor}: ${one}`,
  );
}

/** The number of an international shipment, as a results line has it. */
const shipmentOf = ({ ids }: Row): string | undefined =>
  JSON.parse(ids).shipment ?? JSON.parse(ids).international;

/** It may change by itself; and a shipment without its label is `partial`. */
const isOpen = (state: string): boolean => ['unknown', 'duplicate', 'partial'].includes(state);

interface Shown {
  /** Of the booking, or of its shipment. */
  name: string;
  state: string;
}

const bookingLine = (line: string): Shown[] => {
  if (!line.startsWith('{"booking":')) return [];
  const { id, state } = JSON.parse(line).booking;
  return [{ name: id, state }];
};

/** Those of a results file. */
function linesOf({ words, stdout, folder }: Did): Shown[] {
  if (words[0] !== 'batch' || !stdout.startsWith('{')) return [];
  const lines = valuesIn(readFileSync(join(folder, JSON.parse(stdout).results), 'utf8'));
  return (lines as { shipmentId: string | null; state: string }[]).flatMap(({ shipmentId, state }) =>
    shipmentId === null ? [] : [{ name: shipmentId, state }],
  );
}

/** Did a person say that it does not exist? Then the next one is with leave. */
const isDenied = ({ settlements }: Row): boolean => /"kind":"denied"/.test(settlements);

/** The keys of these tests are letters; that of a plan may be its hash. */
const hasOwnKey = ({ key }: Row): boolean => key?.length === 1;

function ordersTwice(rows: readonly Row[]): string[] {
  const shipments = rows.filter(
    ({ key_space, state }) => key_space === 'shipment' && HOLDING.includes(state),
  );
  return shipments.flatMap((row, index) =>
    shipments.slice(0, index).flatMap(earlier => {
      if (isDenied(earlier) || isDenied(row)) return [];
      const isSameKey = row.key !== null && row.key === earlier.key;
      const isRepeated = !hasOwnKey(row) && row.fingerprint === earlier.fingerprint;
      const isRefused = ACTORS[row.actor]?.isStrict && row.order_fingerprint === earlier.order_fingerprint;
      return isSameKey || isRepeated || isRefused
        ? [
            `one order twice: ${earlier.actor} (${earlier.key}, ${earlier.state}), ${row.actor} (${row.key}, ${row.state})`,
          ]
        : [];
    }),
  );
}

/** Who books the same order under another key is told of the earlier one. A batch and an agent tell it in another form. */
const untold = (rows: readonly Row[], all: readonly Did[]): string[] =>
  rows.filter(hasOwnKey).flatMap(row => {
    const did = all.find(one => one.process.id === JSON.parse(row.holder).process && hasEnded(one));
    const earlier = rows
      .slice(0, rows.indexOf(row))
      .filter(one => one.state === 'created' && one.settlements === '[]')
      .find(one => one.order_fingerprint !== null && one.order_fingerprint === row.order_fingerprint);
    if (
      did === undefined ||
      earlier === undefined ||
      row.state !== 'created' ||
      /^(batch|mcp)/.test(did.words.join())
    )
      return [];
    return /"kind":"same-(order|record|content)[a-z-]*",.*"booking":"bk_/.test(did.stderr)
      ? []
      : [`${did.actor} is not told that ${earlier.actor} has booked its order`];
  });

/** A shipment is that of one order, unless a person said that two orders are one. */
function shipmentsTwice(rows: readonly Row[]): string[] {
  const owners = new Map<string, string>();
  return rows.flatMap(row => {
    if (row.key_space !== 'shipment' || row.settlements.includes('"sameAs"')) return [];
    return Object.entries(JSON.parse(row.ids) as Record<string, string>).flatMap(([name, id]) => {
      const shipment = `${name === 'domestic' ? name : 'international'} ${id}`;
      const owner = owners.get(shipment);
      owners.set(shipment, row.id);
      return owner === undefined
        ? []
        : [`one shipment for two orders: ${shipment} is that of ${owner} and ${row.id}`];
    });
  });
}

function labelsTwice({ made }: World, rows: readonly Row[]): string[] {
  const labelled = made
    .filter(({ line }) => line.endsWith('/v2/carriers/create'))
    .flatMap(({ body }) => Object.entries(body).map(([leg, id]) => `${leg} ${id}`));
  // A person who says that a label does not exist allows another one.
  if (rows.some(row => row.operation === 'label' && isDenied(row))) return [];
  return labelled.filter((one, index) => labelled.indexOf(one) < index).map(one => `labelled twice: ${one}`);
}

/** Who says that labels were made has them. */
function notLabelled({ actor, exitCode }: Did, { made }: World, rows: readonly Row[]): string[] {
  // A person may have said that one was made.
  const isSaid = rows.some(({ operation, settlements }) => operation === 'label' && settlements !== '[]');
  const keys = exitCode === 0 && !isSaid ? (ACTORS[actor]?.labels ?? []) : [];
  return rows
    .filter(({ key, state }) => key !== null && keys.includes(key) && state === 'created')
    .flatMap(({ key, ids }) =>
      Object.entries(JSON.parse(ids) as Record<string, string>).map(([name, id]) => ({
        key,
        leg: name === 'shipment' ? 'international' : name,
        id,
      })),
    )
    .filter(
      ({ leg, id }) =>
        !made.some(({ line, body, ids }) =>
          line.endsWith('/create') ? body[leg] === id : body.label === true && ids.includes(id),
        ),
    )
    .map(({ key, leg, id }) => `${actor}: exit 0, and the ${leg} label of ${key} (${id}) was never made`);
}

const printsTwice = ({ printed }: World): string[] =>
  printed.flatMap((one, index) =>
    printed.indexOf(one) < index ? [`printed twice: file ${index + 1} of ${printed.length}`] : [],
  );

function withoutOutcome({ id, state, holder, actor }: Row, { processes }: Weave): string[] {
  if (state !== 'pending') return [];
  const process = processes.find(one => one.id === JSON.parse(holder).process);
  return process?.state === 'killed'
    ? []
    : [`no outcome: ${id} of ${actor} is pending, and its process has ended`];
}

/** What a person said to be not created is not sent any more. */
function sentLate({ id, key_space, ids, settlements }: Row, { made }: World, { trace }: Weave): string[] {
  const said = (JSON.parse(settlements) as { kind: string; said: { by: string } }[]).find(
    ({ kind }) => kind === 'denied',
  )?.said;
  const shipment = Object.values(JSON.parse(ids) as Record<string, string>)[0];
  const sent = made.find(
    one => key_space === 'shipment' && shipment !== undefined && one.ids.includes(shipment),
  );
  return said && sent && sent.at > trace.lastIndexOf(`${said.by}: settle`)
    ? [`sent after it was settled: ${id}`]
    : [];
}

/** What a person had deleted does not come back: of bookings that ended before. */
async function prunedAgain(world: World, rows: readonly Row[], all: readonly Did[]): Promise<string[]> {
  const isPruned = all.some(did => did.words.includes('prune') && did.exitCode === 0);
  if (!isPruned) return [];
  const saved = await rowsOf<{ booking: string }>(world, 'SELECT booking FROM label_files');
  return (
    rows
      // Of what is imported no request is known.
      .filter(({ request, fingerprint }) => request === null && fingerprint !== 'imported')
      .filter(
        ({ id, answer, files }) =>
          answer !== null || files !== '{}' || saved.some(({ booking }) => booking === id),
      )
      .map(({ id, actor, operation }) => `what was pruned came back: ${id} (${operation} by ${actor})`)
  );
}

/** A courier gets a parcel once, unless its list was taken back, and a shop its tracking number. */
const listedTwice = (all: readonly Did[]): string[] =>
  ['handover', 'export'].flatMap(list => {
    const ended = all.filter(did => did.words.includes(list) && did.exitCode === 0);
    const numbersOf = (some: readonly Did[]) =>
      some
        .flatMap(({ stdout }) => JSON.parse(stdout || '[]') as { trackingNumber: string }[])
        .map(({ trackingNumber }) => trackingNumber);
    const listed = numbersOf(ended.filter(({ words }) => !words.includes('--undo')));
    const takenBack = numbersOf(ended.filter(({ words }) => words.includes('--undo')));
    const most = (one: string) => 1 + takenBack.filter(other => other === one).length;
    return [...new Set(listed)]
      .filter(one => listed.filter(other => other === one).length > most(one))
      .map(one => `on two lists of ${list}: ${one}`);
  });

/** What was sent is in the journal as it was answered, but what a killed command did not hear. */
async function ledgerOf(world: World, all: readonly Did[]): Promise<string[]> {
  const ledger = new Ledger(world.shared?.address);
  for (const did of all)
    ledger.add(
      did.sent.map(one => ({ ...one, isComplete: one.isComplete && hasEnded(did) })),
      { ...did.env, ...(world.shared && { WAYBILL_JOURNAL: world.shared.address }) },
    );
  return ledger.disagreements();
}

async function damaged(world: World): Promise<string[]> {
  if (world.shared) return [];
  const [found] = await rowsOf<{ integrity_check: string }>(world, 'PRAGMA integrity_check');
  return found === undefined || found.integrity_check === 'ok' ? [] : [`damaged: ${found.integrity_check}`];
}
