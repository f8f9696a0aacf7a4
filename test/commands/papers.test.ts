// What lies beside a label: the commercial invoice and the packing slip, read as another program reads them.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { customsTerritory } from '../../src/contract/territories.ts';
import { createRig, type Rig, type RunOptions } from '../rig/command.ts';
import { bookingAt, fill, said, UNKNOWN } from '../rig/journal.ts';
import { labelledBy, PDF, png, sizesIn } from '../rig/labels.ts';
import { titled } from '../rig/needs.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { DUAL, errorOf, posted, SHIPMENT } from '../rig/service.ts';

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

describe('papers', () => {
  reads(
    'of an order are an invoice and a slip of all that was booked, and ask nothing of the service',
    async () => {
      const rig = await booked({
        'A-1': order({
          category: 'gift',
          deliveryType: 'DDP',
          customs: { totalGoodsValue: 25, currency: 'EUR', iossNumber: 'IM2760000742' },
          invoice: {
            ...(SHIPMENT as unknown as { sender: Party }).sender,
            companyName: 'Payer Ltd',
            taxNumber: 'TAX-77',
          },
          packages: [
            { quantity: 2, weight: 1.1, dimensions: { length: 30, width: 20, height: 10, unit: 'cm' } },
            { quantity: 1, weight: 0.2, dimensions: { length: 9, width: 8, height: 7, unit: 'cm' } },
          ],
        }),
      });
      const { stdout } = await rig.run('label A-1 --json');
      const { trackingNumber } = JSON.parse(stdout).international;
      const ran = await rig.run('papers A-1 --download out --json');
      expect(ran).toMatchObject({ exitCode: 0, requests: [] });
      expect(JSON.parse(ran.stdout)).toMatchObject([
        { key: 'A-1', paper: 'invoice', pages: 1, file: join(rig.folder, 'out/A-1-invoice.pdf') },
        { key: 'A-1', paper: 'slip', pages: 1, file: join(rig.folder, 'out/A-1-slip.pdf') },
      ]);
      expect(statSync(join(rig.folder, 'out/A-1-invoice.pdf')).mode & 0o777).toBe(0o600);
      const [invoice = ''] = pageTexts(join(rig.folder, 'out/A-1-invoice.pdf'));
      for (const line of [
        'COMMERCIAL INVOICE',
        'Invoice number A-1',
        `Tracking number ${trackingNumber}`,
        'Date 2026-03-02',
        'Reason for export gift',
        'Terms of delivery DDP: VAT was paid with the sale (IOSS number), duties are paid by the sender',
        'SENDER AND EXPORTER RECEIVER AND IMPORTER',
        'Türkiye (TR) Germany (DE)',
        'Payer Ltd',
        'Tax number TAX-77',
        '1 T-shirt 610910 TR 2 12.50 EUR 25.00 EUR',
        'Packages 3 (2 of 1.1 kg, 30 × 20 × 10 cm; 1 of 0.2 kg, 9 × 8 × 7 cm)',
        'Gross weight 2.4 kg',
        'IOSS number IM2760000742',
        'Total value 25.00 EUR',
        'Place and date Name Signature',
        'A-1 Page 1 of 1',
      ])
        expect(invoice.split('\n')).toContain(line);
      expect(invoice).not.toContain('Sum of the items');
      const [slip = ''] = pageTexts(join(rig.folder, 'out/A-1-slip.pdf'));
      expect(slip.split('\n')).toEqual(expect.arrayContaining(['PACKING SLIP', 'Order A-1', '1 T-shirt 2']));
      expect(slip).not.toMatch(/EUR|TAX-77|example\.com/);
      // The same order gives the same bytes.
      await rig.run('papers A-1 --download out');
      expect(files(rig, 'out')).toEqual(['A-1-invoice.pdf', 'A-1-slip.pdf']);
    },
  );

  reads('say who pays what, and that VAT was paid where a number holds by which it was', async () => {
    const ioss = { iossNumber: 'IM2760000742' };
    const value = { totalGoodsValue: 25, currency: 'EUR' };
    const GB = to('GB', 'SW1A 1AA');
    const rig = await booked({
      NONE: order(),
      IOSS: order({ customs: { ...value, ...ioss } }),
      SHOP: order({ ...GB, customs: { ...value, currency: 'GBP', marketplaceNumber: 'MP-000111222' } }),
      // What these declare is wrong, and was warned of.
      ELSEWHERE: order({ ...GB, customs: { ...value, ...ioss } }),
      ABOVE: order({ customs: { ...value, ...ioss, totalGoodsValue: 151 } }),
    });
    await rig.run('papers NONE IOSS SHOP ELSEWHERE ABOVE --only invoice --download out');
    const all = 'DAP: duties and taxes are paid by the receiver';
    for (const [key, terms] of [
      ['NONE', all],
      ['IOSS', 'DAP: VAT was paid with the sale (IOSS number), duties are paid by the receiver'],
      ['SHOP', 'DAP: VAT was paid with the sale (marketplace number), duties are paid by the receiver'],
      ['ELSEWHERE', all],
      ['ABOVE', all],
    ]) {
      const [invoice = ''] = pageTexts(join(rig.folder, `out/${key}-invoice.pdf`));
      expect(invoice.split('\n'), key).toContain(`Terms of delivery ${terms}`);
    }
  });

  reads('print the letters of the shops: Turkish, Polish, Czech, Greek and Cyrillic', async () => {
    const letters = [
      'ĞÜŞİÖÇ ğüşıöç',
      'Żółć Gęślą Jaźń',
      'Příliš žluťoučký kůň',
      'Ξεσκεπάζω την ψυχή',
      'Съешь ещё',
    ];
    const rig = await booked({
      L: order({ items: letters.map(description => ({ ...ITEM, description })), allowed: undefined }),
    });
    const ran = await rig.run('papers L --merge all.pdf');
    expect(ran.stderr).not.toContain('cannot show');
    const [invoice, slip] = pageTexts(join(rig.folder, 'all.pdf'));
    for (const line of letters) {
      expect(invoice).toContain(line);
      expect(slip).toContain(line);
    }
  });

  reads('print what they can of other letters, and a warning names the order and the field', async () => {
    const rig = await booked({ C: order({ receiver: { lastName: '李 Wei', companyName: 'شركة' } }) });
    const ran = await rig.run('papers C --only invoice --download out');
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain(
      'warning: C: receiver.lastName has letters that the invoice cannot show (李)',
    );
    expect(ran.stderr).toContain(
      'warning: C: receiver.companyName has letters that the invoice cannot show (شركة)',
    );
    const [invoice = ''] = pageTexts(join(rig.folder, 'out/C-invoice.pdf'));
    expect(invoice).toContain('? Wei');
    expect(invoice).toContain('????');
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

  test('merged into one file by two commands at one moment are those of one, and the other says so', async () => {
    const rig = await booked({ A: order(), B: order({ items: [ITEM, ITEM] }) });
    const both = await Promise.all(['A', 'B'].map(key => rig.run(`papers ${key} --merge both.pdf --json`)));
    const lost = both.find(({ exitCode }) => exitCode !== 0) ?? expect.fail('both have written it');
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 10]);
    expect(errorOf(lost).message).toContain('another command has written both.pdf since this one began');
  });

  test('merged into a file that another command has replaced since are not printed', async () => {
    const rig = await booked({ A: order() });
    const ran = await rig.run('papers A --merge both.pdf --print --json', {
      onStdout: () => writeFileSync(join(rig.folder, 'both.pdf'), PDF),
    });
    expect([ran.exitCode, ran.programs]).toEqual([10, []]);
    expect(errorOf(ran).message).toContain('another command has written both.pdf since this one began');
  });

  test('within one customs territory have no invoice: the slip alone, or none and a note', async () => {
    const sender = { ...(SHIPMENT as unknown as { sender: Party }).sender, ...to('DE', '10115').receiver };
    const rig = await booked({
      EU: order({ sender, ...to('FR', '75001') }),
      ES: order({ sender, ...to('ES', '35001') }),
    });
    expect(await rig.json('papers EU --download out')).toMatchObject([{ paper: 'slip' }]);
    const none = await rig.run('papers EU --only invoice --merge none.pdf --print -q');
    expect(none).toMatchObject({ exitCode: 0, stdout: '', programs: [] });
    const noted = await rig.run('papers EU --only invoice --merge none.pdf');
    expect(noted.stderr).toContain(
      'EU: sender and receiver are in one customs territory, and there is no invoice',
    );
    expect(existsSync(join(rig.folder, 'none.pdf'))).toBe(false);
    await rig.run('papers ES --merge both.pdf');
    const kept = await rig.run('papers EU --only invoice --merge both.pdf --print');
    expect(kept).toMatchObject({ exitCode: 0, programs: [] });
    expect(kept.stderr).toContain('both.pdf is still that of an earlier merge');
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
  ])('%s and %s in one customs territory: %s', (one, other, same) => {
    const territory = (place: string) => customsTerritory(place.slice(0, 2), place.slice(3));
    expect(territory(one) === territory(other)).toBe(same);
  });

  test('of what is not booked, is cancelled or was pruned are refused, all at once, and none is made', async () => {
    const rig = await createRig();
    const request = JSON.parse(order());
    const state = (number: number, more: object) => bookingAt(rig, number, { request, ...more });
    await fill(rig, 'state', [
      state(1, {}),
      state(2, { state: 'cancelled', settlements: [said('cancelled')] }),
      state(3, { ...UNKNOWN, request }),
      state(4, { state: 'rejected', code: 'rejected', ids: {} }),
      state(5, { request: null, answer: null }),
    ]);
    const refused = async (refs: string) => {
      const ran = await rig.run(`papers ${refs} --download out --json`);
      expect([ran.stdout, ran.requests, files(rig, 'out')]).toEqual(['', [], []]);
      return errorOf(ran);
    };
    expect(await refused('K-2')).toMatchObject({ code: 'duplicate', exitCode: 2 });
    expect((await refused('K-2')).message).toContain('cancelled');
    expect(await refused('K-3')).toMatchObject({ code: 'outcome_unknown', exitCode: 8 });
    expect(await refused('K-4')).toMatchObject({ code: 'rejected', exitCode: 5 });
    expect(await refused('K-5')).toMatchObject({ code: 'not_found', exitCode: 4 });
    expect((await refused('K-5')).message).toContain('it was pruned, or imported');
    expect(await refused('K-9')).toMatchObject({ code: 'not_found', exitCode: 4 });
    const { message } = await refused('K-1 K-5 K-9');
    expect(message).toMatch(/no papers of "K-5".*"K-9".*no paper was made$/);
    expect(await rig.json('papers K-1 --download out')).toHaveLength(2);
  });

  reads('of a pair name both shipments and tracking numbers, and the tax office', async () => {
    const rig = await createRig();
    const { sender } = DUAL as unknown as { sender: Party };
    const stdin = JSON.stringify({ ...DUAL, invoice: { ...sender, taxNumber: '77', taxOffice: 'Beyoğlu' } });
    const shipped = await rig.run('ship-dual -f - --key PAIR --label --json', { stdin });
    const { international, domestic } = JSON.parse(shipped.stdout);
    await rig.run('papers PAIR --only invoice --download out');
    const [invoice = ''] = pageTexts(join(rig.folder, 'out/PAIR-invoice.pdf'));
    for (const line of [
      `Shipment ${international.shipment.id}, ${domestic.shipment.id}`,
      `Tracking number ${international.label.trackingNumber}, ${domestic.label.trackingNumber}`,
      'Tax number 77, Beyoğlu',
    ])
      expect(invoice.split('\n')).toContain(line);
  });

  test('are printed each, or as one file; one that was not is exit 9', async () => {
    const rig = await booked({ P: order(), Q: order(to('CH', '8001')) });
    const path = (name: string) => join(rig.folder, 'state/labels', name);
    const each = await rig.run('papers P Q --print -q');
    const made = ['P-invoice.pdf', 'P-slip.pdf', 'Q-invoice.pdf', 'Q-slip.pdf'].map(path);
    expect(each.programs).toEqual(made.map(file => ['lp', file]));
    expect(each.stdout).toBe(`${made.join('\n')}\n`);
    const one = await rig.run('papers P Q --print --merge all.pdf');
    expect(one.programs).toEqual([['lp', join(rig.folder, 'all.pdf')]]);
    expect(one.stderr).toContain('(4 papers of 2 orders)');
    const failed = await rig.run('papers P --only slip --print --json', { programCode: 1 });
    expect(errorOf(failed)).toMatchObject({ exitCode: 9, retry: 'same' });
    expect(errorOf(failed).message).toContain('P-slip.pdf was made, but not printed: lp ended with 1');
    const nowhere = await rig.run('papers P');
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringContaining('says where they go')]);
  });
});

