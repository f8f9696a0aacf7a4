// The list for the courier: what is labelled, each order once.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Booking, BookingWithLabels } from '../../../src/journal/booking.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import {
  booked,
  bookingAt,
  ended,
  fill,
  journalRig,
  labelAt,
  SCOPE,
  settle,
  ship,
} from '../../rig/journal.ts';
import { sizesIn } from '../../rig/labels.ts';
import { titled } from '../../rig/needs.ts';
import { noReader, pageTexts } from '../../rig/pdf.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../../rig/service.ts';

const order = (lastName: string, packages: unknown = [{ quantity: 2, weight: 0.7 }]) => ({
  receiver: { firstName: 'Ayşe', lastName, address: { city: 'Łódź', country: { code: 'PL' } } },
  packages,
});
const answer = (number: number, carrier: string) =>
  JSON.stringify({ id: `S-${number}`, carrier: { id: carrier, price: 9, currency: 'EUR' } });

async function evening(rows = 4) {
  const rig = await createRig();
  const bookings: (Booking | BookingWithLabels)[] = [];
  for (let number = 1; number <= rows; number += 1) {
    const carrier = number % 2 === 0 ? 'ECO' : 'EXP';
    const more: Partial<Booking> = { request: order(`Şahin ${number}`), answer: answer(number, carrier) };
    bookings.push(bookingAt(rig, number, more), labelAt(rig, 1000 + number, number));
  }
  await fill(rig, 'state', [
    ...bookings,
    bookingAt(rig, 901, { answer: answer(901, 'EXP') }),
    bookingAt(rig, 902, { state: 'cancelled', answer: answer(902, 'ECO') }),
    bookingAt(rig, 903, { state: 'rejected', code: 'rejected', ids: {} }),
  ]);
  return rig;
}

const keysOf = async (rig: Rig, flags: string) =>
  (await rig.json(`history handover ${flags}`)).map(({ key }: { key: string }) => key);

test('courier, shop, costs and invoices get an order of the sandbox only where it is in force', async () => {
  const rig = await createRig({
    files: { 'order.json': SHIPMENT, 'invoice.csv': 'order,amount,currency\nREAL,1,EUR\n' },
  });
  for (const flags of ['--key TEST --sandbox', '--key REAL --allow-duplicate'])
    expect((await rig.run(`ship -f order.json --carrier EXP --label -q ${flags}`)).exitCode).toBe(0);
  const seen = async (flags: string) => {
    const [summary] = await rig.json(`history summary ${flags}`);
    const exported = await rig.json(`history export --for amazon ${flags}`);
    const compared = await rig.run(`history reconcile invoice.csv --until today --json ${flags}`);
    return [
      ...(await keysOf(rig, flags)),
      ...exported.map((row: { order: string }) => row.order),
      summary.shipments,
      ...JSON.parse(compared.stdout).map((row: { key: string | null }) => row.key),
    ];
  };
  expect(await seen('')).toEqual(['REAL', 'REAL', 1, 'REAL']);
  expect(await seen('--sandbox')).toEqual(['TEST', 'TEST', 1, null]);
});

test('the list has each labelled order, by carrier, and stderr names what was left out', async () => {
  const rig = await evening();
  const ran = await rig.run('history handover --json');
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  const rows = JSON.parse(ran.stdout);
  expect(rows.map(({ key }: { key: string }) => key)).toEqual(['K-2', 'K-4', 'K-1', 'K-3']);
  expect(rows[2]).toEqual({
    key: 'K-1',
    receiver: 'Ayşe Şahin 1',
    city: 'Łódź',
    country: 'PL',
    carrier: 'EXP',
    pieces: 2,
    weightKg: 1.4,
    trackingNumber: 'T-1',
    shipmentId: 'S-1',
  });
  expect(ran.stderr).toContain('left out, cancelled: K-902');
  expect(ran.stderr).toContain('left out, without a label: K-901');
  expect(ran.stderr).toContain('nothing was recorded');
  expect((await rig.run('history handover -o csv')).stdout.split('\r\n')[0]).toBe(
    'key,receiver,city,country,carrier,pieces,weightKg,trackingNumber,shipmentId',
  );
  const { stdout } = await rig.run('history handover');
  expect(stdout).toContain('ECO: 2 orders, 4 pieces, 2.8 kg\nEXP: 2 orders, 4 pieces, 2.8 kg\n');
  expect(stdout).toMatch(/Received by _+ {2}Date _+ {2}Signature _+/);
});

