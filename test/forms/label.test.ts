// label asks which of the shipments that were booked here.
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { answering, asked, choiceOf, ids, SHIPMENT_BODY } from '../rig/person.ts';
import { bodyOf, DUAL, posted } from '../rig/service.ts';

const LABELS = 'POST /v2/carriers/create';
const command = (ran: { stderr: string }): string =>
  /without questions: `waybill (.*)`/.exec(ran.stderr)?.[1] ?? 'nothing';

async function booked(): Promise<{ rig: Rig; single: string; pair: string[] }> {
  const rig = await createRig({ files: { 'order.json': SHIPMENT_BODY, 'dual.json': DUAL } });
  const single = await rig.run('ship -f order.json --key ORDER-1 -q');
  rig.clock.now += 60_000;
  const pair = await rig.run('ship-dual -f dual.json -q');
  return { rig, single: single.stdout.trim(), pair: pair.stdout.trim().split('\n') };
}

test('the newest shipment comes first, with key, ids and receiver, and the picked one is labelled', async () => {
  const { rig, single, pair } = await booked();
  const [, first] = JSON.parse((await rig.run('history list --json')).stdout);
  const ran = await answering(rig, 'label', { shipment: first.id, review: 'submit', keep: '' });

  expect(ran.exitCode).toBe(0);
  const question = asked(ran, 'shipment');
  expect(question.kind === 'choice' && question.choices.map(({ name }) => name)).toEqual([
    expect.stringMatching(new RegExp(`^2026-03-02 09:01  ${pair.join(' and ')}  to \\w+`)),
    `2026-03-02 09:00  ORDER-1  ${single}  to Anna Example, Dresden`,
    'Another one, by its id',
  ]);
  expect(posted(ran)).toEqual([LABELS]);
  expect(bodyOf({ requests: ran.requests.filter(({ method }) => method === 'POST') })).toEqual({
    international: single,
  });
  expect(command(ran)).toBe(`label --international ${single}`);
  const again = await rig.run(`${command(ran)} --allow-duplicate`);
  expect(bodyOf({ requests: again.requests.filter(({ method }) => method === 'POST') })).toEqual({
    international: single,
  });
});

test('both legs of a dual shipment are labelled', async () => {
  const { rig, pair } = await booked();
  const [newest] = JSON.parse((await rig.run('history list --json')).stdout);
  const ran = await answering(rig, 'label', { shipment: newest.id, review: 'submit', keep: '' });
  const [international, domestic] = pair;
  expect(bodyOf({ requests: ran.requests.filter(({ method }) => method === 'POST') })).toEqual({
    international,
    domestic,
  });
  expect(command(ran)).toBe(`label --international ${international} --domestic ${domestic}`);
});

test('another id can be typed in the review', async () => {
  const { rig, single } = await booked();
  const ran = await answering(rig, 'label', {
    shipment: '',
    review: ['international', 'submit'],
    international: single,
    keep: '',
  });
  const [first] = ran.questions.filter(({ id }) => id === 'review');
  expect(first && choiceOf(first, 'submit')?.disabled).toBe('(fix first: International)');
  expect(ran.exitCode).toBe(0);
  expect(posted(ran)).toEqual([LABELS]);
});

test('the id is typed if nothing was booked yet', async () => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT_BODY } });
  const elsewhere = { WAYBILL_STATE_DIR: `${rig.folder}/elsewhere` };
  const { stdout } = await rig.run('ship -f order.json -q', { env: elsewhere });
  const ran = await answering(rig, 'label', {
    international: ` ${stdout.trim()} `,
    review: 'submit',
    keep: '',
  });
  expect(ids(ran)).toEqual(['international', 'review', 'keep']);
  expect(ran.exitCode).toBe(0);
  expect(bodyOf({ requests: ran.requests.filter(({ method }) => method === 'POST') })).toEqual({
    international: stdout.trim(),
  });
});

test('a given id or key is not asked for', async () => {
  const { rig, single } = await booked();
  for (const given of [`--international ${single}`, '--key ORDER-1']) {
    const ran = await rig.run(`label ${given}`, { terminal: true });
    expect(ran).toMatchObject({ exitCode: 0, questions: [] });
  }
});

test('shipments of another account or address are not listed', async () => {
  const { rig } = await booked();
  const elsewhere = await createRig();
  const ran = await answering(
    rig,
    'label',
    { international: 'S-1', review: 'leave' },
    { env: { WAYBILL_BASE_URL: elsewhere.address } },
  );
  expect(ids(ran)).toEqual(['international', 'review']);
});
