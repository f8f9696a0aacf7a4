import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import { reserveIn } from '../../../src/journal/sqlite/reserve.ts';
import { intentOf, journalRig } from '../../rig/journal.ts';
import { temporaryFolder } from '../../rig/profile.ts';

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

function folder(): string {
  const made = temporaryFolder();
  return made;
}

test('space is reserved in a private file until it is released, and can be reserved again', () => {
  const path = join(folder(), 'reserve');
  const reserve = reserveIn(path, { turn });
  for (let round = 0; round < 2; round += 1) {
    reserve.hold();
    reserve.hold();
    const { size, mode, blocks } = statSync(path);
    expect([size, mode & 0o777, blocks * 512 >= size]).toEqual([1024 * 1024, 0o600, true]);
    reserve.release();
    reserve.release();
    expect(existsSync(path)).toBe(false);
  }
});

test('space that another process released is reserved again by a claim one turn later', async () => {
  const path = join(folder(), 'reserve');
  const reserve = reserveIn(path, { turn });
  reserve.hold();
  rmSync(path);
  await turn();
  reserve.hold();
  expect(statSync(path).size).toBe(1024 * 1024);
});

test('a symbolic link in place of the file is not followed', () => {
  const path = join(folder(), 'reserve');
  symlinkSync('elsewhere', path);
  expect(() => reserveIn(path, { turn }).hold()).toThrow(/ELOOP/);
  expect(existsSync(join(path, '../elsewhere'))).toBe(false);
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
