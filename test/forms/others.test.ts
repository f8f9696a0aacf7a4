// ship-dual, webhook create, quote, rates and label: from nothing, partly given, and with a review.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { bookingAt, elsewhere, fill } from '../rig/journal.ts';
import {
  answering,
  asked,
  BACK,
  choiceOf,
  continuing,
  faultOf,
  ids,
  type Script,
  SHIPMENT_ANSWERS,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { bodyOf, DUAL, posted, sent } from '../rig/service.ts';

const { carrier, chargeableWeight: _, ...GOODS } = SHIPMENT_BODY;
const { 'carrier.id': __, ...GOODS_ANSWERS } = SHIPMENT_ANSWERS;

const PAIR = { ...GOODS, carriers: { international: carrier, domestic: { id: 'DOM' } } };
const ANSWERS: Script = {
  ...GOODS_ANSWERS,
  'carriers.international.id': 'EXP',
  'carriers.domestic.id': 'DOM',
};

test('ship-dual asks for everything, with the proposals for the international leg and the number that it needs', async () => {
  const rig = await createRig();
  const left = await answering(rig, 'ship-dual', { ...ANSWERS, review: 'leave' });
  expect(ids(left)).toEqual([...Object.keys(ANSWERS), 'review']);
  expect(choiceOf(asked(left, 'carriers.international.id'), 'EXP')?.name).toContain('22.50 EUR');
  const ran = await answering(rig, continuing(left), {
    review: ['carriers.international.id', 'submit'],
    'carriers.international.id': 'ECO',
    'customs.iossNumber': 'IM0123456789',
    keep: '',
  });
  expect(ran.exitCode).toBe(0);
  expect(posted(ran)).toContain('POST /v2/shipments');
  expect(bodyOf(ran)).toEqual({
    ...PAIR,
    carriers: { ...PAIR.carriers, international: { id: 'ECO' } },
    customs: { ...GOODS.customs, iossNumber: 'IM0123456789' },
  });
});

const URL = 'https://shop.example/hook';
const BOTH = ['shipment.status.updated', 'shipment.milestone.updated'];

test('webhook create asks for everything, and the command it names does the same', async () => {
  const rig = await createRig();
  const said = { url: URL, events: ['shipment.status.updated', 'both'] };
  const ran = await answering(rig, ['webhook', 'create', '--header', 'X-Shop: tees'], {
    ...said,
    review: ['events', 'submit'],
    keep: '',
  });
  expect(ran.exitCode).toBe(0);
  expect(ids(ran)).toEqual(['url', 'events', 'review', 'events', 'review', 'keep']);
  for (const typed of ['http://shop.example', 'shop'])
    expect(await faultOf(asked(ran, 'url'), typed)).toContain('must be an https: address');
  expect(asked(ran, 'review').hint).toContain('\nX-Shop: tees');
  expect(bodyOf(ran)).toEqual({ url: URL, events: BOTH, headers: { 'X-Shop': 'tees' } });
  const again = await rig.run(`${command(ran)} --allow-duplicate`);
  expect(bodyOf(again)).toEqual(bodyOf(ran));
});

const command = (ran: { stderr: string }): string =>
  /without questions: `waybill (.*)`/.exec(ran.stderr)?.[1] ?? 'nothing';

const QUOTE: Script = {
  packageType: 'package',
  'packages[0].quantity': '2',
  'packages[0].weight': '1.5',
  'packages[0].dimensions.length': '30',
  'packages[0].dimensions.width': '20',
  'packages[0].dimensions.height': '10',
  'packages[+]': 'no',
  originCountry: 'TR',
  destinationCountry: 'DE',
  postalCode: '',
};

const RATES: Script = {
  'data.packages[0].piece': '2',
  'data.packages[0].pieceWeight': '1.5',
  'data.packages[0].lengthCm': '30',
  'data.packages[0].width': '20',
  'data.packages[0].height': '10',
  'data.packages[+]': 'no',
  'data.countryFrom': 'TR',
  'data.countryTo': 'DE',
  'data.postalCode': '',
};

describe.each([
  ['quote', QUOTE, '/v1/carriers/proposal', '--type package ', '--service economy --cheapest'],
  ['rates', RATES, '/api/v1/shipping/rates', '', ''],
] as const)('%s', (name, answers, path, type, filters) => {
  const all = Object.keys(answers);

  test('asks for everything, and the command it names does the same', async () => {
    const rig = await createRig();
    const dry = await answering(rig, `${name} --dry-run`, answers);
    expect(dry).toMatchObject({ exitCode: 0, requests: [], stdout: expect.stringContaining('"POST"') });
    const ran = await answering(rig, `${name} --json`, answers);
    expect(ran.exitCode).toBe(0);
    expect(ids(ran)).toEqual(all);
    expect(sent(ran)).toEqual([`POST ${path}`]);
    expect(JSON.parse(ran.stdout)).toHaveProperty('proposals');

    const told = await answering(rig, `${name} ${filters}`.trim(), answers);
    const flags = `${type}--package 2x1.5kg@30x20x10cm --from TR --to DE`;
    expect(command(told)).toBe(`${name} ${flags} ${filters}`.trim());
    const again = await rig.run(command(told), { terminal: true });
    expect(bodyOf(again)).toEqual(bodyOf(ran));
    expect(again.stdout).toBe(told.stdout);
  });
});

test('quote asks only for what is missing, and the command has everything', async () => {
  const rig = await createRig();
  const parcels = ['--package', '1kg@10x10x10', '--package', '3x2@20x20x20'];
  const ran = await answering(rig, ['quote', '--from', 'tr', ...parcels, '--postal-code', '01067 A'], QUOTE);
  expect(ids(ran)).toEqual(['destinationCountry']);
  const words = command(ran).match(/'[^']*'|\S+/g) ?? [];
  const again = await rig.run(words.map(word => word.replaceAll("'", '')));
  expect(bodyOf(again)).toEqual(bodyOf(ran));
});

const made = ({ requests }: Pick<Ran, 'requests'>) =>
  requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

async function booked(): Promise<{ rig: Rig; single: string; pair: string[] }> {
  const rig = await createRig({ files: { 'order.json': SHIPMENT_BODY, 'dual.json': DUAL } });
  const single = await rig.run('ship -f order.json --key ORDER-1 -q');
  rig.clock.now += 60_000;
  const pair = await rig.run('ship-dual -f dual.json -q');
  return { rig, single: single.stdout.trim(), pair: pair.stdout.trim().split('\n') };
}

test('those without a label are listed, the newest first; several are picked, and saved as one PDF', async () => {
  const { rig, single, pair } = await booked();
  const [second, first] = await rig.json('history list');
  const ran = await answering(rig, 'label', {
    labels: [second.id, `${second.id},${first.id}`],
    merge: [BACK, 'today.pdf'],
  });

  expect(ran.exitCode).toBe(0);
  const [before] = ran.questions;
  expect(before?.kind === 'several' && before.choices.map(({ name }) => name)).toEqual([
    expect.stringMatching(new RegExp(`^2 Mar 2026 09:01  ${pair.join(' and ')}  to \\w+`)),
    `2 Mar 2026 09:00  ORDER-1  ${single}  to Anna Example (Dresden, DE)`,
  ]);
  // What was picked is still picked after Esc.
  const again = ran.questions.filter(({ id }) => id === 'labels')[1];
  expect(again?.kind === 'several' && again.picked).toEqual([second.id]);
  const [international, domestic] = pair;
  expect(made(ran)).toEqual([{ international, domestic }, { international: single }]);
  expect(ran.stdout).toContain(' ORDER-1\n');
  expect(readFileSync(join(rig.folder, 'today.pdf'), 'latin1')).toMatch(/^%PDF-1\.7\n/);
  // Nothing is left to pick.
  const rest = await answering(rig, 'label', { international: 'S-1', review: 'leave' });
  expect(ids(rest)).toEqual(['international', 'review']);
});

test('an order is listed, however many of other accounts were booked since', async () => {
  const rig = await createRig();
  const others = Array.from({ length: 200 }, (_, at) => bookingAt(rig, at + 2, { account: 'other' }));
  await fill(rig, 'state', [bookingAt(rig, 1), ...others]);
  const ran = await answering(rig, 'label', { labels: bookingAt(rig, 1).id, merge: 'today.pdf' });
  expect(ids(ran)).toEqual(['labels', 'merge']);
  expect(made(ran)).toEqual([{ international: 'S-1' }]);
});

test('a pair whose labels were made in its call is not offered', async () => {
  const rig = await createRig({ files: { 'dual.json': DUAL } });
  expect((await rig.run('ship-dual -f dual.json --label -q')).exitCode).toBe(0);
  const ran = await answering(rig, 'label', { international: 'S-1', review: 'leave' });
  expect(ids(ran)).toEqual(['international', 'review']);
});

test('the id is typed if nothing was booked yet', async () => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT_BODY } });
  const { stdout } = await rig.run('ship -f order.json -q', { env: elsewhere(rig) });
  const international = stdout.trim();
  const ran = await answering(rig, 'label', {
    international: ` ${international} `,
    review: 'submit',
    keep: '',
  });
  expect([ran.exitCode, ids(ran)]).toEqual([0, ['international', 'review']]);
  expect(made(ran)).toEqual([{ international }]);
});