test("a second courier's list never repeats the first's, and --again shows the last one", async () => {
  const rig = await evening();
  const mistyped = await rig.run('history handover --carrier EXPR');
  expect(mistyped.stdout).toBe('Nothing to hand over.\n');
  expect(mistyped.stderr).toContain('no labelled order is of the carrier EXPR; they are of ECO, EXP');
  expect(await keysOf(rig, '--carrier exp')).toEqual(['K-1', 'K-3']);
  expect(await keysOf(rig, '--carrier EXP --yes')).toEqual(['K-1', 'K-3']);
  expect(await keysOf(rig, '')).toEqual(['K-2', 'K-4']);
  expect(await keysOf(rig, '--yes')).toEqual(['K-2', 'K-4']);
  const none = await rig.run('history handover --yes --pdf none.pdf');
  expect(none).toMatchObject({ exitCode: 0, stdout: 'Nothing to hand over.\n' });
  expect(none.stderr).toMatch(/the last one is list 2, .*: `waybill history handover --again 2` shows it/);
  expect(await keysOf(rig, '--again')).toEqual(['K-2', 'K-4']);
  expect(await keysOf(rig, '--again 1')).toEqual(['K-1', 'K-3']);
  expect(await keysOf(rig, '--again --carrier EXP')).toEqual(['K-1', 'K-3']);
  expect((await rig.run('history show K-1')).stdout).toMatch(/handed over to the courier, said .*: list 1$/m);
});

test('--leave keeps an order back, and the next list has it', async () => {
  const rig = await evening();
  const ran = await rig.run('history handover --leave S-1 --leave K-4 --yes --json');
  expect(JSON.parse(ran.stdout).map(({ key }: { key: string }) => key)).toEqual(['K-2', 'K-3']);
  expect(ran.stderr).toContain('left out, kept back: K-4, K-1');
  const late = await rig.run('history handover --leave K-2 --yes --json');
  expect([late.exitCode, late.stdout, errorOf(late).message]).toEqual([
    2,
    '',
    expect.stringMatching(
      /K-2 is on the list 1 that .* recorded on .*; nothing was recorded.*`waybill history handover --undo 1`/,
    ),
  ]);
  expect((await rig.run('history handover --leave K-77 --yes')).exitCode).toBe(4);
  expect(await keysOf(rig, '--yes')).toEqual(['K-4', 'K-1']);
});

test("the list of another desk is not shown again or taken back for one's own: its number says which is meant", async () => {
  const rig = await evening();
  const desk = (flags: string, actor: string) => rig.run(`history handover ${flags} --json --actor ${actor}`);
  const own = await desk('--carrier EXP --yes', 'anna@one');
  expect(own.stderr).toContain('recorded as list 1: `waybill history handover --undo 1` takes it back');
  await desk('--carrier ECO --yes', 'bert@two');
  for (const flag of ['--undo', '--again', '--again --pdf list.pdf']) {
    const ran = await desk(flag, 'anna@one');
    expect([ran.exitCode, ran.stdout, errorOf(ran).message]).toEqual([
      2,
      '',
      expect.stringMatching(
        /another desk or run recorded the newest: list 2, of 2 orders, which bert@two .*; list 1, of 2 orders, which anna@one /,
      ),
    ]);
    expect(errorOf(ran).message).toContain(`\`waybill history handover ${flag.slice(0, 7).trim()} 2\``);
  }
  const keys = ({ stdout }: { stdout: string }) => JSON.parse(stdout).map(({ key }: { key: string }) => key);
  expect(keys(await desk('--again 1', 'anna@one'))).toEqual(['K-1', 'K-3']);
  expect(keys(await desk('--undo 1', 'anna@one'))).toEqual(['K-1', 'K-3']);
  expect(await keysOf(rig, '')).toEqual(['K-1', 'K-3']);
  // Said twice, it does not take back what has been recorded since.
  await desk('--yes', 'anna@one');
  expect((await desk('--undo 1', 'anna@one')).exitCode).toBe(4);
  // Two lists of one person, for two couriers: the later one need not be meant.
  await desk('--undo 2', 'bert@two');
  await desk('--yes', 'anna@one');
  const several = await desk('--undo', 'anna@one');
  expect([several.exitCode, errorOf(several).message]).toEqual([
    2,
    expect.stringMatching(/several were recorded within ten minutes: list 4, .*; list 3, /),
  ]);
});