const LABEL_SIZE = [283, 425];

describe('--papers', () => {
  reads('puts the papers of each order behind its label, as large as that', async () => {
    const rig = await booked({ A: order(), B: order(to('CH', '8001')) });
    const ran = await rig.run('label B A --merge today.pdf --papers');
    expect(ran.exitCode).toBe(0);
    const path = join(rig.folder, 'today.pdf');
    const texts = pageTexts(path);
    const kinds = texts.map(text => /COMMERCIAL INVOICE|PACKING SLIP|Not for shipping/.exec(text)?.[0]);
    const one = ['Not for shipping', 'COMMERCIAL INVOICE', 'PACKING SLIP'];
    expect(kinds).toEqual([...one, ...one]);
    expect(texts.map(text => /\b[AB] Page 1 of 1/.exec(text)?.[0].charAt(0))).toEqual([
      undefined,
      'B',
      'B',
      undefined,
      'A',
      'A',
    ]);
    expect(await sizesIn(path)).toEqual(texts.map(() => LABEL_SIZE));
    await rig.run('label B A --merge today.pdf --papers slip');
    expect(pageTexts(path)).toHaveLength(4);
  });

  test('behind a picture without room is A4, behind a larger one as large', async () => {
    const { rig } = await labelledBy({ 'S-1': png(100, 100), 'S-2': png(812, 1218) });
    const ran = await rig.run('label K1 K2 --merge today.pdf --papers=invoice');
    expect(ran.exitCode).toBe(0);
    expect(await sizesIn(join(rig.folder, 'today.pdf'))).toEqual([
      [35, 35],
      [595, 842],
      [288, 432],
      [288, 432],
    ]);
  });

  test('without --merge are files beside the label, and are printed behind it, once', async () => {
    const rig = await booked({ A: order() });
    const ran = await rig.run('label A --print --papers');
    const path = (name: string) => join(rig.folder, 'state/labels', name);
    expect(ran.programs).toEqual(['A.pdf', 'A-invoice.pdf', 'A-slip.pdf'].map(name => ['lp', path(name)]));
    expect((await rig.run('label A --print --papers')).programs).toEqual([]);
    const saved = await rig.run('label A --download out --papers=slip');
    expect([saved.programs, files(rig, 'out')]).toEqual([[], ['A-slip.pdf', 'A.pdf']]);
  });

  test('that were not printed, or cannot be made, are exit 9, and the label is made', async () => {
    const rig = await booked({ A: order() });
    // The label is printed, its papers are not.
    const options: RunOptions = {
      onProgram() {
        options.programCode = options.programCode === undefined ? 0 : 1;
      },
    };
    const ran = await rig.run('label A --print --papers=slip --json', options);
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(errorOf(ran).message).toMatch(
      /A-slip\.pdf, but not printed: lp ended with 1\. `waybill papers --print A` prints/,
    );
    expect(errorOf(ran)).toMatchObject({ retry: 'never', next: [['waybill', 'papers', '--print', 'A']] });
    // That of the label is over: nobody knows whether its papers were printed.
    const again = await rig.run('label A --print --papers=slip');
    expect([again.exitCode, again.programs]).toEqual([0, []]);
    expect(again.stderr.replace(/\s+/g, ' ')).toContain(
      'Nor are its papers; `waybill papers --print A` prints those',
    );
    const elsewhere = await labelledBy({ 'S-1': PDF, 'X-9': PDF });
    const foreign = await elsewhere.rig.run('label --international X-9 --merge m.pdf --papers --json');
    expect(errorOf(foreign)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(errorOf(foreign).message).toBe('label: X-9 has no papers: it was not booked here');
    expect(await sizesIn(join(elsewhere.rig.folder, 'm.pdf'))).toEqual([LABEL_SIZE]);
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
    const options: RunOptions = {
      onProgram(path = '') {
        options.programCode = lost.split(' ').includes(basename(path)) ? 3 : 0;
      },
    };
    const ran = await rig.run(`label ${argv} --papers --json`, options);
    expect(errorOf(ran)).toMatchObject({
      exitCode: 9,
      retry,
      next: expect.arrayContaining(left.map(key => ['waybill', 'papers', '--print', key])),
    });
  });

  test.each([
    ['A --print --papers', 'label --print --papers invoice,slip A'],
    ['A --print --merge m.pdf --papers=slip', 'label --unprinted --print --papers slip'],
  ])(
    'are printed by the command that `label %s` names for its label, once the printer works',
    async (argv, next) => {
      const rig = await booked({ A: order() });
      const failed = await rig.run(`label ${argv} --json`, { programCode: 1 });
      expect(errorOf(failed).message).toContain(`\`waybill ${next}\``);
      const paper = argv.includes('slip') ? 'A-slip.pdf' : 'A-invoice.pdf';
      const { programs } = await rig.run(next);
      expect(programs.map(([, path = '']) => basename(path))).toEqual(
        expect.arrayContaining(['A.pdf', paper]),
      );
    },
  );

  reads('of ship --label and of batch go the same way', async () => {
    const rig = await createRig();
    const shipped = await rig.run('ship -f - --key A --label --merge a.pdf --papers', { stdin: order() });
    expect([shipped.exitCode, pageTexts(join(rig.folder, 'a.pdf')).length]).toEqual([0, 3]);
    const lines = ['B', 'C'].map(key =>
      JSON.stringify({ ...JSON.parse(order({ receiver: { lastName: key } })), key }),
    );
    writeFileSync(join(rig.folder, 'orders.jsonl'), `${lines.join('\n')}\n`);
    const batch = await rig.run('batch ship orders.jsonl --label --merge b.pdf --papers slip --yes');
    expect([batch.exitCode, batch.stderr]).toEqual([0, expect.any(String)]);
    const texts = pageTexts(join(rig.folder, 'b.pdf'));
    expect(texts.map(text => /PACKING SLIP\nOrder [BC]/.exec(text)?.[0].at(-1))).toEqual([
      undefined,
      'B',
      undefined,
      'C',
    ]);
    // The same run once more makes the file again, and sends nothing.
    const again = await rig.run('batch ship orders.jsonl --label --merge b.pdf --papers slip --yes');
    expect([again.exitCode, posted(again), pageTexts(join(rig.folder, 'b.pdf')).length]).toEqual([0, [], 4]);
  });

  test.each([
    ['label A --papers', '--papers needs --merge, --print or --download; nothing was sent'],
    ['label --unprinted --papers', '--papers needs --merge, --print or --download; nothing was sent'],
    ['label --papers A --merge m.pdf', 'It must be invoice, slip or invoice,slip'],
    ['ship -f order.json --key B --papers', '--papers needs --label'],
  ])('`%s` is exit 2', async (argv, why) => {
    const rig = await booked({ A: order() });
    writeFileSync(join(rig.folder, 'order.json'), order());
    const ran = await rig.run(argv);
    expect([ran.exitCode, ran.stderr, ran.requests]).toEqual([2, expect.stringContaining(why), []]);
  });
});
