// How a form ends. Nothing that was typed is lost: after every answer the request so far is a file, and `-f` continues it. And what
// becomes of it when the booking goes wrong or the service refuses it, and what a form leaves alone.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig, type RigOptions } from '../rig/command.ts';
import {
  answering,
  asked,
  BOOK,
  changed,
  choiceOf,
  continuing,
  ids,
  LEAVE,
  NO_CARRIER,
  type Script,
  SHIPMENT_ANSWERS,
  SHIPMENT_BODY,
  says,
} from '../rig/person.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, cannedService, errorOf, PROPOSALS, posted, sent, switchable } from '../rig/service.ts';
import { sampled } from '../torture/size.ts';

const PICK = { 'carrier.id': 'EXP', review: 'submit', keep: '' };
const WAY_BACK = 'continues it';

const drafts = ({ folder }: Rig): string[] => readdirSync(join(folder, 'state/drafts')).filter(isDraft);
const isDraft = (name: string) => name.endsWith('.json');

const begun = (options: RigOptions = {}): Promise<Rig> =>
  createRig({ ...options, files: { 'order.json': NO_CARRIER } });

test('a form whose proposals are refused ends with that failure, and names its draft', async () => {
  const { env } = await cannedService({ [PROPOSALS]: { status: 401, body: { message: 'not now' } } });
  const rig = await createRig();
  const ran = await answering(rig, 'ship', BOOK, { env });
  expect(ran).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining('not now') });
  const on = await answering(rig, continuing(ran), PICK);
  expect([on.exitCode, ids(on)]).toEqual([0, ['carrier.id', 'review', 'keep']]);
});

test('a booking whose outcome is unknown is exit 8, and nobody is invited to go on with the draft', async () => {
  const fault = switchable('reset-after');
  const rig = await begun(fault);
  const answer = says(PICK);
  const ran = await rig.run('ship -f order.json', {
    terminal: true,
    answers: question => {
      if (question.id === 'review') fault.turn('on');
      return answer(question);
    },
  });
  fault.turn('off');
  expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
  expect(ran.stderr).toContain('waybill history resolve');
  expect(ran.stderr).not.toContain(WAY_BACK);
  expect(posted(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);

  // Nor by the next form, until it is known that nothing came of it.
  rig.clock.now += 60_000;
  const next = await answering(rig, 'ship', { key: LEAVE });
  expect(next.stderr).not.toContain(WAY_BACK);
  const [booking] = await rig.json('history list');
  await rig.run(`history resolve ${booking.id} --not-created --force --reason gone`);
  const on = await answering(rig, `ship --like ${booking.id} --key ORDER-2`, PICK);
  expect([on.exitCode, ids(on)]).toEqual([0, ['review']]);
  expect(drafts(rig)).toEqual([]);
});

test('a booking whose result cannot be shown leaves no draft', async () => {
  const rig = await begun();
  const fault = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const ran = await answering(rig, 'ship -f order.json', PICK, { stdoutFault: fault });
  expect(ran.exitCode).toBe(10);
  expect(ran.stderr).not.toContain(WAY_BACK);
  expect(drafts(rig)).toEqual([]);
});

test('a key that is booked is refused before the first question, and nothing is sent', async () => {
  const rig = await begun();
  await rig.run('ship -f order.json --carrier EXP --key ORDER-1');
  for (const argv of ['ship', 'ship-dual']) {
    const ran = await rig.run(`${argv} --key ORDER-1 --json`, { terminal: true });
    expect(ran).toMatchObject({ exitCode: 2, questions: [], requests: [], stdout: '' });
    expect(errorOf(ran).code).toBe('duplicate');
  }
});

const SHIPMENTS = '/v1/shipments';
/** Refuses the first booking with this, and takes the second. */
async function refusing(status: number, body: unknown, script: Script, argv = 'ship -f order.json') {
  const express = { isValid: true, deliveryTime: '1-3 days', currency: 'EUR', price: 10 };
  const proposals = ['EXP', 'OTHER'].map(id => ({ id, name: id, serviceType: 'express', ...express }));
  const answers: Record<string, { status: number; body: unknown }> = {
    [PROPOSALS]: { status: 201, body: { chargeableWeight: 1, proposals } },
    [SHIPMENTS]: { status, body },
  };
  const service = await cannedService(answers);
  const rig = await begun();
  const answer = says({ 'carrier.id': 'EXP', keep: '', ...script });
  const ran = await rig.run(argv, {
    terminal: true,
    env: service.env,
    answers: question => {
      // Once it has refused, it takes what comes next.
      if (service.seen.includes(`POST ${SHIPMENTS}`))
        answers[SHIPMENTS] = { status: 201, body: { id: 'S-1' } };
      return answer(question);
    },
  });
  return { ran, rig, seen: service.seen };
}

const TWICE = [`POST ${PROPOSALS}`, `POST ${SHIPMENTS}`, `POST ${SHIPMENTS}`];
test("a refused field shows the service's words and its current value, and then it is booked", async () => {
  const { ran, rig, seen } = await refusing(
    422,
    { message: 'not valid', errors: [{ path: 'items.0.hsCode', message: 'is no tariff number' }] },
    { review: ['submit', 'submit'], 'items[0].hsCode': '610990' },
    'ship -f order.json --key ORDER-1',
  );

  expect(ids(ran)).toEqual(['carrier.id', 'review', 'items[0].hsCode', 'review', 'keep']);
  expect(asked(ran, 'items[0].hsCode')).toMatchObject({
    hint: expect.stringMatching(
      /^The service: is no tariff number\n6, 8, 10 or 12 digits of the customs tariff/,
    ),
    value: '610910',
  });
  expect(ran).toMatchObject({ exitCode: 0 });
  // The refused one had the first number.
  expect(ran.stdout).toContain('S-2');
  expect(seen).toEqual(TWICE);
  const list: { state: string }[] = await rig.json('history list --key ORDER-1');
  expect(list.map(({ state }) => state).sort()).toEqual(['created', 'rejected']);
  expect(drafts(rig)).toEqual([]);
});

describe('a refusal of no single field stands above the review:', () => {
  const at = (path: string) => ({ errors: [{ path, message: 'is wrong' }] });
  test.each([
    ['a whole party', at('receiver.address'), 'receiver.address is wrong'],
    ['an item that there is not', at('items.1.hsCode'), 'Item 2: HS code is wrong'],
    ['a sentence alone', { message: 'Your account is blocked' }, 'Your account is blocked'],
  ])('%s', async (_, body, words) => {
    const script = { review: ['submit', 'category', 'submit'], category: 'gift' };
    const { ran, seen } = await refusing(422, body, script, 'ship -f order.json -q');
    const [, second] = ran.questions.filter(({ id }) => id === 'review');
    expect(second?.hint).toContain(words);
    expect(ids(ran)).toEqual(['carrier.id', 'review', 'review', 'category', 'review', 'keep']);
    expect(seen).toEqual(TWICE);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'S-2\n' });
  });
});

