// The lists for courier and shop, where several desks, a sandbox or paper come in; promises/handing-over has the rest.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Journal } from '../../../src/journal/journal.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import {
  booked,
  bookingAt,
  ended,
  fill,
  journalRig,
  labelAt,
  open,
  settle,
  ship,
} from '../../rig/journal.ts';
import { sizesIn } from '../../rig/labels.ts';
import { titled } from '../../rig/needs.ts';
import { noReader, pageTexts } from '../../rig/pdf.ts';
import { describeBoth, type JournalKind, sharedPlace } from '../../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../../rig/service.ts';

const order = (lastName: string) => ({
  receiver: { firstName: 'Ayşe', lastName, address: { city: 'Łódź', country: { code: 'PL' } } },
  packages: [{ quantity: 2, weight: 0.7 }],
});

/** Labelled orders, of EXP with odd numbers and of ECO with even ones. */
const labelled = (rig: Rig, rows: number) =>
  Array.from({ length: rows }, (_, index) => {
    const [number, carrier] = [index + 1, index % 2 === 0 ? 'EXP' : 'ECO'];
    const answer = JSON.stringify({ id: `S-${number}`, carrier: { id: carrier } });
    const request = order(`Şahin ${number}`);
    return [bookingAt(rig, number, { request, answer }), labelAt(rig, 1000 + number, number)];
  }).flat();

async function evening(rows = 4): Promise<Rig> {
  const rig = await createRig();
  await fill(rig, 'state', labelled(rig, rows));
  return rig;
}

const keysOf = ({ stdout }: { stdout: string }): string[] =>
  JSON.parse(stdout).map(({ key }: { key: string }) => key);

test('courier, shop, costs and invoices get an order of the sandbox only where it is in force', async () => {
  const rig = await createRig({
    files: { 'order.json': SHIPMENT, 'invoice.csv': 'order,amount,currency\nREAL,1,EUR\n' },
  });
  for (const flags of ['--key TEST --sandbox', '--key REAL --allow-duplicate'])
    expect((await rig.run(`ship -f order.json --carrier EXP --label -q ${flags}`)).exitCode).toBe(0);
  const seen = async (flags: string) => {
    const [summary] = await rig.json(`history summary ${flags}`);
    const lists = ['handover', 'export --for amazon', 'reconcile invoice.csv --until today'];
    const ran = await Promise.all(lists.map(list => rig.run(`history ${list} --json ${flags}`)));
    return [summary.shipments, ...ran.flatMap(keysOf)];
  };
  expect(await seen('')).toEqual([1, 'REAL', 'REAL', 'REAL']);
  expect(await seen('--sandbox')).toEqual([1, 'TEST', 'TEST', null]);
});

test("the list of another desk is not shown again or taken back for one's own: its number says which is meant", async () => {
  const rig = await evening();
  const desk = (flags: string, actor: string) => rig.run(`history handover ${flags} --json --actor ${actor}`);
  await desk('--carrier EXP --yes', 'anna@one');
  await desk('--carrier ECO --yes', 'bert@two');
  for (const flag of ['--undo', '--again', '--again --pdf list.pdf']) {
    const ran = await desk(flag, 'anna@one');
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    const { message } = errorOf(ran);
    expect(message).toMatch(/list 2, of 2 orders, which bert@two .*; list 1, of 2 orders, which anna@one /);
    expect(message).toContain(`\`waybill history handover ${flag.slice(0, 7).trim()} 2\``);
  }
  expect(keysOf(await desk('--again 1', 'anna@one'))).toEqual(['K-1', 'K-3']);
  expect(keysOf(await desk('--undo 1', 'anna@one'))).toEqual(['K-1', 'K-3']);
  await desk('--yes', 'anna@one');
  // Two lists of one person, for two couriers: the later one need not be meant.
  await desk('--undo 2', 'bert@two');
  await desk('--yes', 'anna@one');
  const several = await desk('--undo', 'anna@one');
  expect([several.exitCode, errorOf(several).message]).toEqual([
    2,
    expect.stringMatching(/within ten minutes: list 4, .*; list 3, /),
  ]);
});

