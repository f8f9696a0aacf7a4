import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import { reserveIn } from '../../../src/journal/sqlite/reserve.ts';
import { intentOf, journalRig } from '../../rig/journal.ts';
import { temporaryFolder } from '../../rig/profile.ts';

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

test('space that another process released is reserved again by a claim one turn later', async () => {
  const path = join(temporaryFolder(), 'reserve');
  const reserve = reserveIn(path, { turn });
  reserve.hold();
  rmSync(path);
  await turn();
  reserve.hold();
  expect(statSync(path).size).toBe(1024 * 1024);
});

test('a claim reserves the space, and fails if there is none', async () => {
  const { journal, where: file } = await journalRig();
  const intent = intentOf(OPERATIONS.createShipment, { key: 'K' });
  symlinkSync('elsewhere', `${file}-reserve`);
  await expect(journal.claim(intent)).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringMatching(/ELOOP.*; nothing was sent$/),
  });
  rmSync(`${file}-reserve`);
  expect(await journal.obstacle(intent)).toBeUndefined();
  expect(await journal.claim(intent)).toMatchObject({ kind: 'claimed' });
  expect(existsSync(`${file}-reserve`)).toBe(true);
});
