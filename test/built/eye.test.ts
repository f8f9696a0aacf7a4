// Proposals and a shipment on real terminals of the usual widths: what is drawn fits, and stays when it is piped away.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt.json');
const QUOTE = ['quote', '--from', 'TR', '--to', 'DE', '--package', '2x1.5kg@30x20x10cm'];
const WIDTHS = [40, 80, 120];

/** What stands on a terminal of that many columns when the command is over, and every byte that went there. */
async function screen(
  world: World,
  argv: readonly string[],
  columns: number,
  env: Record<string, string> = {},
): Promise<{ lines: string[]; raw: string }> {
  const at = open([command(), ...argv], {
    columns,
    cwd: world.folder,
    env: { ...world.env, LANG: 'en_US.UTF-8', ...env },
  });
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  return { lines: at.screen().split('\n'), raw: at.raw() };
}

const piped = (world: World, argv: readonly string[]) =>
  waybill(world, argv, { env: { LANG: 'en_US.UTF-8' } }).ended;

/** As many lines are shown as were written: the terminal has broken none. */
const unbroken = (shown: readonly string[], written: string) =>
  expect(shown).toHaveLength(written.trimEnd().split('\r\n').length);

describe('quote', () => {
  test.each(WIDTHS)('draws bars that fit in %i columns', async columns => {
    const shown = await screen(await createWorld(), QUOTE, columns);
    unbroken(shown.lines, shown.raw);
    const text = shown.lines.join('\n');
    for (const part of ['19.10 EUR', '37.70 EUR', 'cheapest', 'fastest', '5-7 days', '·█'])
      expect(text).toContain(part);
    expect(text.split('\n')[0]).toMatch(columns === 120 ? /^CARRIER / : /^ECO: Emulated Economy, economy/);
  });

  test('draws in ASCII, without colour, in plain lines or not at all, depending on the settings', async () => {
    const world = await createWorld();
    const ascii = await screen(world, QUOTE, 120, { LANG: 'C', NO_COLOR: '1' });
    expect(ascii.raw).toMatch(/^[\r\n -~]*$/);
    expect(ascii.raw).toContain('..####');
    const plain = (await piped(world, QUOTE)).stdout;
    for (const env of [{ TERM: 'dumb' }, { WAYBILL_ACCESSIBLE: '1' }] as Record<string, string>[])
      expect((await screen(world, QUOTE, 120, env)).raw.replaceAll('\r\n', '\n')).toBe(plain);
  });

  test('draws nothing if stdout is a file', async () => {
    const world = await createWorld();
    const stdoutToFile = join(world.folder, 'out.txt');
    const at = open([command(), ...QUOTE], {
      stdoutToFile,
      env: { ...world.env, LANG: 'en_US.UTF-8' },
      cwd: world.folder,
    });
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    expect(readFileSync(stdoutToFile, 'utf8')).toBe((await piped(world, QUOTE)).stdout);
  });
});

describe('track', () => {
  test.each(WIDTHS)('draws a timeline that fits in %i columns', async columns => {
    const world = await createWorld({ speed: 1e9 });
    const { stdout } = await piped(world, ['ship', '-f', ORDER, '--carrier', 'EXP', '-q']);
    const shown = await screen(world, ['track', stdout.trim()], columns);
    // What stands above is pairs, of which nothing is ever cut.
    unbroken(shown.lines.slice(shown.lines.indexOf('') + 1), shown.raw.slice(shown.raw.indexOf('○')));
    const text = shown.lines.join('\n');
    expect(text).toMatch(/^○ \d+ \w{3} \d/m);
    expect(text).toMatch(/^● \d+ \w{3} \d/m);
    expect(text).toContain('pending_arrival_at_warehouse');
    expect(text).toContain('delivered');
  });
});
