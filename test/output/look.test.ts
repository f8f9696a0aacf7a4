import { expect, test } from 'vitest';
import { lookOf } from '../../src/output/look.ts';
import { recorded } from './streams.ts';

test.each<[string, Record<string, string>, number | undefined, boolean | undefined, boolean]>([
  ['a terminal has colours', {}, 80, undefined, true],
  ['a pipe has no colours', {}, undefined, undefined, false],
  ['a dumb terminal has no colours', { TERM: 'dumb' }, 80, undefined, false],
  ['a screen reader has no colours', { WAYBILL_ACCESSIBLE: '1' }, 80, undefined, false],
  ['--no-color removes the colours', { FORCE_COLOR: '1' }, 80, false, false],
  ['NO_COLOR removes the colours', { NO_COLOR: '1', FORCE_COLOR: '1' }, 80, undefined, false],
  ['an empty NO_COLOR counts as unset', { NO_COLOR: '' }, 80, undefined, true],
  ['FORCE_COLOR colours the output to a pipe', { FORCE_COLOR: '1' }, undefined, undefined, true],
  ['FORCE_COLOR=0 counts as unset', { FORCE_COLOR: '0' }, undefined, undefined, false],
  ["commander's default of --no-color decides nothing", {}, undefined, true, false],
])('%s', async (_, env, terminal, color, expected) => {
  const { host } = recorded({ env, ...(terminal !== undefined && { terminal }) });
  const look = await lookOf(host, 'stdout', color);
  expect(look.color).toBe(expected);
  expect(look.red('x')).toBe(expected ? '\x1b[31mx\x1b[39m' : 'x');
});
