// ship-dual and webhook create: from nothing, partly given, and with a review.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import {
  answering,
  asked,
  choiceOf,
  continuing,
  faultOf,
  ids,
  lineOf,
  type Script,
  SHIPMENT_ANSWERS,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { bodyOf, posted } from '../rig/service.ts';

const { carrier, chargeableWeight: _, ...GOODS } = SHIPMENT_BODY;
const { 'carrier.id': __, ...GOODS_ANSWERS } = SHIPMENT_ANSWERS;

describe('ship-dual', () => {
  const DUAL = { ...GOODS, carriers: { international: carrier, domestic: { id: 'DOM' } } };
  const ANSWERS: Script = {
    ...GOODS_ANSWERS,
    'carriers.international.id': 'EXP',
    'carriers.domestic.id': 'DOM',
  };

  test('asks for everything, with the proposals for the international leg and the number that it needs', async () => {
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
      ...DUAL,
      carriers: { ...DUAL.carriers, international: { id: 'ECO' } },
      customs: { ...GOODS.customs, iossNumber: 'IM0123456789' },
    });
  });
});

describe('webhook create', () => {
  const URL = 'https://shop.example/hook';
  const command = (ran: { stderr: string }): string =>
    /without questions: `waybill (.*)`/.exec(ran.stderr)?.[1] ?? 'nothing';
  const BOTH = ['shipment.status.updated', 'shipment.milestone.updated'];

  test('asks for everything, and the command it names does the same', async () => {
    const rig = await createRig();
    const ran = await answering(rig, 'webhook create', {
      url: URL,
      events: ['shipment.status.updated', 'both'],
      headers: '',
      review: ['events', 'submit'],
      keep: '',
    });
    expect(ran.exitCode).toBe(0);
    expect(ids(ran)).toEqual(['url', 'events', 'headers', 'review', 'events', 'review', 'keep']);
    for (const typed of ['http://shop.example', 'shop'])
      expect(await faultOf(asked(ran, 'url'), typed)).toContain('must be an https: address');
    expect(bodyOf(ran)).toEqual({ url: URL, events: BOTH });
    expect(command(ran)).toBe(
      `webhook create --url ${URL} ${BOTH.map(event => `--event ${event}`).join(' ')}`,
    );
    const again = await rig.run(`${command(ran)} --allow-duplicate`);
    expect(bodyOf(again)).toEqual(bodyOf(ran));
  });

  test('headers are asked for, several at once, and changed or removed in the review', async () => {
    const rig = await createRig();
    const script: Script = { url: URL, events: 'both', review: ['headers', 'submit'], keep: '' };
    const ran = await answering(rig, 'webhook create', {
      ...script,
      headers: ['X-Shop: a; b; X-Lang: tr', 'X-Shop: c'],
    });
    const question = asked(ran, 'headers');
    expect(question).toMatchObject({ value: 'X-Shop: a; b; X-Lang: tr' });
    const refusal = (header: string) =>
      `"${header}" is not a header whose name begins with X-. A right one looks like this: X-Shop: tshirts`;
    expect(await faultOf(question, 'Shop: a')).toBe(refusal('Shop: a'));
    expect(await faultOf(question, 'X-Shop: a; Authorization: b')).toBe(refusal('Authorization: b'));
    expect(await faultOf(question, 'x-shop: a')).toBe(refusal('x-shop: a'));
    expect(await faultOf(question, 'X-Shop: a; X-shop: b')).toMatch(/^X-shop is given twice/);
    expect(lineOf(ran, 'headers')).toContain('X-Shop: c');
    expect(bodyOf(ran)).toMatchObject({ headers: { 'X-Shop': 'c' } });

    const bare = await answering(rig, 'webhook create', { ...script, headers: ['X-Shop: d', ''] });
    expect(bodyOf(bare)).toEqual({ url: URL, events: BOTH, headers: {} });
  });
});
