// Nothing that was typed is lost: a draft is kept after every answer, and `--draft` continues it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import {
  answering,
  asked,
  BACK,
  BOOK,
  changed,
  choiceOf,
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
    return readdirSync(join(folder, 'state/drafts'));
  } catch {
    return [];
  }
};
/** Begins a shipment and leaves it at that question. */
const leave = (rig: Rig, at: string, argv = 'ship') => answering(rig, argv, { ...BOOK, [at]: LEAVE });

describe('leaving at', () => {
  test.each(
    sampled(
      QUESTIONS.map((id, index) => [id, index] as const),
      3,
    ),
  )('%s', async (id, index) => {
    const rig = await createRig();
    const left = await leave(rig, id);

    expect(left.exitCode).toBe(130);
    expect(left.stdout).toBe('');
    expect(left.stderr).toContain('nothing was sent');
    // Proposals are a question to the service, and book nothing.
    expect(sent(left)).toEqual(index >= QUESTIONS.indexOf('carrier.id') ? [`POST ${PROPOSALS}`] : []);
    if (index === 0) {
      expect(left.stderr).not.toContain('--draft');
      expect(draftsOf(rig)).toEqual([]);
      return;
    }
    expect(left.stderr).toContain('`waybill ship --draft` continues it');

    const on = await answering(rig, 'ship --draft', BOOK);
    expect(on.exitCode).toBe(0);
    expect(ids(on)).toEqual([...QUESTIONS.slice(index), 'keep']);
    expect(bodyOf(on)).toEqual(SHIPMENT_BODY);
    expect(draftsOf(rig)).toEqual([]);
  });
});

