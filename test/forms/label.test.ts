// label asks which of the shipments that were booked here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { answering, asked, BACK, faultOf, ids, LEAVE, SHIPMENT_BODY } from '../rig/person.ts';
import { bodyOf, DUAL, posted } from '../rig/service.ts';

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
  const [second, first] = JSON.parse((await rig.run('history list --json')).stdout);
  const ran = await answering(rig, 'label', {
    labels: [second.id, `${second.id},${first.id}`],
    merge: [BACK, 'today.pdf'],
  });

  expect(ran.exitCode).toBe(0);
  const [before] = ran.questions;
  expect(before?.kind === 'several' && before.choices.map(({ name }) => name)).toEqual([
    expect.stringMatching(new RegExp(`^2026-03-02 09:01  ${pair.join(' and ')}  to \\w+`)),
    `2026-03-02 09:00  ORDER-1  ${single}  to Anna Example, Dresden`,
  ]);
  // What was picked is still picked after Esc.
  const again = ran.questions.filter(({ id }) => id === 'labels')[1];
  expect(again?.kind === 'several' && again.picked).toEqual([second.id]);
  const [international, domestic] = pair;
  expect(made(ran)).toEqual([{ international, domestic }, { international: single }]);
  expect(readFileSync(join(rig.folder, 'today.pdf'), 'latin1')).toMatch(/^%PDF-1\.7\n/);
  // Nothing is left to pick.
  const rest = await answering(rig, 'label', { shipment: '', review: 'leave' });
  expect(ids(rest)).toEqual(['shipment', 'review']);
});

test('one is picked, and --print asks for no file; without a pick the form asks for another one', async () => {
  const { rig, single } = await booked();
  const [, first] = JSON.parse((await rig.run('history list --json')).stdout);
  const ran = await answering(rig, 'label --print', {
    labels: first.id,
  });
  expect(ids(ran)).not.toContain('merge');
  expect(ran.exitCode).toBe(0);
  expect(made(ran)).toEqual([{ international: single }]);
  expect(ran.programs).toHaveLength(1);
  const other = await answering(rig, 'label', { labels: '', shipment: '', review: 'leave' });
  expect(ids(other)).toEqual(['labels', 'shipment', 'review']);
});

test('a file that is not ours is refused at its question', async () => {
  const { rig } = await booked();
  const [second] = JSON.parse((await rig.run('history list --json')).stdout);
  rig.file('labels.pdf', 'mine');
  const ran = await answering(rig, 'label', { labels: second.id, merge: LEAVE });
  expect(await faultOf(asked(ran, 'merge'), 'labels.pdf')).toContain('it is not replaced');
  expect(posted(ran)).toEqual([]);
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
  expect(ids(ran)).toEqual(['international', 'review']);
  expect(ran.exitCode).toBe(0);
  expect(bodyOf({ requests: ran.requests.filter(({ method }) => method === 'POST') })).toEqual({
    international: stdout.trim(),
  });
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
