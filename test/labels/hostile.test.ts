// A label comes from outside and may be anything: what is none is not kept, and what cannot be read in bounds stops nothing.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EMPTY, HOSTILE, WHOLE } from '../rig/hostile.ts';
import { labelledBy, PDF, png, sizesIn } from '../rig/labels.ts';

const unprinted = async (rig: Awaited<ReturnType<typeof labelledBy>>['rig']) =>
  (await rig.json('label --unprinted')).map(({ key }: { key: string }) => key);

/** What a library says, and not we. */
const OF_LIBRARIES =
  /invalid|literal|is not a function|undefined|RangeError|call stack|Parser|instance of|MB RAM/i;

describe('What has no label in it', () => {
  test.each(Object.entries(EMPTY))('%s is not kept, and asked for again', async (_, label) => {
    const labels = { 'S-1': label(), 'S-2': PDF };
    const { rig, posts } = await labelledBy(labels);
    for (const _again of [1, 2]) {
      const ran = await rig.run('label K1 K2 --merge day.pdf --download out');
      expect(ran.exitCode).toBe(9);
      expect(ran.stderr).toMatch(/was made, but not saved: the answer has a \S+ (image )?that /);
      expect(ran.stderr).not.toMatch(OF_LIBRARIES);
      expect(readdirSync(join(rig.folder, 'out'))).toEqual(['K2.pdf']);
      expect(await sizesIn(join(rig.folder, 'day.pdf'))).toHaveLength(1);
    }
    expect(posts()).toBe(2);
    expect(await unprinted(rig)).toEqual(['K1']);
  });
});

describe('What cannot be read in bounds', () => {
  test.each(Object.entries(HOSTILE))('%s is named, and the others are merged', async (_, label) => {
    const { rig } = await labelledBy({ 'S-1': label(), 'S-2': PDF });
    const ran = await rig.run('label K1 K2 --merge day.pdf');
    expect([ran.exitCode, ran.stderr]).toEqual([9, expect.stringContaining('day.pdf lacks a label: K1 (')]);
    expect(ran.stderr).not.toMatch(OF_LIBRARIES);
    expect(await sizesIn(join(rig.folder, 'day.pdf'))).toHaveLength(1);
    expect(await unprinted(rig)).toEqual(['K1']);
  });
});

test.each(Object.entries(WHOLE))('%s is merged', async (_, label) => {
  const { rig } = await labelledBy({ 'S-1': label(), 'S-2': png(40, 60) });
  const ran = await rig.run('label K1 K2 --merge day.pdf');
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('(2 labels)')]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s while a label is read ends the command, and every label is given back',
  async signal => {
    const { rig } = await labelledBy({ 'S-1': PDF, 'S-2': png(5000, 7000) });
    await rig.run('label K1 K2 --download out');
    const ran = await rig.run('label K1 K2 --merge day.pdf', {
      onRead: ({ interrupt }) => setTimeout(() => interrupt(signal), 300),
    });
    expect(ran.exitCode).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    expect(ran.stderr).toContain(`stopped by ${signal}`);
    expect(existsSync(join(rig.folder, 'day.pdf'))).toBe(false);
    expect(await unprinted(rig)).toEqual(['K1', 'K2']);
    expect((await rig.run('label --unprinted')).exitCode).toBe(0);
  },
);

test('A label that takes too long is named, and the others are merged', async () => {
  const { rig } = await labelledBy({ 'S-1': PDF, 'S-2': png(5000, 7000) });
  await rig.run('label K1 K2 --download out');
  const merged = (programLimit: number) => rig.run('label K1 K2 --merge day.pdf', { programLimit });
  let limit = 1000;
  let ran = await merged(limit);
  // A slow machine needs longer for the small one, too.
  for (; ran.stderr.includes('K1 ('); ran = await merged(limit)) limit *= 2;
  expect(ran.exitCode).toBe(9);
  expect(ran.stderr).toContain(`K2 (it cannot be read: it takes longer than ${limit / 1000} s`);
  expect(await sizesIn(join(rig.folder, 'day.pdf'))).toHaveLength(1);
});
