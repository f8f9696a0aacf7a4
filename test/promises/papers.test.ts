// The commercial invoice and the packing slip of an order.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { changed } from '../contract/rig.ts';
import type { Ran, Rig } from '../rig/command.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { SHIPMENT } from '../rig/service.ts';
import { HOOK, orderWith } from './orders.ts';
import { each, promises } from './promise.ts';

const ORDER = {
  category: 'gift',
  'customs.iossNumber': 'IM2760000742',
  'receiver.companyName': 'Beispiel GmbH',
};
const BOTH = 'papers A-1 --merge both.pdf';
const shipped = (changes: Record<string, unknown> = ORDER) => ({
  rig: orderWith(changes),
  after: ['ship order.json --key A-1'],
});
const within = {
  'sender.address': { line1: 'Street 1', city: 'Paris', zipCode: '75001', country: { code: 'FR' } },
};

/** What stands on the pages of a file, one after the other. */
const reads =
  (name: string, ...pages: (string | RegExp)[][]) =>
  (_: Ran, { folder }: Pick<Rig, 'folder'>) => {
    const texts = pageTexts(join(folder, name));
    expect(texts).toHaveLength(pages.length);
    for (const [index, all] of pages.entries())
      for (const one of all)
        expect(texts[index]).toEqual(
          typeof one === 'string' ? expect.stringContaining(one) : expect.stringMatching(one),
        );
  };

const READER = { ...shipped(), lacking: noReader };

promises('papers', [
  {
    says: 'A webhook with the key of an order does not count beside it',
    rig: orderWith(ORDER),
    after: ['ship order.json --key A-1', `${HOOK} --key A-1`],
    run: BOTH,
  },
  {
    says: 'are made from the request, without the service, and are for their user alone',
    ...shipped(),
    run: 'papers A-1 --download out',
    sent: [],
    files: { 'out/A-1-invoice.pdf': /^%PDF-/, 'out/A-1-slip.pdf': /^%PDF-/ },
    also: (_, { folder }) => {
      for (const name of ['A-1-invoice.pdf', 'A-1-slip.pdf'])
        expect(statSync(join(folder, 'out', name)).mode & 0o777).toBe(0o600);
    },
  },
  ...each({ says: '--only makes one of them', ...shipped() }, [
    {
      run: 'papers A-1 --only invoice --download out',
      files: { 'out/A-1-invoice.pdf': /^%PDF-/, 'out/A-1-slip.pdf': null },
    },
    {
      run: 'papers A-1 --only slip --download out',
      files: { 'out/A-1-invoice.pdf': null, 'out/A-1-slip.pdf': /^%PDF-/ },
    },
  ]),
  {
    says: 'are printed with --print',
    ...shipped(),
    run: 'papers A-1 --print',
    printed: ['A-1-invoice.pdf', 'A-1-slip.pdf'],
  },
  {
    says: 'of several orders are one file, in the order given',
    rig: orderWith({}),
    lacking: noReader,
    after: ['ship order.json --key A-1', 'ship order.json --key A-2 --allow-duplicate'],
    run: 'papers A-2 A-1 --only slip --merge both.pdf',
    also: reads('both.pdf', ['Order A-2'], ['Order A-1']),
  },
  ...each({ ...shipped(), exit: 2 }, [
    { says: 'are these two', run: 'papers A-1 --only label --download out', stderr: 'slip' },
    { says: 'need one of these three', run: 'papers A-1', stderr: '--download' },
  ]),
  {
    says: 'cannot be made after prune: there is no request',
    rig: orderWith({}),
    after: ['ship order.json --key A-1', { later: 1000 }, 'history prune --older-than 0d --yes'],
    run: 'papers A-1 --download out',
    exit: 4,
    files: { 'out/A-1-slip.pdf': null },
  },
  { says: 'of a name that nobody knows are not found', run: 'papers NONE-1 --download out', exit: 4 },
]);

