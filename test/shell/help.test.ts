import { Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { FAILURES } from '../../src/exit-codes.ts';
import { commandTree } from '../../src/shell/program.ts';
import { declarationOf } from '../../src/shell/tree.ts';
import { allCommands, wholeProgram } from '../documents/commands.ts';
import { createRig } from '../rig/command.ts';
import { BARE } from '../rig/profile.ts';

/** A command as `waybill schema commands` has it. */
interface Described {
  name: string;
  options: { name: string; description: string; repeatable?: true }[];
  commands: Described[];
}

const GROUPS = ['', 'batch', 'history', 'webhook', 'profile', 'profile party', 'profile parcel'];

/** What stands under a heading of a page. */
const under = (page: string, heading: string): string =>
  new RegExp(`^${heading}:\n((?:(?: .*)?\n)+?)(?=\\S|$(?![\\s\\S]))`, 'm').exec(page)?.[1] ?? '';

/** The exit codes of a page, each with its name. */
const codesOn = (page: string): [exit: number, code: string][] =>
  [...under(page, 'Exit codes').matchAll(/^ {2}(\d+) +(\w*)/gm)].map(([, exit, code = '']) => [
    Number(exit),
    code,
  ]);

describe('help', () => {
  test.each([
    ['ship', 'carrier, maxPrice, maxDays, rules, label'],
    ['ship-dual', 'maxPrice, rules, label'],
    ['batch ship', 'carrier, maxPrice, maxDays, rules, map, label'],
    ['batch label', 'map'],
    ['label', undefined],
    ['history list', undefined],
  ])('of %s names the options that a profile gives it, and no others', async (command, names) => {
    const { run } = await createRig({ env: BARE });
    const said = under((await run(`${command} --help`)).stdout, 'Options of a profile');
    expect(/The profile may give (.*?):/.exec(said.replace(/\s+/g, ' '))?.[1]).toBe(names);
  });

  test('is also JSON: `schema commands` has the commands and options that help shows, by the names in the declarations', async () => {
    const { run } = await createRig({ env: BARE });
    const listed = JSON.parse((await run('schema commands --json')).stdout);
    const paths = (command: Described, path: string[]): string[][] => [
      path,
      ...command.commands.flatMap(sub => paths(sub, [...path, sub.name])),
    ];
    const program = await wholeProgram(await commandTree());
    const commands = await allCommands(await commandTree());
    expect(paths(listed, []).toSorted()).toEqual(commands.toSorted());
    for (const words of commands.filter(({ length }) => length > 0)) {
      const described = words.reduce(
        (group: Described, word) => group.commands.find(({ name }) => name === word) ?? group,
        listed,
      );
      const command = words.reduce(
        (group, word) => group.commands.find(one => one.name() === word) ?? group,
        program,
      );
      const shown = command.options.filter(({ hidden }) => !hidden);
      expect(described.options.map(({ name }) => name)).toEqual(shown.map(({ long }) => long));
      for (const { name, description, repeatable = false } of described.options)
        expect(repeatable, `${words.join(' ')} ${name}`).toBe(/\brepeatable\b/.test(description));
      const { flags = {} } = declarationOf(command) ?? {};
      expect(Object.keys(flags), words.join(' ')).toEqual(
        Object.values(flags).map(({ typed }) => new Option(typed).attributeName()),
      );
    }
  });

  test('of every command is on stdout, exits with 0, and has every option', async () => {
    const { run } = await createRig({ env: BARE });
    const program = await wholeProgram(await commandTree());
    const commands = await allCommands(await commandTree());
    expect(commands.length).toBeGreaterThan(40);
    for (const words of commands.filter(({ length }) => length > 0)) {
      const name = words.join(' ');
      const page = await run([...words, '--help']);
      expect(page).toMatchObject({ exitCode: 0, stderr: '', requests: [] });
      expect(page.stdout, name).toMatch(
        /^Usage: waybill .*\n\n[A-Z](?:.|\n)*?\.\n\n(?:(?:.|\n)*\n\n)?Examples:\n {2}# /,
      );
      const command = words.reduce(
        (group, word) => group.commands.find(one => one.name() === word) ?? group,
        program,
      );
      for (const { long, hidden } of command.options)
        if (!hidden) expect(page.stdout, name).toMatch(new RegExp(`^ {2}(-\\w, )?${long}\\b`, 'm'));
      expect(page.stdout, name).toContain('`waybill help options`');
      if (GROUPS.includes(name)) continue;
      expect(under(page.stdout, 'Output'), name).toMatch(/^ {2}table +\S/);
      for (const [exit, code] of codesOn(page.stdout))
        expect(FAILURES, name).toMatchObject({ [code]: { exit } });
      // Wherever it stands, and whatever else is wrong.
      expect((await run(['help', ...words])).stdout).toBe(page.stdout);
      expect((await run(['--help', ...words])).exitCode).toBe(0);
      expect((await run([...words, '--json', '--help', 'x'])).stdout).toBe(page.stdout);
    }
  });

  // `waybill history` alone is `history list`.
  test.each(GROUPS.filter(group => group !== 'history'))(
    '`waybill %s` alone is its page: exit 0',
    async group => {
      const { run } = await createRig({ env: BARE });
      const alone = await run(group);
      expect([alone.exitCode, alone.stderr]).toEqual([0, '']);
      expect(alone.stdout).toBe((await run(`${group} --help`)).stdout);
      expect(alone.stdout).toContain('<command>');
    },
  );

  test.each([
    ['webhook creat', '"waybill webhook creat" (did you mean create?)'],
    ['exit-code', 'no command or topic "waybill exit-code" (did you mean exit-codes?)'],
  ])('of `%s`, which does not exist, is exit 2 and names the nearest', async (words, description) => {
    const { run } = await createRig();
    const { exitCode, stdout, stderr } = await run(`help ${words}`);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(description)]);
  });
});