test('--undo takes the last list back, and the next one has its orders', async () => {
  const rig = await evening();
  expect(errorOf(await rig.run('history handover --undo --json'))).toMatchObject({ code: 'not_found' });
  await rig.run('history handover --carrier EXP --yes');
  rig.clock.now += 60 * 60 * 1000;
  const eco = await rig.run('history handover --pdf eco.pdf');
  expect(eco.stderr).toContain('takes it back. The list is in eco.pdf');
  const ran = await rig.run('history handover --undo --json');
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  expect(JSON.parse(ran.stdout).map(({ key }: { key: string }) => key)).toEqual(['K-2', 'K-4']);
  expect(ran.stderr).toMatch(/taken back: list 2, of 2 orders, which .* recorded on /);
  expect(await keysOf(rig, '')).toEqual(['K-2', 'K-4']);
  expect(await keysOf(rig, '--again')).toEqual(['K-1', 'K-3']);
  // It has names: nobody else reads it.
  expect(statSync(join(rig.folder, 'eco.pdf')).mode & 0o777).toBe(0o600);
  expect((await rig.run('history show K-2')).stdout).not.toContain('handed over');
  expect((await rig.run('history handover --undo --carrier EXP')).exitCode).toBe(2);
});

test.skipIf(noReader)(
  titled('--pdf writes and records it: A4, all pages numbered, letters with their marks', noReader),
  async () => {
    const rig = await evening(120);
    const ran = await rig.run('history handover --pdf list.pdf');
    expect(ran.exitCode).toBe(0);
    const list = join(rig.folder, 'list.pdf');
    const pages = pageTexts(list);
    expect(pages).toHaveLength(3);
    expect(await sizesIn(list)).toEqual(pages.map(() => [595, 842]));
    const head = 'key receiver city carrier pcs kg tracking';
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of 3`);
      expect(page.split('\n')).toContain(head);
    }
    expect(pages.join('\n').split('\n')).toContain('K-120 Ayşe Şahin 120 Łódź, PL ECO 2 1.4 T-120');
    expect(pages[0]).toContain('Handover list 1');
    expect(pages[2]).toContain('EXP: 60 orders, 120 pieces, 84 kg');
    expect(pages[2]).toMatch(/Received by _+ Date _+ Signature _+/);
    expect(await keysOf(rig, '')).toEqual([]);
    await rig.run('history handover --again --carrier ECO --pdf list.pdf');
    expect(pageTexts(list).join('\n')).not.toContain('Ayşe Şahin 119');
  },
);

test.skipIf(noReader)(
  titled('a letter that no list can show is warned of with its order', noReader),
  async () => {
    const rig = await createRig();
    const more = { request: order('李'), answer: answer(1, 'EXP') };
    await fill(rig, 'state', [bookingAt(rig, 1, more), labelAt(rig, 1001, 1)]);
    const ran = await rig.run('history handover --pdf list.pdf');
    expect(ran.stderr).toContain('warning: K-1: receiver has letters that the list cannot show (李)');
    expect(pageTexts(join(rig.folder, 'list.pdf'))[0]).toContain('Ayşe ?');
  },
);

test('a file of another kind is not replaced, and nothing is recorded then', async () => {
  const rig = await evening();
  writeFileSync(join(rig.folder, 'own.pdf'), '%PDF-1.4 my own');
  const ran = await rig.run('history handover --pdf own.pdf --json');
  expect([ran.exitCode, errorOf(ran).message]).toEqual([2, expect.stringContaining('nothing was recorded')]);
  expect((await rig.run('history handover --pdf no/list.pdf')).exitCode).toBe(10);
  expect(existsSync(join(rig.folder, 'no'))).toBe(false);
  expect(await keysOf(rig, '')).toHaveLength(4);
});

test('two desks that write one file at one moment do not lose a list', async () => {
  const rig = await evening();
  const both = await Promise.all(
    ['EXP', 'ECO'].map(carrier => rig.run(`history handover --carrier ${carrier} --pdf list.pdf --json`)),
  );
  const lost = both.find(({ exitCode }) => exitCode !== 0) ?? expect.fail('both have written it');
  expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 10]);
  const [, cure = ''] =
    /list.pdf was written by another command since this one began, and stays. The list is recorded: `waybill (.* --pdf list-2.pdf)` writes it/.exec(
      errorOf(lost).message,
    ) ?? [];
  expect((await rig.run(cure)).exitCode).toBe(0);
  expect(existsSync(join(rig.folder, 'list-2.pdf'))).toBe(true);
});

test('of many that are left out ten are named, and all of them with --json', async () => {
  const rig = await createRig();
  const bookings = Array.from({ length: 12 }, (_, at) => bookingAt(rig, at + 1));
  await fill(rig, 'state', bookings);
  const { stderr } = await rig.run('history handover');
  expect(stderr).toMatch(/left out, without a label: K-12, .* and 2 more; --json names all of them/);
  expect((await rig.run('history handover --json')).stderr).toContain('K-3, K-2, K-1"');
});

/** The number of the list, which is written at once. */
async function recordedAs(
  journal: Journal,
  ...list: Parameters<Journal['lists']['record']>
): Promise<number | undefined> {
  const claim = await journal.lists.record(...list);
  if (claim) expect(await journal.lists.end(claim, true)).toBe(true);
  return claim?.number;
}

describeBoth('A handover', kind => {
  test('has each booking once, whoever records it, and the newest one is found', async () => {
    const { journal, other } = await journalRig(kind);
    const second = await other(2);
    const ids: string[] = [];
    for (const key of ['A', 'B', 'C'])
      ids.push(await booked(journal, ship({ key }), 'created', { ids: { shipment: key } }));
    const [a = '', b = '', c = ''] = ids;
    const said = { by: 'anna', run: null };
    const both = [
      recordedAs(journal, 'handover', said, [a, b]),
      recordedAs(second, 'handover', said, [b, c]),
    ];
    expect((await Promise.all(both)).sort()).toEqual([1, undefined]);
    const open = async () =>
      (await journal.orders({ notOn: 'handover', limit: 9 })).flatMap(({ booking }) =>
        booking.address === SCOPE.address ? booking.id : [],
      );
    const left = await open();
    expect(left).toHaveLength(1);
    expect(await recordedAs(journal, 'handover', said, left)).toBe(2);
    expect(await recordedAs(journal, 'toCsv', said, left)).toBe(1);
    expect(await open()).toEqual([]);
    expect((await journal.listed('handover'))?.map(({ booking }) => booking.id)).toEqual(left);
    expect(await journal.listed('handover', 1)).toHaveLength(2);
    expect(await journal.listed('handover', 0)).toBeUndefined();
  });

  test('has the shipment that it names, and not what its booking is found to be later', async () => {
    const { journal } = await journalRig(kind);
    const said = { by: 'anna', run: null };
    const isListed = async (id: string) => (await journal.byId(id))?.handover !== null;
    const id = await booked(journal, ship({ key: 'A' }), 'unknown');
    await settle(journal, id, 'created', { shipment: 'S-5' });
    expect(await recordedAs(journal, 'handover', said, [id])).toBe(1);
    await settle(journal, id, 'reopened');
    await settle(journal, id, 'created', { shipment: 'S-5' });
    expect(await isListed(id)).toBe(true);
    await settle(journal, id, 'reopened');
    await settle(journal, id, 'created', { shipment: 'S-6' });
    expect(await isListed(id)).toBe(false);
    // Its own answer comes at last.
    expect(await recordedAs(journal, 'handover', said, [id])).toBe(2);
    await journal.recordOutcome(id, ended('created', { ids: { shipment: 'S-7' } }));
    expect([(await journal.byId(id))?.ids, await isListed(id)]).toEqual([{ shipment: 'S-7' }, false]);
  });

  test('is taken back once, and its number is not given again; what was kept back or cancelled meanwhile refuses it', async () => {
    const { journal, other } = await journalRig(kind);
    const second = await other(2);
    const made = async (key: string) => booked(journal, ship({ key }), 'created', { ids: { shipment: key } });
    const [a, b, c] = [await made('A'), await made('B'), await made('C')];
    const said = { by: 'anna', run: null };
    const listingOf = async (id: string) => (await journal.byId(id))?.handover ?? expect.fail('no list');
    await recordedAs(journal, 'handover', said, [a]);
    const first = await listingOf(a);
    expect(await recordedAs(journal, 'handover', said, [b], [a])).toBeUndefined();
    // One desk takes it back while another one makes the next.
    const both = [
      journal.lists.takeBack('handover', first),
      recordedAs(second, 'handover', { by: 'bert', run: null }, [b]),
    ];
    expect(await Promise.all(both)).toEqual([true, 2]);
    expect((await journal.byId(a))?.handover).toBeNull();
    expect(await journal.lists.takeBack('handover', first)).toBe(false);
    const next = await listingOf(b);
    const again = [journal.lists.takeBack('handover', next), second.lists.takeBack('handover', next)];
    expect((await Promise.all(again)).sort()).toEqual([false, true]);
    expect(await recordedAs(journal, 'handover', said, [a])).toBe(3);
    const cancelled = settle(journal, c, 'cancelled', { shipment: 'C' });
    expect(await cancelled).toEqual([]);
    expect(await recordedAs(journal, 'handover', said, [b, c])).toBeUndefined();
  });

  test('that was not written is taken up once, and by nobody while a process writes it or its lease lasts', async () => {
    const { journal, other, dies } = await journalRig(kind);
    const second = await other(2);
    const id = await booked(journal, ship({ key: 'A' }), 'created', { ids: { shipment: 'A' } });
    const said = { by: 'anna', run: null };
    const claim = (await journal.lists.record('handover', said, [id])) ?? expect.fail('no list');
    expect(await second.lists.unwritten('handover')).toEqual([{ number: 1, isHeld: true }]);
    expect(await second.lists.takeUp('handover', 1)).toBeUndefined();
    // It could not be written, as on a full disk.
    expect(await journal.lists.end(claim, false)).toBe(true);
    const both = await Promise.all([journal, journal].map(one => one.lists.takeUp('handover', 1)));
    expect(both.flatMap(one => one?.number ?? [])).toEqual([1]);
    await dies(1);
    const taken = (await second.lists.takeUp('handover', 1)) ?? expect.fail('not taken up');
    // A process that only stood still is told that the list is not its own any more.
    expect(await journal.lists.end(claim, true)).toBe(false);
    expect(await second.lists.end(taken, true)).toBe(true);
    expect(await journal.lists.unwritten('handover')).toEqual([]);
    expect(await second.lists.takeUp('handover', 1)).toBeUndefined();
  });
});