promises('The invoice', [
  {
    says: 'has parties, goods, value, terms, reason for export, numbers and a line to sign',
    ...READER,
    after: ['ship order.json --key A-1 --label'],
    run: BOTH,
    also: reads(
      'both.pdf',
      [
        ...['COMMERCIAL INVOICE', 'Deniz Örnek', 'Anna Beispiel', 'Beispiel GmbH', 'Musterstraße 12'],
        // HS code, origin, quantity, unit value and total value.
        /Cotton T-shirt 610910 TR 10 12\.50 EUR 125\.00 EUR/,
        ...['Total value 125.00 EUR', 'Terms of delivery DAP', 'Reason for export gift'],
        ...['IOSS number IM2760000742', 'Invoice number A-1', /Tracking number EXP\d{10}/, 'Signature'],
      ],
      ['PACKING SLIP'],
    ),
  },
  {
    says: 'has the marketplace number',
    ...READER,
    ...shipped({
      'customs.marketplaceNumber': 'MP-000111222',
      'customs.currency': 'GBP',
      'receiver.address.country.code': 'GB',
      'receiver.address.zipCode': 'SW1A 1AA',
    }),
    run: BOTH,
    also: reads('both.pdf', ['Marketplace number MP-000111222'], []),
  },
  {
    says: 'is not made within one customs territory, of which the EU is one',
    ...shipped(within),
    run: 'papers A-1 --download out',
    files: { 'out/A-1-invoice.pdf': null, 'out/A-1-slip.pdf': /^%PDF-/ },
  },
  {
    says: 'alone is none there, with a note',
    ...shipped(within),
    run: 'papers A-1 --only invoice --download out',
    stderr: 'A-1: no invoice within one customs territory',
    files: { 'out/A-1-invoice.pdf': null },
  },
]);

promises('The packing slip', [
  {
    says: 'has items, pieces, key and receiver, and no prices',
    ...READER,
    run: BOTH,
    also: reads(
      'both.pdf',
      [],
      [
        ...['Order A-1', 'Cotton T-shirt 10', 'Anna Beispiel', /Packages 1 \(1 of 3\.2 kg/],
        /^(?![\s\S]*EUR)/,
      ],
    ),
  },
]);

const KINDS = { label: 'Not for shipping', invoice: 'COMMERCIAL INVOICE', slip: 'PACKING SLIP' };
const behind = (...kinds: (keyof typeof KINDS)[]) => reads('m.pdf', ...kinds.map(kind => [KINDS[kind]]));

/** A key behind a field of the order. */
const record = (key: string) => ({ key, ...(changed(SHIPMENT, { 'receiver.firstName': key }) as object) });

promises('--papers', [
  ...each({ says: 'puts them behind each label of a merged file', ...READER }, [
    { run: 'label A-1 --merge m.pdf --papers', also: behind('label', 'invoice', 'slip') },
    { run: 'label A-1 --merge m.pdf --papers invoice', also: behind('label', 'invoice') },
    { run: 'label A-1 --merge m.pdf --papers slip', also: behind('label', 'slip') },
    {
      after: [],
      run: 'ship order.json --label --merge m.pdf --papers',
      also: behind('label', 'invoice', 'slip'),
    },
    {
      rig: {
        files: { 'orders.jsonl': `${JSON.stringify(record('A-1'))}\n${JSON.stringify(record('A-2'))}\n` },
      },
      after: [],
      run: 'batch ship orders.jsonl --label --merge m.pdf --papers slip',
      also: behind('label', 'slip', 'label', 'slip'),
    },
  ]),
  {
    says: 'prints them behind the label',
    ...shipped(),
    run: 'label A-1 --print --papers',
    printed: ['A-1.pdf', 'A-1-invoice.pdf', 'A-1-slip.pdf'],
  },
  {
    says: 'needs a place where they go',
    ...shipped(),
    run: 'label A-1 --papers',
    exit: 2,
    sent: [],
  },
  ...each(
    { says: 'needs a label and a place, and is an invoice or a slip', ...shipped(), exit: 2, sent: [] },
    ['label --unprinted --papers', 'label --papers A-1 --merge m.pdf', 'ship order.json --key A-2 --papers'],
  ),
]);

promises('Letters', [
  ...each(
    { says: 'Latin, Greek and Cyrillic ones are printed', lacking: noReader, lacks: 'cannot show' },
    ['Żółć Gęślą', 'ĞÜŞİÖÇ ğüşıöç', 'Ξεσκεπάζω την', 'Съешь ещё'].map(text => ({
      ...shipped({ 'items[0].description': text }),
      run: BOTH,
      also: reads('both.pdf', [text], [text]),
    })),
  ),
  {
    says: 'any other is warned of by its order',
    ...shipped({ 'receiver.lastName': '李 Wei' }),
    run: BOTH,
    stderr: /^warning: A-1: the invoice prints letters of receiver\.lastName as \?/m,
  },
]);