test('a draft keeps the flags that are no part of the body, and so does the command that continues it', async () => {
  const flags = '--key ORDER-1 --label --download labels --service express --max-price 1EUR --max-days 4';
  const begun = `ship --type package ${flags} --set category=sales --no-sandbox`;
  const rig = await createRig();
  const left = await leave(rig, 'sender.email', begun);
  const [, command] = /`waybill ([^`]*)` continues it/.exec(left.stderr) ?? [];
  expect(command?.split(' --').sort()).toEqual(`ship --draft ${flags} --no-sandbox`.split(' --').sort());

  // A new limit replaces its own.
  const on = await answering(rig, 'ship --draft --max-price 90EUR', BOOK);
  expect(on.exitCode).toBe(0);
  expect(posted(on)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments', 'POST /v2/carriers/create']);
  expect(choiceOf(asked(on, 'carrier.id'), 'ECO')?.disabled).toBe('(not express)');
  expect(bodyOf({ requests: on.requests.filter(({ path }) => path === '/v1/shipments') })).toEqual(
    SHIPMENT_BODY,
  );
  const again = await rig.run('ship --key ORDER-1', { terminal: true });
  expect(again).toMatchObject({ exitCode: 2, questions: [] });
});

test('a draft whose key was booked in the meantime is refused before the next question', async () => {
  const rig = await createRig();
  await leave(rig, 'sender.email', 'ship --type package --key ORDER-1');
  rig.file('order.json', SHIPMENT_BODY);
  expect((await rig.run('ship -f order.json --key ORDER-1')).exitCode).toBe(0);

  const on = await rig.run('ship --draft', { terminal: true });
  expect(on).toMatchObject({ exitCode: 2, questions: [], requests: [] });
  expect(on.stderr).toContain('ORDER-1');
});

test('a draft can be read by its owner only, and replaces one that a killed process could not finish', async () => {
  const rig = await shopRig();
  const name = `ship-${rig.clock.now}.json`;
  rig.file(`state/drafts/${name}.new`, '{"at":');
  const left = await leave(rig, 'sender.email', 'ship --profile shop');
  expect(left.stderr).toContain('`waybill ship --draft --profile shop` continues it');
  expect(draftsOf(rig)).toEqual([name]);
  expect(statSync(join(rig.folder, 'state/drafts', name)).mode & 0o777).toBe(0o600);
  const on = await answering(rig, 'ship --draft', BOOK);
  expect(ids(on)).toEqual([...QUESTIONS.slice(QUESTIONS.indexOf('sender.email')), 'keep']);
});

test('a new form mentions an existing draft and does not change it', async () => {
  const rig = await createRig();
  await leave(rig, 'sender.email');
  rig.clock.now += 60_000;
  const ran = await answering(rig, 'ship', BOOK);

  expect(ran.stderr).toContain('there is a draft from 2026-03-02 09:00; --draft continues it');
  expect(ids(ran)).toEqual([...QUESTIONS, 'keep']);
  expect(draftsOf(rig)).toHaveLength(1);
});

test('a person chooses between two drafts, the other one stays, and nothing is sent if none is picked', async () => {
  const rig = await createRig();
  await leave(rig, 'category');
  rig.clock.now += 60_000;
  await leave(rig, 'sender.email');
  for (const said of [BACK, LEAVE] as const)
    expect(await answering(rig, 'ship --draft', { draft: said })).toMatchObject({
      exitCode: 130,
      requests: [],
    });
  const ran = await answering(rig, 'ship --draft', { ...BOOK, draft: '1' });

  const question = asked(ran, 'draft');
  expect(question.kind === 'choice' && question.choices.map(({ name }) => name)).toEqual([
    `2026-03-02 09:01 for ${rig.address}`,
    `2026-03-02 09:00, Anna Example, Dresden for ${rig.address}`,
  ]);
  expect(ids(ran).slice(0, 2)).toEqual(['draft', 'category']);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
  expect(draftsOf(rig)).toHaveLength(1);
  const other = await answering(rig, 'ship --draft', { ...BOOK, confirm: 'yes' });
  expect(other.questions[0]?.id).toBe('sender.email');
});

test('--draft without a draft is refused', async () => {
  const rig = await createRig();
  await leave(rig, 'sender.email', 'ship-dual');
  const ran = await rig.run('ship --draft', { terminal: true });
  expect(ran).toMatchObject({ exitCode: 2, questions: [], requests: [] });
  expect(ran.stderr).toContain('there is no draft to continue');

  rig.file('state/drafts/ship-7.json', '{"at":7,');
  expect((await rig.run('ship --draft', { terminal: true })).exitCode).toBe(2);
});

test('a draft that was started for another address gives a warning', async () => {
  const rig = await createRig();
  await leave(rig, 'review');
  const elsewhere = await createRig();
  const ran = await answering(rig, 'ship --draft', BOOK, { env: { WAYBILL_BASE_URL: elsewhere.address } });
  expect(ran.stderr).toContain(
    `this draft was started for ${rig.address} and is continued for ${elsewhere.address}`,
  );
  expect(ran.exitCode).toBe(0);
});

test("flags replace values of the draft, and --set changes single fields of it and of the profile's party", async () => {
  const rig = await shopRig({ sender: SHIPMENT_BODY.sender });
  await leave(rig, 'review');
  const sets =
    'sender.address.city=Ankara receiver.address.city=Bonn items[0].hsCode=610990 packages[0].weight=2';
  const ran = await answering(
    rig,
    `ship --draft --category gift --set ${sets.replaceAll(' ', ' --set ')}`,
    BOOK,
  );
  expect(ids(ran)).toEqual(['review', 'keep']);
  expect(bodyOf(ran)).toEqual(
    changed({
      category: 'gift',
      'sender.address.city': 'Ankara',
      'receiver.address.city': 'Bonn',
      'items[0].hsCode': '610990',
      'packages[0].weight': 2,
      chargeableWeight: 2,
    }),
  );
});

test('a SIGTERM at a question exits with 143 and keeps the draft', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', BOOK, { onRequest: (_, { interrupt }) => interrupt('SIGTERM') });
  expect(ran.exitCode).toBe(143);
  expect(sent(ran)).toEqual([`POST ${PROPOSALS}`]);
  expect(ran.stderr).toContain('`waybill ship --draft` continues it');
  const on = await answering(rig, 'ship --draft', BOOK);
  expect(ids(on)).toEqual(['carrier.id', 'review', 'keep']);
});