test('--dry-run on a terminal asks for everything, sends nothing at all, and shows the request', async () => {
  const rig = await createRig({ env: { WAYBILL_TOKEN: '' } });
  const ran = await answering(rig, 'ship --dry-run', { ...BOOK, review: 'submit' });
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  const { chargeableWeight: _, ...body } = SHIPMENT_BODY;
  expect(JSON.parse(ran.stdout)).toMatchObject({ body, unresolved: ['chargeableWeight'] });
  expect(choiceOf(asked(ran, 'review'), 'submit')?.name).toBe('Show the request');
  expect(ids(ran)).not.toContain('keep');
});

test('with --json stdout holds only the answer of the service, and nothing when the person leaves', async () => {
  const rig = await createRig();
  const left = await answering(rig, 'ship --json', { ...BOOK, review: 'leave' });
  expect(left.stdout).toBe('');
  expect(errorOf(left)).toMatchObject({
    code: 'interrupted',
    exitCode: 130,
    message: expect.stringMatching(/`waybill ship -f .* continues it$/),
  });
  const ran = await answering(rig, 'ship --json', BOOK);
  expect(JSON.parse(ran.stdout)).toMatchObject({ id: expect.stringMatching(/^shp_/), chargeableWeight: 1 });
});

// Left, and continued.

const QUESTIONS = [...Object.keys(SHIPMENT_ANSWERS), 'review'];
/** Begins a shipment and leaves it at that question. */
const leave = (rig: Rig, at: string, argv = 'ship', more = {}) =>
  answering(rig, argv, { ...BOOK, ...more, [at]: LEAVE });

/** Whether there is another package or item is asked only while they are typed. */
const after = (index: number): string[] => QUESTIONS.slice(index).filter(id => !id.endsWith('[+]'));

const PLACES = QUESTIONS.map((id, index) => [id, index] as const);

test.each(sampled(PLACES, 6))('leaving at %s keeps a draft, which is continued', async (id, index) => {
  const rig = await createRig();
  const left = await leave(rig, id);
  expect([left.exitCode, left.stdout]).toEqual([130, '']);
  // Proposals are a question to the service, and book nothing.
  const hasAsked = index >= QUESTIONS.indexOf('carrier.id');
  expect(left.stderr).toContain(hasAsked ? 'nothing was booked' : 'nothing was sent');
  expect(sent(left)).toEqual(hasAsked ? [`POST ${PROPOSALS}`] : []);

  const on = await answering(rig, continuing(left), BOOK);
  expect(on.exitCode).toBe(0);
  expect(ids(on).filter(one => !one.endsWith('[+]'))).toEqual([...after(index), 'keep']);
  expect(bodyOf(on)).toEqual(SHIPMENT_BODY);
  expect(drafts(rig)).toEqual([]);
});

test('a draft is for its owner alone; the command that continues it has the key that was typed, and the flags that are no part of the body', async () => {
  const flags = '--label --download labels --service express --max-price 1EUR --max-days 4';
  const begun = `ship --type package ${flags} --set category=sales --no-sandbox`;
  const rig = await createRig();
  const left = await leave(rig, 'sender.email', begun, { key: 'ORDER-1' });
  const [file, ...more] = continuing(left).split(' --');
  expect(more.sort()).toEqual(`${flags} --key ORDER-1 --no-sandbox`.slice(2).split(' --').sort());
  const path = join(rig.folder, 'state/drafts', drafts(rig)[0] ?? '');
  expect([file, statSync(path).mode & 0o777]).toEqual([`ship -f ${path}`, 0o600]);

  const on = await answering(rig, `${file} --key ORDER-1 --label --download labels --service express`, BOOK);
  expect(on.exitCode).toBe(0);
  expect(on.questions.map(({ id }) => id)).not.toContain('key');
  expect(posted(on)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments', 'POST /v2/carriers/create']);
  expect(choiceOf(asked(on, 'carrier.id'), 'ECO')?.disabled).toBe('(not express)');
  expect(bodyOf({ requests: on.requests.filter(({ path }) => path === '/v1/shipments') })).toEqual(
    SHIPMENT_BODY,
  );
});

test('a draft that is booked goes, also if no form was needed, so that it is never offered again', async () => {
  const rig = await createRig();
  const left = await leave(rig, 'review');
  expect(drafts(rig)).toHaveLength(1);
  const booked = await rig.run(`${continuing(left)} --no-input`);
  expect(booked).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(rig.folder, 'state/drafts'))).toEqual([]);
});

test('a new form names the newest draft of its service with its options, and does not change it; it is looked over', async () => {
  const rig = await shopRig();
  await leave(rig, 'sender.email', 'ship --profile shop');
  rig.clock.now += 60_000;
  await leave(rig, 'review', 'ship --max-price 50EUR --key K7 --label --profile shop');
  const kept = drafts(rig);
  rig.clock.now += 60_000;
  // It would be booked elsewhere.
  const elsewhere = await answering(rig, 'ship --profile demo', { ...BOOK, key: LEAVE });
  expect(elsewhere.stderr).not.toContain('there is a draft');
  const ran = await answering(rig, 'ship --profile shop', { ...BOOK, key: LEAVE });
  const command = `ship -f ${join(rig.folder, 'state/drafts', kept[1] ?? '')} --max-price 50EUR --key K7 --label --profile shop`;
  expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(
    /there is a draft from \S+ \S+ \S+ \S+; `waybill ship -f \S+ --max-price 50EUR --key K7 --label --profile shop` continues it/,
  );
  expect(continuing(ran)).toBe(command);
  expect(drafts(rig)).toEqual(kept);

  const on = await answering(rig, command, BOOK);
  expect(on.stderr).not.toContain('there is a draft');
  expect(ids(on)).toEqual(['review', 'keep']);
  expect(drafts(rig)).toEqual(kept.slice(0, 1));
});

test("flags replace values of the draft, and --set changes single fields of it and of the profile's party", async () => {
  const rig = await shopRig({ sender: SHIPMENT_BODY.sender });
  const left = await leave(rig, 'review');
  const sets = '--set sender.address.city=Ankara --set receiver.address.city=Bonn --set packages[0].weight=2';
  const ran = await answering(rig, `${continuing(left)} --category gift ${sets}`, BOOK);
  expect(ids(ran)).toEqual(['review', 'keep']);
  const cities = { 'sender.address.city': 'Ankara', 'receiver.address.city': 'Bonn' };
  const weights = { 'packages[0].weight': 2, chargeableWeight: 2 };
  expect(bodyOf(ran)).toEqual(changed({ category: 'gift', ...cities, ...weights }));
});

test('what was typed is discarded only after a question; what was not typed, without one', async () => {
  const rig = await createRig({ files: { 'order.json': NO_CARRIER } });
  const kept = await answering(rig, 'ship', { ...BOOK, review: ['discard', 'leave'], discard: 'no' });
  expect(ids(kept).slice(-3)).toEqual(['review', 'discard', 'review']);
  expect(kept.stderr).toContain('continues it');
  const gone = await answering(rig, continuing(kept), { review: 'discard', discard: 'yes' });
  expect([gone.exitCode, gone.requests.filter(({ path }) => path === '/v1/shipments')]).toEqual([130, []]);
  expect(gone.stderr).toContain('the form was discarded; nothing was booked');
  const untyped = await answering(rig, 'ship -f order.json --key A', {
    ...{ 'carrier.id': '', review: 'discard' },
  });
  expect(ids(untyped)).not.toContain('discard');
});
