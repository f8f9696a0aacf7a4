// A list that was recorded and not written to its end: the same command writes it, under its number, and nobody else at that moment.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEASE_MS } from '../../src/booking/booking.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill, labelAt } from '../rig/journal.ts';
import { describeShared, relayTo, sharedPlace } from '../rig/postgres.ts';
import { SHIPMENT } from '../rig/service.ts';

/** K-1 and K-3 of EXP, K-2 of ECO; all labelled. */
async function evening(): Promise<Rig> {
  const rig = await createRig();
  await fill(
    rig,
    'state',
    ['EXP', 'ECO', 'EXP'].flatMap((carrier, at) => [
      bookingAt(rig, at + 1, { answer: JSON.stringify({ id: `S-${at + 1}`, carrier: { id: carrier } }) }),
      labelAt(rig, at + 101, at + 1),
    ]),
  );
  return rig;
}

const stdoutFault = new Error('ENOSPC: no space left on device');
const keysOf = ({ stdout }: { stdout: string }): string[] =>
  JSON.parse(stdout).map(({ key }: { key: string }) => key);

/** Records a list and does not show it. */
async function cutOff(rig: Rig, argv: string): Promise<void> {
  expect((await rig.run(`${argv} -y --json`, { stdoutFault })).exitCode).toBe(10);
}

test('what came since is on the next list, and is told', async () => {
  const rig = await evening();
  await cutOff(rig, 'history handover --carrier EXP');
  const ran = await rig.run('history handover --pdf list.pdf --json');
  expect(keysOf(ran)).toEqual(['K-1', 'K-3']);
  expect(ran.stderr).toContain('left for the next list: 1 order');
  expect(keysOf(await rig.run('history handover --pdf next.pdf --json'))).toEqual(['K-2']);
});

test('a list of other orders is not written by this command, but named with its own, without what was cancelled', async () => {
  const rig = await evening();
  await cutOff(rig, 'history handover --carrier EXP');
  const ran = await rig.run('history handover --carrier ECO --pdf eco.pdf --json');
  expect(keysOf(ran)).toEqual(['K-2']);
  const [, command = ''] =
    /list 1, of 2 orders, .*`waybill (history handover --again 1 --pdf FILE)`/.exec(ran.stderr) ?? [];
  await rig.run('history cancelled K-3 --reason lost');
  const written = await rig.run(`${command.replace('FILE', 'exp.pdf')} --json`);
  expect(keysOf(written)).toEqual(['K-1']);
  expect(written.stderr).toContain('left out, cancelled: K-3');
  expect((await rig.run('history handover -y --json')).stderr).not.toContain('may not have');
});

test('only a part of it, or a look at it, does not count as written', async () => {
  const rig = await evening();
  await cutOff(rig, 'history handover');
  await rig.run('history handover --again 1 --carrier EXP --pdf exp.pdf');
  await rig.run('history handover --again 1');
  expect(keysOf(await rig.run('history handover -y --json'))).toHaveLength(3);
});

test('a list that was taken back is not written any more', async () => {
  const rig = await evening();
  await cutOff(rig, 'history handover');
  expect((await rig.run('history handover --undo 1')).exitCode).toBe(0);
  const ran = await rig.run('history handover -y --json');
  expect(keysOf(ran)).toHaveLength(3);
  expect(ran.stderr).toContain('recorded as list 2');
});

test('what was cancelled meanwhile is left out, and named; a list of which nothing is left is not named any more', async () => {
  const rig = await evening();
  await cutOff(rig, 'history export --for csv');
  await rig.run('history cancelled K-2 --reason lost');
  const ran = await rig.run('history export --for csv -y --json');
  expect(keysOf(ran)).toEqual(['K-1', 'K-3']);
  expect(ran.stderr).toContain('left out, cancelled: K-2');
  await cutOff(rig, 'history handover');
  await rig.run('history cancelled K-1 K-3 --reason lost');
  const none = await rig.run('history handover -y --json');
  expect([keysOf(none), none.stderr]).toEqual([[], expect.not.stringContaining('may not have')]);
});

describeShared('A list', () => {
  test.each(['history export --for csv list', 'history handover --pdf list'])(
    'that the server has recorded, whose answer was lost, is written by the same command: %s',
    async argv => {
      const place = await sharedPlace();
      const relay = await relayTo(place.address);
      const env = { WAYBILL_JOURNAL: relay.address };
      const rig = await createRig({ journalLost: true, env, files: { 'order.json': SHIPMENT } });
      const ship = 'ship -f order.json --carrier EXP --key A --label';
      expect((await rig.run(ship)).exitCode).toBe(0);
      // As the protocol ends it: the word alone is in other statements, too.
      relay.cutAt('after', 'COMMIT\0');
      const lost = await rig.run(argv);
      expect([lost.exitCode, existsSync(join(rig.folder, 'list'))]).toEqual([10, false]);
      relay.mend();
      // The lease of the claim.
      await place.age(LEASE_MS);
      const ran = await rig.run(argv);
      expect([ran.exitCode, existsSync(join(rig.folder, 'list'))]).toEqual([0, true]);
      expect(ran.stderr).toContain('this is list 1, of 1 order');
    },
  );
});