test.skipIf(noReader)(
  titled('--pdf writes and records it: A4, all pages numbered, letters with their marks', noReader),
  async () => {
    const rig = await evening(120);
    const ran = await rig.run('history handover --pdf list.pdf');
    expect(ran.exitCode).toBe(0);
    const list = join(rig.folder, 'list.pdf');
    // It has names: nobody else reads it.
    expect(statSync(list).mode & 0o777).toBe(0o600);
    const pages = pageTexts(list);
    expect(pages).toHaveLength(3);
    expect(await sizesIn(list)).toEqual(pages.map(() => [595, 842]));
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of 3`);
      expect(page.split('\n')).toContain('key receiver city carrier pcs kg tracking');
    }
    expect(pages.join('\n').split('\n')).toContain('K-120 Ayşe Şahin 120 Łódź, PL ECO 2 1.4 T-120');
    expect(pages[0]).toContain('Handover list 1');
    expect(pages[2]).toContain('EXP: 60 orders, 120 pieces, 84 kg');
    expect(pages[2]).toMatch(/Received by _+ Date _+ Signature _+/);
    await rig.run('history handover --again --carrier ECO --pdf list.pdf');
    expect(pageTexts(list).join('\n')).not.toContain('Ayşe Şahin 119');
  },
);

test.skipIf(noReader)(
  titled('a letter that no list can show is warned of with its order', noReader),
  async () => {
    const rig = await createRig();
    await fill(rig, 'state', [bookingAt(rig, 1, { request: order('李') }), labelAt(rig, 1001, 1)]);
    const ran = await rig.run('history handover --pdf list.pdf');
    expect(ran.stderr).toMatch(/warning: K-1: receiver .*\(李\)/);
    expect(pageTexts(join(rig.folder, 'list.pdf'))[0]).toContain('Ayşe ?');
  },
);

test('two desks that write one file at one moment do not lose a list', async () => {
  const rig = await evening();
  const both = await Promise.all(
    ['EXP', 'ECO'].map(carrier => rig.run(`history handover --carrier ${carrier} --pdf list.pdf --json`)),
  );
  const lost = both.find(({ exitCode }) => exitCode !== 0) ?? expect.fail('both have written it');
  expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 10]);
  const [, cure = ''] =
    /The list is recorded: `waybill (.* --pdf list-2.pdf)`/.exec(errorOf(lost).message) ?? [];
  expect((await rig.run(cure)).exitCode).toBe(0);
  expect(existsSync(join(rig.folder, 'list-2.pdf'))).toBe(true);
});

const SAID = { by: 'anna', run: null };

/** The number of the list, which is written at once. */
async function recordedAs(journal: Journal, ids: string[], keptBack?: string[]): Promise<number | undefined> {
  const claim = await journal.lists.record('handover', SAID, ids, keptBack);
  if (claim) expect(await journal.lists.end(claim, true)).toBe(true);
  return claim?.number;
}

const made = (journal: Journal, key: string) =>
  booked(journal, ship({ key }), 'created', { ids: { shipment: key } });
const isListed = async (journal: Journal, id: string) => (await journal.byId(id))?.handover !== null;

/** A rig of either kind, whose journal has labelled orders. */
async function place(kind: JournalKind): Promise<Rig> {
  if (kind === 'local') return evening();
  const { address } = await sharedPlace();
  const rig = await createRig({ env: { WAYBILL_JOURNAL: address } });
  const bookings = labelled(rig, 4).map(one => ('booking' in one ? one : { booking: one, labels: [] }));
  await (await open(address)).importBookings(bookings);
  return rig;
}

describeBoth('A list', kind => {
  test.each(['history export --for csv', 'history handover'])(
    'that two desks record at one moment has each order once: %s',
    async argv => {
      const rig = await place(kind);
      const both = await Promise.all([1, 2].map(() => rig.run(`${argv} -y --json`)));
      expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      expect(both.flatMap(keysOf).sort()).toEqual(['K-1', 'K-2', 'K-3', 'K-4']);
    },
  );

  test('has the shipment that it names, and not what its booking is found to be later', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'A' }), 'unknown');
    await settle(journal, id, 'created', { shipment: 'S-5' });
    expect(await recordedAs(journal, [id])).toBe(1);
    await settle(journal, id, 'reopened');
    await settle(journal, id, 'created', { shipment: 'S-5' });
    expect(await isListed(journal, id)).toBe(true);
    await settle(journal, id, 'reopened');
    await settle(journal, id, 'created', { shipment: 'S-6' });
    expect(await isListed(journal, id)).toBe(false);
    // Its own answer comes at last.
    expect(await recordedAs(journal, [id])).toBe(2);
    await journal.recordOutcome(id, ended('created', { ids: { shipment: 'S-7' } }));
    expect(await isListed(journal, id)).toBe(false);
  });

  test('is taken back once, and its number is not given again; what was kept back or cancelled meanwhile refuses it', async () => {
    const { journal, other } = await journalRig(kind);
    const second = await other(2);
    const [a, b, c] = [await made(journal, 'A'), await made(journal, 'B'), await made(journal, 'C')];
    const listingOf = async (id: string) => (await journal.byId(id))?.handover ?? expect.fail('no list');
    await recordedAs(journal, [a]);
    const first = await listingOf(a);
    expect(await recordedAs(journal, [b], [a])).toBeUndefined();
    // One desk takes it back while another one makes the next.
    const both = [journal.lists.takeBack('handover', first), recordedAs(second, [b])];
    expect(await Promise.all(both)).toEqual([true, 2]);
    expect(await isListed(journal, a)).toBe(false);
    const next = await listingOf(b);
    const again = [journal, second].map(one => one.lists.takeBack('handover', next));
    expect((await Promise.all(again)).sort()).toEqual([false, true]);
    expect(await recordedAs(journal, [a])).toBe(3);
    expect(await settle(journal, c, 'cancelled', { shipment: 'C' })).toEqual([]);
    expect(await recordedAs(journal, [b, c])).toBeUndefined();
  });

  test('that was not written is taken up once, and by nobody while a process writes it or its lease lasts', async () => {
    const { journal, other, dies } = await journalRig(kind);
    const second = await other(2);
    const claim = await journal.lists.record('handover', SAID, [await made(journal, 'A')]);
    expect(await second.lists.unwritten('handover')).toEqual([{ number: 1, isHeld: true }]);
    expect(await second.lists.takeUp('handover', 1)).toBeUndefined();
    // It could not be written, as on a full disk.
    expect(await journal.lists.end(claim ?? expect.fail('no list'), false)).toBe(true);
    const both = await Promise.all([journal, journal].map(one => one.lists.takeUp('handover', 1)));
    expect(both.flatMap(one => one?.number ?? [])).toEqual([1]);
    await dies(1);
    const taken = (await second.lists.takeUp('handover', 1)) ?? expect.fail('not taken up');
    // A process that only stood still is told that the list is not its own any more.
    expect(await journal.lists.end(claim ?? expect.fail('no list'), true)).toBe(false);
    expect(await second.lists.end(taken, true)).toBe(true);
    expect(await journal.lists.unwritten('handover')).toEqual([]);
  });
});
