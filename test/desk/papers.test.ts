// What lies beside a label: the commercial invoice and the packing slip, read as another program reads them.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { customsTerritory } from '../../src/contract/territories.ts';
import { createRig, type Rig, type RunOptions } from '../rig/command.ts';
import { bookingAt, fill, said, UNKNOWN } from '../rig/journal.ts';
import { labelledBy, PDF, png, sizesIn } from '../rig/labels.ts';
import { titled } from '../rig/needs.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { DUAL, errorOf, SHIPMENT } from '../rig/service.ts';

const reads = (title: string, run: () => Promise<void>) =>
  test.skipIf(noReader)(titled(title, noReader), run);

const ITEM = {
  description: 'T-shirt',
  hsCode: '610910',
  countryOfOrigin: 'TR',
  quantity: 2,
  unitPrice: 12.5,
  totalPrice: 25,
};

type Party = Record<string, unknown>;
const SENDER = SHIPMENT.sender as Party;

/** An order with some fields of its own. */
function order({ receiver = {}, ...more }: { receiver?: Party } & Record<string, unknown> = {}): string {
  const usual = structuredClone(SHIPMENT) as unknown as { receiver: Party };
  const items = (more.items ?? [ITEM]) as (typeof ITEM)[];
  const totalGoodsValue = items.reduce((sum, { totalPrice }) => sum + totalPrice, 0);
  return JSON.stringify({
    ...usual,
    items,
    customs: { totalGoodsValue, currency: 'EUR' },
    ...more,
    receiver: { ...usual.receiver, ...receiver },
  });
}

const to = (code: string, zipCode: string) => ({
  receiver: { address: { line1: 'Street 1', city: 'Town', zipCode, country: { code } } },
});

async function booked(orders: Record<string, string>): Promise<Rig> {
  const rig = await createRig();
  for (const [key, stdin] of Object.entries(orders))
    expect((await rig.run(`ship -f - --key ${key}`, { stdin })).exitCode).toBe(0);
  return rig;
}

const files = (rig: Rig, folder: string): string[] => {
  const path = join(rig.folder, folder);
  return existsSync(path) ? readdirSync(path).sort() : [];
};

/** A printer that takes all but these files. */
function printing(...lost: string[]): RunOptions {
  const options: RunOptions = {
    onProgram(path = '') {
      options.programCode = lost.includes(basename(path)) ? 3 : 0;
    },
  };
  return options;
}

