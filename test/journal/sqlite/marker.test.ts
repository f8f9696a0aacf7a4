// The files beside a journal: what says that it was used and is where it was opened.
import { existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { booked, claimed, journalRig, ship } from '../../rig/journal.ts';

/** How many bookings it says that there were, and the stamp that journal.db had. */
const marked = (where: string) => readFileSync(`${where}-count`, 'utf8').trim().split(' ').map(Number);
const count = (where: string) => marked(where)[0];

test('the marker is a private file, made with the first booking, with the number of the newest', async () => {
  const { journal, where } = await journalRig();
  await journal.list({});
  expect(existsSync(`${where}-count`)).toBe(false);
  await booked(journal, ship({ key: 'A' }));
  expect([count(where), statSync(`${where}-count`).mode & 0o777]).toEqual([1, 0o600]);
  await Promise.all(['B', 'C', 'D'].map(key => claimed(journal, ship({ key }))));
  expect(count(where)).toBe(4);
});

test.each(['', '\n', '\0'.repeat(16), '000000000000001 0000000000\n', undefined])(
  'a marker that a power failure left as %j, or that is behind, is written again',
  async text => {
    const { journal, where, other } = await journalRig();
    for (const key of ['A', 'B']) await booked(journal, ship({ key }));
    if (text === undefined) rmSync(`${where}-count`);
    else writeFileSync(`${where}-count`, text);
    await other(2);
    expect(count(where)).toBe(2);
  },
);

test('a marker that cannot be written stops no booking', async () => {
  const { journal, where } = await journalRig();
  writeFileSync(`${where}-elsewhere`, '');
  await journal.list({});
  // In place of the file there is a link, which is not followed.
  symlinkSync(`${where}-elsewhere`, `${where}-count`);
  await booked(journal, ship({ key: 'A' }));
  expect(readFileSync(`${where}-elsewhere`, 'utf8')).toBe('');
});

test.each([
  ['deleted', (where: string) => rmSync(where)],
  ['moved with its folder', (where: string) => renameSync(dirname(where), `${dirname(where)}-moved`)],
])(
  'nothing is claimed or read in a journal that was %s, and the new one there is left alone',
  async (_, change) => {
    const { journal, where, other } = await journalRig();
    const id = await claimed(journal, ship({ key: 'A' }));
    change(where);
    rmSync(`${where}-count`, { force: true });
    rmSync(`${where}-reserve`, { force: true });
    const fresh = await other(2);
    await booked(fresh, ship({ key: 'B' }));
    for (const work of [journal.claim(ship({ key: 'C' })), journal.list({}), journal.byId(id)])
      await expect(work).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining('it was deleted, moved or replaced while it was in use'),
      });
    await journal.close();
    expect(existsSync(`${where}-wal`)).toBe(true);
    expect((await fresh.list({})).map(({ key }) => key)).toEqual(['B']);
  },
);
