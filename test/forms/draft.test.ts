// Nothing that was typed is lost: after every answer the request so far is a file, and `-f` continues it.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import {
  answering,
  asked,
  BOOK,
  changed,
  choiceOf,
  continuing,
  ids,
  LEAVE,
  SHIPMENT_ANSWERS,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, PROPOSALS, posted, sent } from '../rig/service.ts';
import { sampled } from '../torture/size.ts';

const QUESTIONS = [...Object.keys(SHIPMENT_ANSWERS), 'review'];
const draftsOf = ({ folder }: Rig): string[] => {
  try {
    return readdirSync(join(folder, 'state/drafts')).filter(name => !name.endsWith('.about'));
  } catch {
    return [];
  }
};
/** Begins a shipment and leaves it at that question. */
const leave = (rig: Rig, at: string, argv = 'ship', more = {}) =>
  answering(rig, argv, { ...BOOK, ...more, [at]: LEAVE });

/** Whether there is another package or item is asked only while they are typed. */
const after = (index: number): string[] => QUESTIONS.slice(index).filter(id => !id.endsWith('[+]'));

const PLACES = QUESTIONS.map((id, index) => [id, index] as const);

test.each(sampled(PLACES, 3))('leaving at %s keeps a draft, which is continued', async (id, index) => {
  const rig = await createRig();
  const left = await leave(rig, id);
  expect([left.exitCode, left.stdout]).toEqual([130, '']);
  expect(left.stderr).toContain('nothing was sent');
  // Proposals are a question to the service, and book nothing.
  expect(sent(left)).toEqual(index >= QUESTIONS.indexOf('carrier.id') ? [`POST ${PROPOSALS}`] : []);

  const on = await answering(rig, continuing(left), BOOK);
  expect(on.exitCode).toBe(0);
  expect(ids(on).filter(one => !one.endsWith('[+]'))).toEqual([...after(index), 'keep']);
  expect(bodyOf(on)).toEqual(SHIPMENT_BODY);
  expect(draftsOf(rig)).toEqual([]);
});

test('the command that continues a draft has the key that was typed, and the flags that are no part of the body', async () => {
  const flags = '--label --download labels --service express --max-price 1EUR --max-days 4';
  const begun = `ship --type package ${flags} --set category=sales --no-sandbox`;
  const rig = await createRig();
  const left = await leave(rig, 'sender.email', begun, { key: 'ORDER-1' });
  const words = continuing(left).split(' --');
  const [file, ...others] = words;
  expect(others.sort()).toEqual(`${flags} --key ORDER-1 --no-sandbox`.slice(2).split(' --').sort());
  expect(file).toBe(`ship -f ${join(rig.folder, 'state/drafts', draftsOf(rig)[0] ?? '')}`);

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
  expect(draftsOf(rig)).toHaveLength(1);
  const booked = await rig.run(`${continuing(left)} --no-input`);
  expect(booked).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(rig.folder, 'state/drafts'))).toEqual([]);
});

test('a draft is a request that its owner alone can read', async () => {
  const rig = await shopRig();
  const left = await leave(rig, 'sender.email', 'ship --profile shop');
  const [name = ''] = draftsOf(rig);
  const path = join(rig.folder, 'state/drafts', name);
  expect(continuing(left)).toBe(`ship -f ${path} --profile shop`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const sender = { firstName: 'Deniz', lastName: 'Example' };
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ packages: [{ weight: 0.6 }], sender });
});

test('a new form names the newest draft with its options and its service, and does not change it; it is looked over', async () => {
  const rig = await shopRig();
  await leave(rig, 'sender.email', 'ship --profile shop');
  rig.clock.now += 60_000;
  await leave(rig, 'review', 'ship --max-price 50EUR --key K7 --label --profile shop');
  const kept = draftsOf(rig);
  rig.clock.now += 60_000;
  const ran = await answering(rig, 'ship --profile demo', { ...BOOK, key: LEAVE });
  const command = `ship -f ${join(rig.folder, 'state/drafts', kept[1] ?? '')} --max-price 50EUR --key K7 --label --profile shop`;
  expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(
    /there is a draft from \S+ \S+ for \S.*, and this is demo; `waybill ship -f \S+ --max-price 50EUR --key K7 --label --profile shop` continues it/,
  );
  expect(continuing(ran)).toBe(command);
  expect(draftsOf(rig)).toEqual(kept);

  const on = await answering(rig, command, BOOK);
  expect(on.stderr).not.toContain('there is a draft');
  expect(ids(on)).toEqual(['review', 'keep']);
  expect(draftsOf(rig)).toEqual(kept.slice(0, 1));
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
