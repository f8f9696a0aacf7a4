// The lists for courier and shop, where several desks, a sandbox or paper come in; promises/handing-over has the rest.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import { createRig, type Rig } from '../rig/command.ts';
import {
  booked,
  bookingAt,
  elsewhere,
  fill,
  journalRig,
  labelAt,
  open,
  settle,
  ship,
} from '../rig/journal.ts';
import { sizesIn } from '../rig/labels.ts';
import { titled } from '../rig/needs.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { describeBoth, type JournalKind, sharedPlace } from '../rig/postgres.ts';
import { DUAL, errorOf, SHIPMENT } from '../rig/service.ts';
import { doubtful } from '../rig/settling.ts';

const order = (lastName: string) => ({
  sender: SHIPMENT.sender,
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
  await rig.later(60 * 60 * 1000);
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
  titled(
    '--pdf writes it: A4, all pages numbered, letters with their marks, and a warning of others',
    noReader,
  ),
  async () => {
    const rig = await evening(120);
    await fill(rig, 'state', [bookingAt(rig, 121, { request: order('李') }), labelAt(rig, 1121, 121)]);
    const ran = await rig.run('history handover --pdf list.pdf');
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatch(/warning: K-121: receiver .*\(李\)/);
    const list = join(rig.folder, 'list.pdf');
    // It has names: nobody else reads it.
    expect(statSync(list).mode & 0o777).toBe(0o600);
    const pages = pageTexts(list);
    expect(await sizesIn(list)).toEqual(pages.map(() => [595, 842]));
    // Each carrier has pages of its own, and each courier a line to sign.
    expect(pages.map(page => /^Handover list 1: (\w+)/.exec(page)?.[1])).toEqual([
      'ECO',
      'ECO',
      'EXP',
      'EXP',
    ]);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${(index % 2) + 1} of 2`);
      expect(page).toMatch(/^From Deniz Örnek, .*Istanbul, TR$/m);
      expect(page.split('\n')).toContain('key receiver city carrier pcs kg tracking');
    }
    expect(pages.join('\n').split('\n')).toContain('K-120 Ayşe Şahin 120 Łódź, PL ECO 2 1.4 T-120');
    expect(pages[3]).toContain('K-121 Ayşe ? ');
    expect(pages[1]).toContain('ECO: 60 orders, 120 pieces, 84 kg');
    expect(pages[3]).toContain('EXP: 61 orders, 122 pieces, 85.4 kg');
    for (const page of [pages[1], pages[3]]) expect(page).toMatch(/Received by _+ Date _+ Signature _+/);
    await rig.run('history handover --again --carrier ECO --pdf list.pdf');
    expect(pageTexts(list).join('\n')).not.toContain('Ayşe Şahin 119');
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

const made = (journal: Journal, key: string) =>
  booked(journal, ship({ key }), 'created', { ids: { shipment: key } });

/** A rig of either kind, whose journal has labelled orders. */
async function place(kind: JournalKind): Promise<Rig> {
  if (kind === 'local') return evening();
  const { address } = await sharedPlace();
  const rig = await createRig({ env: { WAYBILL_JOURNAL: address } });
  const bookings = labelled(rig, 4).map(record =>
    'booking' in record ? record : { booking: record, labels: [] },
  );
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

  test('has the shipments that it names, and not what its booking is found to be later', async () => {
    const rig = await doubtful({ journal: kind });
    const pair = { stdin: JSON.stringify(DUAL) };
    await rig.failing('ship-dual -f - --label --key P-1', pair);
    const pairs: string[] = [];
    for (const _ of ['named', 'found later']) {
      const made = await rig.run('ship-dual -f - --label -q --allow-duplicate', {
        ...pair,
        env: elsewhere(rig),
      });
      pairs.push(made.stdout.trim().replace('\n', ' --domestic '));
    }
    const [named = '', later = ''] = pairs;
    const listed = [];
    for (const ids of [named, named, later]) {
      expect((await rig.run(`history resolve P-1 --created ${ids}`)).exitCode).toBe(0);
      listed.push(keysOf(await rig.run('history handover -y --json')));
      expect((await rig.run('history resolve P-1 --reopen')).exitCode).toBe(0);
    }
    expect(listed).toEqual([['P-1'], [], ['P-1']]);
  });

  test('is taken back once; what another one has, was kept back or cancelled meanwhile refuses it', async () => {
    const { journal, other } = await journalRig(kind);
    const second = await other(2);
    const [a, b, c] = [await made(journal, 'A'), await made(journal, 'B'), await made(journal, 'C')];
    const record = (ids: string[], keptBack?: string[]) =>
      journal.lists.record('handover', SAID, ids, keptBack);
    await record([a]);
    expect(await record([a, b])).toBeUndefined();
    expect(await record([b], [a])).toBeUndefined();
    expect(await settle(journal, c, 'cancelled', { shipment: 'C' })).toEqual([]);
    expect(await record([b, c])).toBeUndefined();
    const { listing } = (await journal.listed('handover')) ?? expect.fail('no list');
    const both = [journal, second].map(desk => desk.lists.takeBack(listing));
    expect((await Promise.all(both)).sort()).toEqual([false, true]);
    // Its number is not given again.
    expect(await record([a, b])).toMatchObject({ number: 2 });
  });

  test('has an order that two desks record at one moment once; lists of another name have it, too', async () => {
    const { journal, other } = await journalRig(kind);
    const second = await other(2);
    const [a, b, c] = [await made(journal, 'A'), await made(journal, 'B'), await made(journal, 'C')];
    const both = [
      [a, b],
      [b, c],
    ].map((ids, at) => [journal, second][at]?.lists.record('handover', SAID, ids));
    expect((await Promise.all(both)).map(claim => claim?.number).sort()).toEqual([1, undefined]);
    expect(await journal.lists.record('export', SAID, [a, b, c])).toMatchObject({ number: 1 });
    const { orders } = (await second.listed('export')) ?? expect.fail('no list');
    expect(orders.map(({ lists = [] }) => lists.map(({ name }) => name).sort())).toContainEqual([
      'export',
      'handover',
    ]);
  });

  test('that was not written is taken up once, and by nobody while a process writes it or its lease lasts', async () => {
    const { journal, other, dies } = await journalRig(kind);
    const second = await other(2);
    const claim = await journal.lists.record('handover', SAID, [await made(journal, 'A')]);
    expect(await second.lists.unwritten('handover')).toEqual([{ number: 1, isHeld: true }]);
    expect(await second.lists.takeUp('handover', 1)).toBeUndefined();
    // It could not be written, as on a full disk.
    expect(await journal.lists.end(claim ?? expect.fail('no list'), false)).toBe(true);
    const both = await Promise.all([journal, journal].map(desk => desk.lists.takeUp('handover', 1)));
    expect(both.flatMap(taken => taken?.number ?? [])).toEqual([1]);
    await dies(1);
    const taken = (await second.lists.takeUp('handover', 1)) ?? expect.fail('not taken up');
    // A process that only stood still is told that the list is not its own any more.
    expect(await journal.lists.end(claim ?? expect.fail('no list'), true)).toBe(false);
    expect(await second.lists.end(taken, true)).toBe(true);
    expect(await journal.lists.unwritten('handover')).toEqual([]);
  });
});
