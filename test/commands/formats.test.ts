// What each command prints in each format: JSON is the body of the service, with every field, and -q the value that matters.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { cannedService, DUAL, PROPOSALS, SHIPMENT } from '../rig/service.ts';

const PARCEL = '--from TR --to DE --package 1@1x1x1';
const OFFERS = [
  { id: 'ECO', isValid: true, price: 19.1, currency: 'EUR' },
  { id: 'EXP', isValid: false, price: '37.70', currency: 'EUR' },
];
const RATES = [
  { companyId: 'C-1', price: '19.10', currency: 'EUR' },
  { companyId: 'C-2', price: '37.70', currency: 'EUR' },
];
const LABELS = {
  success: true,
  international: { success: true, trackingNumber: 'T1', label: 'https://example.com/1.pdf' },
  domestic: { success: true, trackingNumber: 'T2' },
};
const PAIR = { domestic: { shipment: { id: 'D' } }, international: { shipment: { id: 'I' } }, more: 1 };

interface Shown {
  argv: string;
  path: string;
  body: unknown;
  stdin?: unknown;
  jsonl: string;
  csv: string;
  text: string;
  quiet: string;
  query: [expression: string, json: unknown, text: string];
}
const lines = (...values: unknown[]) => values.map(value => `${JSON.stringify(value)}\n`).join('');

test.each<Shown>([
  {
    argv: `quote ${PARCEL}`,
    path: PROPOSALS,
    body: { chargeableWeight: 3, proposals: OFFERS },
    jsonl: lines(...OFFERS),
    csv: 'id,isValid,price,currency\r\nECO,true,19.1,EUR\r\nEXP,false,37.70,EUR\r\n',
    text: '3\nPROPOSALS\tEUR\tECO\ttrue\t19.1\nPROPOSALS\tEUR\tEXP\tfalse\t37.70\n',
    quiet: 'ECO\n',
    query: ['proposals[?price < `20`].id', ['ECO'], 'ECO\n'],
  },
  {
    argv: `rates ${PARCEL}`,
    path: '/api/v1/shipping/rates',
    body: { success: true, proposals: RATES },
    jsonl: lines(...RATES),
    csv: 'companyId,price,currency\r\nC-1,19.10,EUR\r\nC-2,37.70,EUR\r\n',
    text: 'true\nPROPOSALS\tC-1\tEUR\t19.10\nPROPOSALS\tC-2\tEUR\t37.70\n',
    quiet: 'C-1\nC-2\n',
    query: ['proposals[].price', ['19.10', '37.70'], '19.10\t37.70\n'],
  },
  {
    argv: 'ship -f - --allow-duplicate',
    path: '/v1/shipments',
    // An id that comes as a number is an id.
    body: { id: 71, carrier: { id: 'EXP', price: '0.10' } },
    stdin: SHIPMENT,
    jsonl: '{"id":71,"carrier":{"id":"EXP","price":"0.10"}}\n',
    csv: 'id,carrier.id,carrier.price\r\n71,EXP,0.10\r\n',
    text: '71\nCARRIER\tEXP\t0.10\n',
    quiet: '71\n',
    query: ['carrier.id', 'EXP', 'EXP\n'],
  },
  {
    argv: 'ship-dual -f - --allow-duplicate',
    path: '/v2/shipments',
    body: PAIR,
    stdin: DUAL,
    jsonl: lines(PAIR),
    csv: 'domestic.shipment.id,international.shipment.id,more\r\nD,I,1\r\n',
    text: '1\nSHIPMENT\tD\nSHIPMENT\tI\n',
    quiet: 'I\nD\n',
    query: ['*.shipment.id', ['D', 'I'], 'D\tI\n'],
  },
  {
    argv: 'label --international I --domestic D',
    path: '/v2/carriers/create',
    body: LABELS,
    jsonl: lines(LABELS),
    csv: 'success,international.success,international.trackingNumber,international.label,domestic.success,domestic.trackingNumber\r\ntrue,true,T1,https://example.com/1.pdf,true,T2\r\n',
    text: 'true\nDOMESTIC\ttrue\tT2\nINTERNATIONAL\thttps://example.com/1.pdf\ttrue\tT1\n',
    // Links and files only: a tracking number among them would be taken for one.
    quiet: 'https://example.com/1.pdf\n',
    query: ['domestic.trackingNumber', 'T2', 'T2\n'],
  },
])('$argv', async ({ argv, path, body, stdin, query, ...wanted }) => {
  const rig = await createRig();
  const status = /label|rates/.test(argv) ? 200 : 201;
  const { env } = await cannedService({ [path]: { status, body } });
  let runs = 0;
  // Each order is that of another machine: the service gives all of them one id.
  const shown = async (...flags: string[]) => {
    runs += 1;
    const own = { ...env, WAYBILL_STATE_DIR: join(rig.folder, `machine-${runs}`) };
    return (await rig.run([...argv.split(' '), ...flags], { env: own, stdin: JSON.stringify(stdin ?? '') }))
      .stdout;
  };
  for (const flags of [['--json'], ['-o', 'json'], ['--output=json']])
    expect(JSON.parse(await shown(...flags))).toEqual(body);
  expect({
    jsonl: await shown('-o', 'jsonl'),
    csv: await shown('-o', 'csv'),
    text: await shown('-o', 'text'),
    quiet: await shown('-q'),
  }).toEqual(wanted);
  const [expression, json, text] = query;
  expect(JSON.parse(await shown('--query', expression))).toEqual(json);
  expect(await shown('--query', expression, '-o', 'text')).toBe(text);
});
