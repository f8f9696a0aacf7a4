import { describe, expect, test } from 'vitest';
import { FAILURES } from '../../src/errors.ts';
import { createRig } from '../rig.ts';

const BARE = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };

/** The names that a page lists under a heading that ends with a colon. */
const listed = (page: string): string[] =>
  [...page.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);

/** Every command that can be typed, `webhook create` and `profile party add` too. */
async function allCommands(
  run: Awaited<ReturnType<typeof createRig>>['run'],
  path: readonly string[] = [],
): Promise<string[][]> {
  const { stdout } = await run([...path, '--help']);
  if (!stdout.startsWith(`Usage: ${['waybill', ...path].join(' ')} <command>`)) return [[...path]];
  const names = listed(stdout.slice(0, stdout.search(/^Options/m))).filter(name => name !== 'help');
  const found = await Promise.all(names.map(name => allCommands(run, [...path, name])));
  return found.flat();
}

describe('help', () => {
  test('of every command is on stdout, exits 0, needs no profile and sends nothing', async () => {
    const { run } = await createRig({ env: BARE });
    const commands = await allCommands(run);
    expect(commands.map(words => words.join(' '))).toEqual(
      expect.arrayContaining([
        'quote',
        'ship',
        'track',
        'webhook create',
        'profile party add',
        'emulator',
        'schema',
      ]),
    );
    for (const words of commands) {
      const page = await run([...words, '--help']);
      expect(page).toMatchObject({ exitCode: 0, stderr: '', requests: [] });
      expect(page.stdout).toContain(`Usage: waybill ${words.join(' ')}`);
      expect(page.stdout).toContain('--profile <name>');
      expect((await run(['help', ...words])).stdout).toBe(page.stdout);
      // Wherever it stands, and whatever else is wrong.
      expect((await run(['--help', ...words])).exitCode).toBe(0);
      expect((await run([...words, '--json', '--help', 'x'])).stdout).toBe(page.stdout);
    }
  });

  test.each([[''], ['webhook'], ['profile'], ['profile party']])(
    '`waybill %s` alone is its page: exit 0',
    async group => {
      const { run } = await createRig({ env: BARE });
      const alone = await run(group);
      expect([alone.exitCode, alone.stderr]).toEqual([0, '']);
      expect(alone.stdout).toBe((await run(`${group} --help`)).stdout);
      expect(alone.stdout).toContain('<command>');
    },
  );

  test('of the groups can be asked for inside them too', async () => {
    const { run } = await createRig();
    expect((await run('webhook help create')).stdout).toBe((await run('help webhook create')).stdout);
    expect((await run('profile party help add')).stdout).toBe((await run('help profile party add')).stdout);
  });

  test('of what is no command is a mistake, with the nearest one', async () => {
    const { run } = await createRig();
    const { exitCode, stdout, stderr } = await run('help webhook creat');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('"waybill webhook creat" (did you mean create?)');
  });

  test('explains on the first page what every command takes, and each exit code', async () => {
    const { run } = await createRig();
    const { stdout } = await run('--help');
    for (const flag of '--profile --sandbox --no-sandbox -o, --json --query -q, --no-input -y, --strict --timeout --retries --verbose --no-color --version --help'.split(
      ' ',
    ))
      expect(stdout).toContain(`  ${flag}`);
    for (const name of 'PROFILE SANDBOX=1 OUTPUT TIMEOUT RETRIES DEBUG=1'.split(' '))
      expect(stdout).toContain(`WAYBILL_${name}`);
    for (const [code, { exit, says }] of Object.entries(FAILURES)) {
      const line = stdout.split('\n').find(found => found.includes(` ${code} `));
      expect(line).toContain(says);
      expect(line?.trim().split(/\s+/)[0]).toBe(String(exit));
    }
  });

  test('fits a terminal of 80 columns, but for command lines and words that cannot be broken', async () => {
    const { run } = await createRig();
    const { stdout } = await run('--help', { terminal: true, columns: 80 });
    const options = stdout.slice(0, stdout.indexOf('Exit codes'));
    expect(Math.max(...options.split('\n').map(line => line.length))).toBeLessThanOrEqual(80);
    const wide = await run('--help', { terminal: true, columns: 200 });
    expect(wide.stdout.split('\n').length).toBeLessThan(stdout.split('\n').length);
  });

  test('that cannot be written is 10, and no defect of ours', async () => {
    const { run } = await createRig();
    const { exitCode, stderr } = await run('--help', {
      stdoutFault: new Error('ENOSPC: no space left on device'),
    });
    expect([exitCode, stderr]).toEqual([10, expect.stringContaining('ENOSPC')]);
    expect(stderr).not.toContain('defect');
  });
});

test('the examples on the pages are command lines that are understood', async () => {
  const rig = await createRig();
  let understood = 0;
  for (const [command] of (await rig.run('--help')).stdout.matchAll(/(?<=^ {2})[a-z][\w-]*(?= )/gm)) {
    const { stdout } = await rig.run(['help', command]);
    const example = /^Example:\n {2}waybill (.*)$/m.exec(stdout)?.[1];
    if (command === 'help' || example === undefined) continue;
    const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const typed = words.includes('<') ? words.slice(0, words.indexOf('<')) : words;
    const { stderr } = await rig.run(
      [...typed, '--json'].flatMap(word => (word === '--' ? ['--json', '--'] : word)),
      { stdin: 'x' },
    );
    expect(stderr).not.toContain('"code":"usage"');
    understood += 1;
  }
  expect(understood).toBeGreaterThanOrEqual(10);
});

test('--version is the version alone', async () => {
  const { run } = await createRig({ env: BARE });
  expect(await run('--version')).toMatchObject({ exitCode: 0, stdout: '0.0.0-dev\n', stderr: '' });
});
