import { describe, expect, test } from 'vitest';
import { FAILURES } from '../../src/errors.ts';
import { SCHEMA_VERSION } from '../../src/journal/opening.ts';
import { TOPICS } from '../../src/manual/topics.ts';
import { commandTree } from '../../src/program/program.ts';
import { allCommands } from '../manual/commands.ts';
import { createRig } from '../rig/command.ts';

const BARE = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
const GROUPS = ['', 'batch', 'history', 'webhook', 'profile', 'profile party', 'profile parcel'];

// Lines to be pasted or copied, which stay as they are wherever they stand.
const COMMAND_LINES = /^ {2,}(?:bash|fish|zsh|PowerShell|and in|as a line) /;

/** What stands under a heading of a page. */
const under = (page: string, heading: string): string =>
  new RegExp(`^${heading}:\n((?:(?: .*)?\n)+?)(?=\\S|$(?![\\s\\S]))`, 'm').exec(page)?.[1] ?? '';

describe('help', () => {
  test('of every command is on stdout, exits with 0, needs no profile and sends nothing', async () => {
    const { run } = await createRig({ env: BARE });
    const commands = (await allCommands(await commandTree())).filter(words => words.length > 0);
    expect(commands.map(words => words.join(' '))).toEqual(
      expect.arrayContaining([
        'quote',
        'ship',
        'track',
        'webhook create',
        'batch ship',
        'profile party add',
        'emulator',
        'schema',
      ]),
    );
    for (const words of commands) {
      const page = await run([...words, '--help']);
      expect(page).toMatchObject({ exitCode: 0, stderr: '', requests: [] });
      expect(page.stdout).toContain(`\nUsage: waybill ${words.join(' ')}`);
      expect(page.stdout).toContain('--profile <name>');
      expect((await run(['help', ...words])).stdout).toBe(page.stdout);
      // Wherever it stands, and whatever else is wrong.
      expect((await run(['--help', ...words])).exitCode).toBe(0);
      expect((await run([...words, '--json', '--help', 'x'])).stdout).toBe(page.stdout);
    }
  });

  test('begins with a sentence, usage and examples, and ends with output and exit codes', async () => {
    const { run } = await createRig({ env: BARE });
    for (const words of await allCommands(await commandTree())) {
      const name = words.join(' ');
      const { stdout } = await run([...words, '--help']);
      expect(stdout, name).toMatch(/^[A-Z](?:.|\n)*?\.\n\nUsage: waybill .*\n\nExamples:\n {2}# /);
      if (GROUPS.includes(name)) continue;
      expect(under(stdout, 'Output'), name).toMatch(/^ {2}table +\S/);
      const codes = [...under(stdout, 'Exit codes').matchAll(/^ {2}(\d+) +(\w*)/gm)];
      expect(codes[0]?.[1], name).toBe('0');
      for (const [, exit, code = ''] of codes.slice(1))
        expect(FAILURES, name).toMatchObject({ [code]: { exit: Number(exit) } });
    }
  });

  test('has the exit codes that a command can end with', async () => {
    const { run } = await createRig();
    const codesOf = async (name: string): Promise<string[]> =>
      [
        ...under((await run(`${name} --help`)).stdout, 'Exit codes').matchAll(/^ {2}[1-9]\d* +([a-z]\w*)/gm),
      ].map(([, code = '']) => code);
    const [ship, quote, track, webhook, list] = await Promise.all(
      ['ship', 'quote', 'track', 'webhook create', 'profile list'].map(codesOf),
    );
    // A booking may be unknown; a command without a sandbox says so; a local command is never rejected.
    expect(ship).toEqual(expect.arrayContaining(['duplicate', 'outcome_unknown', 'partial']));
    expect(quote).not.toContain('outcome_unknown');
    expect(track).not.toContain('sandbox_unavailable');
    expect(webhook).toContain('sandbox_unavailable');
    expect(list).toEqual(['internal', 'usage', 'partial', 'storage', 'interrupted']);
  });

  test('explains for quote that exit 4 needs a selection: without one, an answer without proposals is 0', async () => {
    const { run } = await createRig();
    const { stdout } = await run('quote --help', { terminal: true, columns: 300 });
    expect(under(stdout, 'Exit codes')).toMatch(
      / 4 +not_found +no proposal matches --cheapest, --fastest or --service \(without them, no proposals at all is 0\)/,
    );
  });

  test('never shows a secret on a command line on its first page', async () => {
    const { run } = await createRig();
    expect(under((await run('--help')).stdout, 'Examples')).not.toMatch(/echo|--token|<|your-/);
  });

  test('shows every option once, under a heading', async () => {
    const { run } = await createRig();
    const { stdout } = await run('ship --help');
    for (const [heading, flag] of Object.entries({
      Request: '--dry-run',
      Shipment: '--category',
      Packages: '--package',
      'Goods and customs': '--item',
      Parties: '--receiver',
      Carrier: '--max-price',
      Label: '--download',
      Booking: '--key',
    })) {
      expect(under(stdout, heading)).toContain(`  ${flag} `);
      expect(stdout.split(`\n  ${flag} `).length).toBe(2);
    }
  });

  test('names the fields of the answer from the contract', async () => {
    const { run } = await createRig();
    const { stdout } = await run('ship --help');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'id, carrier, sender, receiver, chargeableWeight, status, createdAt',
    );
  });

  test.each(GROUPS)('`waybill %s` alone is its page: exit 0', async group => {
    const { run } = await createRig({ env: BARE });
    const alone = await run(group);
    expect([alone.exitCode, alone.stderr]).toEqual([0, '']);
    expect(alone.stdout).toBe((await run(`${group} --help`)).stdout);
    expect(alone.stdout).toContain('<command>');
  });

  test('works inside a group too: `waybill webhook help create`', async () => {
    const { run } = await createRig();
    expect((await run('webhook help create')).stdout).toBe((await run('help webhook create')).stdout);
    expect((await run('profile party help add')).stdout).toBe((await run('help profile party add')).stdout);
  });

  test.each([
    ['webhook creat', '"waybill webhook creat" (did you mean create?)'],
    ['exit-code', 'no command or topic "waybill exit-code" (did you mean exit-codes?)'],
    ['histroy', '(did you mean history?)'],
    ['journal x', '"waybill journal"'],
  ])(
    'of `%s`, which does not exist, is exit 2 and names the nearest command or topic',
    async (words, description) => {
      const { run } = await createRig();
      const { exitCode, stdout, stderr } = await run(`help ${words}`);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain(description);
    },
  );

  test('explains on the first page the options of every command, and each exit code', async () => {
    const { run } = await createRig();
    const { stdout } = await run('--help');
    for (const flag of '--profile --sandbox --no-sandbox -o, --json --query -q, --no-input -y, --strict --timeout --retries --verbose --log --run --actor --no-color --version --help'.split(
      ' ',
    ))
      expect(stdout).toContain(`  ${flag}`);
    for (const name of 'PROFILE SANDBOX=1 OUTPUT TIMEOUT RETRIES DEBUG=1 LOG RUN ACTOR'.split(' '))
      expect(stdout).toContain(`WAYBILL_${name}`);
    const codes = under(stdout, 'Exit codes, and the "code" of errors in JSON').replace(/\s+/g, ' ');
    for (const [code, { exit, description }] of Object.entries(FAILURES))
      expect(codes).toContain(` ${exit} ${code} ${description}`);
  });

  test('fits a terminal of 80 columns, except command lines and words that cannot be broken', async () => {
    const { run } = await createRig();
    const { stdout } = await run('--help', { terminal: true, columns: 80 });
    const options = stdout.slice(stdout.indexOf('Quote and book:'));
    expect(Math.max(...options.split('\n').map(line => line.length))).toBeLessThanOrEqual(80);
    const wide = await run('--help', { terminal: true, columns: 200 });
    expect(wide.stdout.split('\n').length).toBeLessThan(stdout.split('\n').length);
  });

  test.each([40, 60, 80])(
    'of every command and topic fits %i columns, except command lines and words that cannot be broken',
    async columns => {
      const { run } = await createRig({ env: BARE });
      const pages = [...(await allCommands(await commandTree())), ...Object.keys(TOPICS).map(name => [name])];
      for (const words of pages) {
        const { stdout } = await run(['help', ...words], { terminal: true, columns });
        const text = stdout.replace(/^Usage: .*\n|^Examples:\n(?: .*\n)+|^ +(?:waybill |[A-Z]+=).*\n/gm, '');
        const wide = text
          .split('\n')
          .filter(line => line.length > columns && !COMMAND_LINES.test(line))
          .filter(line => line.match(/(?:`[^`]*`|\S)+/g)?.every(word => word.length < columns / 2));
        expect(wide, words.join(' ')).toEqual([]);
      }
    },
  );

  test('that cannot be written is exit 10, and not an internal error', async () => {
    const { run } = await createRig();
    const { exitCode, stderr } = await run('--help', {
      stdoutFault: new Error('ENOSPC: no space left on device'),
    });
    expect([exitCode, stderr]).toEqual([10, expect.stringContaining('ENOSPC')]);
    expect(stderr).not.toContain('internal error');
  });
});

test('--version prints only the version', async () => {
  const { run } = await createRig({ env: BARE });
  expect(await run('--version')).toMatchObject({ exitCode: 0, stdout: '0.0.0-dev\n', stderr: '' });
});

test.each(['--version --json', '--json --version', '--version -o json'])(
  '%s names what a report of a fault needs, the schemas of both journals too',
  async argv => {
    const { run } = await createRig({ env: BARE });
    const { exitCode, stdout } = await run(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      version: '0.0.0-dev',
      node: '20.0.0',
      platform: 'linux-x64',
      journal: { sqlite: SCHEMA_VERSION, postgresql: SCHEMA_VERSION },
    });
  },
);

test('--version is shown in the format that a flag names, and a format that does not exist is refused', async () => {
  const { run } = await createRig({ env: BARE });
  const shown = async (flags: string) => (await run(`--version ${flags}`)).stdout;
  expect(await shown('-o table')).toBe('0.0.0-dev\n');
  expect(await shown('-o csv')).toBe(
    `version,node,platform,journal.sqlite,journal.postgresql\r\n0.0.0-dev,20.0.0,linux-x64,${SCHEMA_VERSION},${SCHEMA_VERSION}\r\n`,
  );
  expect(await shown('-o text --query version')).toBe('0.0.0-dev\n');
  expect(await shown('--query journal.sqlite')).toBe(`${SCHEMA_VERSION}\n`);
  for (const argv of [
    '--version -o yaml',
    '-o yaml --version',
    '--version --output=yaml',
    '--version --query [',
  ]) {
    const { exitCode, stdout, stderr } = await run(argv);
    expect([argv, exitCode, stdout]).toEqual([argv, 2, '']);
    expect(stderr).toContain(argv.includes('yaml') ? 'Allowed choices are table, json' : '--query');
  }
});

test('a variable for the format does not change --version', async () => {
  const { run } = await createRig({ env: BARE });
  expect((await run('--version', { env: { WAYBILL_OUTPUT: 'json' } })).stdout).toBe('0.0.0-dev\n');
  expect((await run('--version --quiet')).stdout).toBe('0.0.0-dev\n');
});
