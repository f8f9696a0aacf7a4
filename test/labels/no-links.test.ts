// A file system without hard links, as on a USB stick: a file gets its name whole, and is known again.
import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileAt, gotName } from '../../src/host/folder.ts';
import { createRig } from '../rig/command.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';

beforeEach(() => {
  vi.spyOn(fs, 'linkSync').mockImplementation(() => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  });
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test('A merged file is printed, and is not taken for that of another command', async () => {
  const rig = await createRig();
  const stdin = JSON.stringify(SHIPMENT);
  expect((await rig.run('ship -f - --key A --label', { stdin })).exitCode).toBe(0);
  const ran = await rig.run('label A --merge day.pdf --print');
  expect([ran.stderr, ran.exitCode]).toEqual([expect.stringContaining('sent to the default printer'), 0]);
  expect(ran.programs).toEqual([[expect.anything(), join(rig.folder, 'day.pdf')]]);
});

test('A file gets a name that is free, and none that is taken', () => {
  const folder = temporaryFolder();
  const [part = '', path = ''] = ['part', 'path'].map(name => join(folder, name));
  writeFileSync(part, 'first');
  const written = fileAt(part);
  expect([gotName(part, path), fileAt(path)]).toEqual([true, written]);
  writeFileSync(part, 'second');
  expect([gotName(part, path), readFileSync(path, 'utf8')]).toEqual([false, 'first']);
  expect(() => gotName(join(folder, 'none'), join(folder, 'new'))).toThrow('ENOENT');
  expect(readdirSync(folder).sort()).toEqual(['part', 'path']);
});
