// The page of a booking as it is drawn, and that its next steps are commands that work; promises/history has the rest.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Booking } from '../../../src/booking/booking.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { ANNA, bookingAt, fill, labelAt, UNKNOWN } from '../../rig/journal.ts';
import { SHIPMENT } from '../../rig/service.ts';

const ANN = {
  receiver: {
    ...{ firstName: 'Ann', lastName: 'Example', companyName: 'Example Ltd' },
    address: { line1: '1 High Street', zipCode: 'LS1', city: 'Leeds', country: { code: 'GB' } },
  },
  items: [{ quantity: 2, description: 'T-shirt' }],
  customs: { totalGoodsValue: 25, currency: 'EUR' },
  packages: [{ quantity: 1, weight: 1.5, dimensions: { length: 30, width: 20, height: 10, unit: 'cm' } }],
};

async function withBooking(more: Partial<Booking> = {}) {
  const rig = await createRig();
  await fill(rig, 'state', [bookingAt(rig, 1, { request: ANN, ...more })]);
  return rig;
}

const page = async (rig: Rig, ref: string) =>
  stripVTControlCharacters((await rig.run(['history', 'show', ref])).stdout);

test('a booking is shown as what it is, what happened, and what to type next; JSON has its labels and all that it had', async () => {
  const rig = await withBooking({ maxPrice: '20 EUR', overPrice: false, actor: 'ci', run: 'night 7' });
  await fill(rig, 'state', [labelAt(rig, 2, 1)]);
  const text = await page(rig, 'K-1');
  for (const part of [
    /^K-1: created\n/,
    /Receiver +Ann Example, Example Ltd, 1 High Street, LS1 Leeds, GB\n/,
    /Goods +2 × T-shirt, worth 25\.00 EUR\n/,
    /Packages +1x1\.5kg@30x20x10cm\n/,
    /Carrier +EXP\nPrice +12\.40 EUR, with --max-price 20 EUR\nShipment +S-1\nTracking +T-1\nLabel file +\/labels\/K-1\.pdf\n/,
    /2 Mar 09:00 +sent by ci, anna on desk \(process 7\), waybill 9\.9\.9, in night 7\n/,
    /2 Mar 09:00 +created \(HTTP 201\)\n/,
    /2 Mar 09:00 +international label: T-1, bk_0+2\n/,
    /Where it is:\n {2}waybill track K-1\nTo save its label again:\n {2}waybill label K-1 --download \.\n$/,
  ])
    expect(text).toMatch(part);
  expect(await rig.json('history show K-1')).toMatchObject({
    ...{ trackingNumbers: ['T-1'], labelFile: '/labels/K-1.pdf', bookedBy: ANNA, request: ANN },
    ...{ answer: { id: 'S-1' }, why: '', settledAt: expect.any(String), account: '', sandbox: false },
    labelledBy: [{ leg: 'international', id: bookingAt(rig, 2).id, state: 'created' }],
  });
});

test.each([
  ['-A', 'bk_'],
  ['$(id) %1', "'$(id) %1'"],
  ['=ls', "'=ls'"],
])('the key %s is one word, and no option, in a next step', async (key, word) => {
  const rig = await createRig();
  await rig.run(['ship', '-f', '-', '--key', key], { stdin: JSON.stringify(SHIPMENT) });
  const { stdout } = await rig.run(['history', 'show', '--', key]);
  const [, step = ''] = /To make its label:\n {2}waybill (.*)\n/.exec(stdout) ?? [];
  expect(step).toContain(word);
  expect((await rig.run(step)).exitCode).toBe(0);
});

test('of a key in several places the one in force is shown, then what may exist; else each is named', async () => {
  const rig = await withBooking({ address: 'https://a.example', state: 'not_sent' });
  const shown = async (place: string) => {
    const ran = await rig.run('history show K-1 --json', { env: { WAYBILL_BASE_URL: place } });
    return ran.exitCode === 0 ? JSON.parse(ran.stdout).address : ran.stderr;
  };
  const at = (number: number, place: string, state: Booking['state'] = 'created') =>
    bookingAt(rig, number, { address: `https://${place}.example`, key: 'K-1', state });
  await fill(rig, 'state', [at(2, 'b'), at(3, 'c', 'rejected')]);
  expect(await shown('https://a.example')).toBe('https://a.example');
  expect(await shown('https://d.example')).toBe('https://b.example');
  await fill(rig, 'state', [at(4, 'c')]);
  expect(await shown('https://c.example')).toBe('https://c.example');
  expect(await shown('https://d.example')).toMatch(/names 2 orders\..*https:\/\/c\.example.*https:\/\/b/);
});

test('an unknown booking has no end, shows what came, and how to resolve it works as it is typed', async () => {
  const rig = await withBooking({ ...UNKNOWN, why: 'cut off', httpStatus: 502, answer: '<html>' });
  const text = await page(rig, 'K-1');
  expect(text).toMatch(/\nthen +no conclusive answer \(HTTP 502\): cut off\n/);
  expect(text).toMatch(/\nAnswer\n<html>\n/);
  expect((await rig.json('history show K-1')).settledAt).toBeNull();
  const [, denied = ''] = /waybill (history resolve K-1 --not-created .*)/.exec(text) ?? [];
  await rig.later(16 * 60_000);
  expect(await rig.run(denied)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('one that was booked again is named by its id: its key is that of the later one', async () => {
  const rig = await createRig();
  const later = bookingAt(rig, 2, { ...UNKNOWN, key: 'K' });
  const overtaken = bookingAt(rig, 1, { ...UNKNOWN, key: 'K', keyHolder: later.id });
  await fill(rig, 'state', [overtaken, later]);
  const [, step] =
    /waybill (history resolve .* --not-created) --reason/.exec(await page(rig, overtaken.id)) ?? [];
  expect((await rig.run(`${step} --reason portal --force`)).stdout).toContain(`Booking ${overtaken.id} `);
  expect((await rig.json(`history show ${later.id}`)).state).toBe('unknown');
});