describe('papers', () => {
  reads('say who pays what, and that VAT was paid where a number holds by which it was', async () => {
    const ioss = { totalGoodsValue: 25, currency: 'EUR', iossNumber: 'IM2760000742' };
    const shop = { totalGoodsValue: 25, currency: 'GBP', marketplaceNumber: 'MP-000111222' };
    const GB = to('GB', 'SW1A 1AA');
    const rig = await booked({
      NONE: order(),
      IOSS: order({ customs: ioss }),
      DDP: order({ deliveryType: 'DDP', customs: ioss }),
      SHOP: order({ ...GB, customs: shop }),
      // What these declare is wrong, and was warned of.
      ELSEWHERE: order({ ...GB, customs: ioss }),
      ABOVE: order({ customs: { ...ioss, totalGoodsValue: 151 } }),
    });
    await rig.run('papers NONE IOSS DDP SHOP ELSEWHERE ABOVE --only invoice --merge all.pdf');
    const pages = pageTexts(join(rig.folder, 'all.pdf'));
    const ALL = 'duties and taxes are paid by the receiver';
    expect(pages.map(page => /^Terms of delivery (?:DAP|DDP): (.*)$/m.exec(page)?.[1])).toEqual([
      ALL,
      'VAT was paid with the sale (IOSS number), duties are paid by the receiver',
      'VAT was paid with the sale (IOSS number), duties are paid by the sender',
      'VAT was paid with the sale (marketplace number), duties are paid by the receiver',
      ALL,
      ALL,
    ]);
  });

  reads('of a long list go over pages: each has the head of the table, the last one the sum', async () => {
    const many = Array.from({ length: 90 }, (_, index) => ({ ...ITEM, description: `Thing ${index + 1}.` }));
    const rig = await booked({ M: order({ items: many }) });
    const rows = await rig.json('papers M --download out');
    const pages = pageTexts(join(rig.folder, 'out/M-invoice.pdf'));
    expect(pages.length).toBeGreaterThan(2);
    expect(rows[0].pages).toBe(pages.length);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain('No. Description of goods HS code Origin Quantity Unit price Total');
      expect(page).toContain(`M Page ${index + 1} of ${pages.length}`);
      expect(page.includes('Total value 2250.00 EUR')).toBe(index === pages.length - 1);
    }
    expect(pages.join('\n').match(/Thing \d+\./g)).toEqual(many.map(({ description }) => description));
  });

  test('have names that say which paper it is, however long the key is', async () => {
    const key = 'K'.repeat(120);
    const rig = await booked({ [key]: order() });
    const made = (await rig.run(`papers ${key} --download out -q`)).stdout.trim().split('\n');
    expect(made).toEqual([expect.stringMatching(/K-invoice\.pdf$/), expect.stringMatching(/K-slip\.pdf$/)]);
  });

  test('merged into a file that another command has replaced since are not printed', async () => {
    const rig = await booked({ A: order() });
    const ran = await rig.run('papers A --merge both.pdf --print --json', {
      onStdout: () => writeFileSync(join(rig.folder, 'both.pdf'), PDF),
    });
    expect([ran.exitCode, ran.programs]).toEqual([10, []]);
    expect(errorOf(ran).message).toContain('another command wrote both.pdf meanwhile');
  });

  test('that are none because of one customs territory leave an earlier merged file, and print nothing', async () => {
    const sender = { ...SENDER, ...to('DE', '10115').receiver };
    const rig = await booked({
      EU: order({ sender, ...to('FR', '75001') }),
      ES: order({ sender, ...to('ES', '35001') }),
    });
    const none = await rig.run('papers EU --only invoice --merge none.pdf --print -q');
    expect(none).toMatchObject({ exitCode: 0, stdout: '', programs: [] });
    expect(existsSync(join(rig.folder, 'none.pdf'))).toBe(false);
    await rig.run('papers ES --merge both.pdf');
    const kept = await rig.run('papers EU --only invoice --merge both.pdf --print');
    expect(kept).toMatchObject({ exitCode: 0, programs: [] });
    expect(kept.stderr).toContain('both.pdf is of an earlier merge');
    expect(await rig.json('papers ES --only invoice --download out')).toHaveLength(1);
  });

  test.each([
    ['DE 10115', 'FR 75001', true],
    ['DE 10115', 'MC 98000', true],
    ['DE 10115', 'ES 35001', false],
    ['ES 38001', 'ES 28001', false],
    ['TR 34433', 'DE 10115', false],
    ['TR 34433', 'TR 06000', true],
    ['DE 10115', 'CH 8001', false],
    ['CH 8001', 'LI 9490', true],
    ['DE 10115', 'GB SW1A 1AA', false],
    ['IE D01', 'GB BT1 1AA', true],
    ['GB SW1A 1AA', 'IM IM1 1AA', true],
    ['GB SW1A 1AA', 'GB JE2 3AB', false],
    ['US 10001', 'PR 00901', true],
  ])('%s and %s in one customs territory: %s', (from, into, same) => {
    const territory = (place: string) => customsTerritory(place.slice(0, 2), place.slice(3));
    expect(territory(from) === territory(into)).toBe(same);
  });

  test('of what is not booked, is cancelled or was pruned are refused, all at once, and none is made', async () => {
    const rig = await createRig();
    const request = JSON.parse(order());
    const state = (number: number, more: object) => bookingAt(rig, number, { request, ...more });
    await fill(rig, 'state', [
      state(1, {}),
      state(2, { state: 'cancelled', facts: [said('cancelled')] }),
      state(3, { ...UNKNOWN, request }),
      state(4, { state: 'rejected', code: 'rejected', ids: {} }),
      state(5, { request: null, answer: null }),
    ]);
    for (const [refs, code, words] of [
      ['K-2', 'duplicate', /cancelled/],
      ['K-3', 'outcome_unknown', /K-3/],
      ['K-4', 'rejected', /K-4/],
      ['K-5', 'not_found', /pruned, or imported/],
      ['K-1 K-5 K-9', 'not_found', /no papers of "K-5".*"K-9".*no paper was made$/],
    ] as const) {
      const ran = await rig.run(`papers ${refs} --download out --json`);
      expect([ran.stdout, ran.requests, files(rig, 'out')]).toEqual(['', [], []]);
      expect(errorOf(ran)).toMatchObject({ code, message: expect.stringMatching(words) });
    }
  });

  reads(
    'of a pair name both shipments and tracking numbers, who pays, and what the packages weigh, the same each time',
    async () => {
      const rig = await createRig();
      const invoice = { ...SENDER, companyName: 'Payer Ltd', taxNumber: '77', taxOffice: 'Beyoğlu' };
      const parcel = (quantity: number, weight: number, [length, width, height]: number[]) => ({
        ...{ quantity, weight, dimensions: { length, width, height, unit: 'cm' } },
      });
      const packages = [parcel(2, 1.1, [30, 20, 10]), parcel(1, 0.2, [9, 8, 7])];
      const stdin = JSON.stringify({ ...DUAL, invoice, packages });
      const shipped = await rig.run('ship-dual -f - --key PAIR --label --json', { stdin });
      const { international, domestic } = JSON.parse(shipped.stdout);
      for (const _ of ['first', 'again']) await rig.run('papers PAIR --only invoice --download out');
      expect(files(rig, 'out')).toEqual(['PAIR-invoice.pdf']);
      const [page = ''] = pageTexts(join(rig.folder, 'out/PAIR-invoice.pdf'));
      for (const line of [
        `Shipment ${international.shipment.id}, ${domestic.shipment.id}`,
        `Tracking number ${international.label.trackingNumber}, ${domestic.label.trackingNumber}`,
        'SENDER AND EXPORTER RECEIVER AND IMPORTER',
        'Payer Ltd',
        'Tax number 77, Beyoğlu',
        'Packages 3 (2 of 1.1 kg, 30 × 20 × 10 cm; 1 of 0.2 kg, 9 × 8 × 7 cm)',
        'Gross weight 2.4 kg',
      ])
        expect(page.split('\n')).toContain(line);
    },
  );

  test('that are not printed are exit 9, and may be printed again', async () => {
    const rig = await booked({ P: order() });
    const failed = await rig.run('papers P --only slip --print --json', { programCode: 1 });
    expect(errorOf(failed)).toMatchObject({ exitCode: 9, retry: 'same' });
    expect(errorOf(failed).message).toContain('P-slip.pdf was made, but not printed: lp ended with 1');
  });
});

