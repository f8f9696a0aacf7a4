// How a session opens its journal.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host.ts';
import type { Target } from '../../src/profile/target.ts';
import { createJournals } from '../../src/session/journal.ts';
import { createHome } from '../rig/profile.ts';

const TARGET: Target = {
  profile: {},
  from: 'environment',
  sandbox: false,
  tls: {},
  sources: { profile: 'none', address: 'none', credentials: 'none' },
};

function journalsInCI() {
  const { host, folder } = createHome();
  const own: Partial<Host> = {
    ...host,
    env: { WAYBILL_STATE_DIR: folder, CI: 'true' },
    process: { host: 'here', id: 1, exists: () => true },
    now: () => 0,
    monotonic: () => 0,
    turn: async () => {},
  };
  const silent = { note: async () => {}, warn: async () => {} };
  return { ...createJournals(own as Host, () => TARGET, silent, { log() {}, logName: undefined }), folder };
}

test('calls that come at once get one journal, which is closed at the end', async () => {
  const { journal, journalIfThere, close } = journalsInCI();
  const opened = await Promise.all([journal(true), journal(true), journal()]);
  expect(new Set([...opened, await journalIfThere()]).size).toBe(1);
  await close();
  await expect(opened[0].list({})).rejects.toMatchObject({ code: 'storage' });
});

test('a journal that could not be opened is opened by the next call', async () => {
  const { journal, close } = journalsInCI();
  await expect(journal()).rejects.toMatchObject({ code: 'storage' });
  expect(await (await journal(true)).list({})).toEqual([]);
  await close();
});

test('closing waits for a journal that is being opened, even if that fails', async () => {
  const { journal, close } = journalsInCI();
  const refused = journal().catch(error => error);
  await close();
  expect(await refused).toMatchObject({ code: 'storage' });
  const opened = journal(true);
  await close();
  await expect((await opened).list({})).rejects.toMatchObject({ code: 'storage' });
});

test('the error of a journal that is there does not send anybody to another folder, where it would be empty', async () => {
  const { journal, folder } = journalsInCI();
  mkdirSync(join(folder, 'journal.db'));
  const { message } = await journal().catch(error => error);
  expect(message).toMatch(/cannot be opened: .*; nothing was sent\. Repair its disk or its rights: /);
  expect(message).not.toContain('WAYBILL_STATE_DIR');
});
