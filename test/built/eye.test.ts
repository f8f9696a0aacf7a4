// Proposals on real terminals: what is drawn fits into their width, and is plain text where it is piped away.
import { expect, test } from 'vitest';
import { builtCommand, commandsOf, createWorld } from '../rig/process.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const QUOTE = ['quote', '--from', 'TR', '--to', 'DE', '--package', '2x1.5kg@30x20x10cm'];

test('a quote fits the terminal, in ASCII where that is all, and in plain lines for a dumb one', async () => {
  const world = await createWorld();
  const shown = async (columns: number, env: Record<string, string> = {}) => {
    const own = { ...world.env, LANG: 'en_US.UTF-8', ...env };
    const at = open([command(), ...QUOTE], { columns, cwd: world.folder, env: own });
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    // As many lines are shown as were written: the terminal has broken none.
    expect(at.screen().split('\n')).toHaveLength(at.raw().trimEnd().split('\r\n').length);
    return at.raw().replaceAll('\r\n', '\n');
  };
  expect(await shown(40)).toContain('·█');
  expect(await shown(120, { LANG: 'C', NO_COLOR: '1' })).toMatch(/^CARRIER [\n -~]*\.\.####[\n -~]*$/);
  const { stdout } = await waybill(world, QUOTE, { env: { LANG: 'en_US.UTF-8' } }).ended;
  expect(await shown(120, { TERM: 'dumb' })).toBe(stdout);
});