const LABEL_SIZE = [283, 425];

describe('--papers', () => {
  test('behind a picture without room is A4, behind a larger one as large', async () => {
    const { rig } = await labelledBy({ 'S-1': png(100, 100), 'S-2': png(812, 1218) });
    expect((await rig.run('label K1 K2 --merge today.pdf --papers=invoice')).exitCode).toBe(0);
    expect(await sizesIn(join(rig.folder, 'today.pdf'))).toEqual([
      [35, 35],
      [595, 842],
      [288, 432],
      [288, 432],
    ]);
  });

  test('that were not printed are exit 9, and no run prints them by itself: its label was printed', async () => {
    const rig = await booked({ A: order() });
    const ran = await rig.run('label A --print --papers=slip --json', printing('A-slip.pdf'));
    expect(errorOf(ran)).toMatchObject({
      ...{ code: 'partial', exitCode: 9, retry: 'never' },
      next: [['waybill', 'papers', '--print', 'A']],
      message: expect.stringContaining('A-slip.pdf, but not printed: lp ended with 3'),
    });
    const again = await rig.run('label A --print --papers=slip');
    expect([again.exitCode, again.programs]).toEqual([0, []]);
    expect(again.stderr.replace(/\s+/g, ' ')).toContain('`waybill papers --print A` prints those');
  });

  test('that cannot be made are exit 9, and the label is made', async () => {
    const { rig } = await labelledBy({ 'S-1': PDF, 'X-9': PDF });
    const foreign = await rig.run('label --international X-9 --merge m.pdf --papers --json');
    expect(errorOf(foreign)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(errorOf(foreign).message).toContain('X-9 has no papers: it was not booked here');
    expect(await sizesIn(join(rig.folder, 'm.pdf'))).toEqual([LABEL_SIZE]);
  });

  test.each([
    ['A B --print', 'A.pdf', 'same', []],
    ['A B --print', 'A-invoice.pdf A-slip.pdf B-slip.pdf', 'never', ['A', 'B']],
    ['A B --print', 'A.pdf B-slip.pdf', 'same', ['B']],
    ['A B NONE --print', 'B-slip.pdf', 'after-change', ['B']],
    ['A B OLD --print --merge m.pdf', 'B-slip.pdf', 'never', ['B']],
  ])('`label %s --papers`, without %s printed, may be run again: %s', async (argv, lost, retry, left) => {
    const rig = await booked({ A: order(), B: order(to('CH', '8001')), OLD: order(to('US', '10001')) });
    expect((await rig.run('label OLD --print')).exitCode).toBe(0);
    const ran = await rig.run(`label ${argv} --papers --json`, printing(...lost.split(' ')));
    expect(errorOf(ran)).toMatchObject({
      exitCode: 9,
      retry,
      next: expect.arrayContaining(left.map(key => ['waybill', 'papers', '--print', key])),
    });
  });

  test.each([
    ['A --print --papers', 'label --print --papers invoice,slip A', 'A-invoice.pdf'],
    ['A --print --merge m.pdf --papers=slip', 'label --unprinted --print --papers slip', 'A-slip.pdf'],
  ])('`label %s` names `%s`, which prints both once the printer works', async (argv, next, paper) => {
    const rig = await booked({ A: order() });
    const failed = await rig.run(`label ${argv} --json`, { programCode: 1 });
    expect(errorOf(failed).message).toContain(`\`waybill ${next}\``);
    const { programs } = await rig.run(next);
    const printed = programs.map(([, path = '']) => basename(path));
    expect(printed).toEqual(expect.arrayContaining(['A.pdf', paper]));
  });
});
