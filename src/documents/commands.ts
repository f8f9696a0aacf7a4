// What `waybill schema commands` prints: every command, as programs read it. A field that does not apply is left out. The build writes it
// as `dist/commands.json`.
import type { Command } from 'commander';
import { FAILURES, type FailureCode } from '../exit-codes.ts';
import type { Operand, Page } from '../session/command.ts';
import type { Flags } from '../session/flags.ts';
import { GLOBAL_FLAGS, variableOf } from '../session/globals.ts';
import { commandTree } from '../shell/program.ts';
import { declarationOf, defineNow } from '../shell/tree.ts';

/** A command, with its subcommands. */
interface DescribedCommand {
  name: string;
  summary: string;
  arguments: ReturnType<typeof describedOperand>[];
  options: ReturnType<typeof describedFlags>;
  /** The exit codes that mean more for this command than `exitCodes` of the command `waybill` say. */
  exitCodes: ReturnType<typeof describedExits>;
  commands: DescribedCommand[];
}

export async function commands(): Promise<DescribedCommand> {
  const program = await described(await commandTree());
  const codes = Object.entries(FAILURES).map(([code, { description }]) => [code, description]);
  return {
    ...program,
    options: describedFlags(GLOBAL_FLAGS),
    exitCodes: describedExits(Object.fromEntries(codes)),
  };
}

async function described(command: Command): Promise<DescribedCommand> {
  await defineNow(command);
  const { operands = [], flags = {}, exits = {} } = declarationOf(command) ?? {};
  // The subcommands that help shows. The `help` of a group is left out: it is that of `waybill`.
  const below = command.createHelp().visibleCommands(command);
  const isProgram = command.parent === null;
  const shown = below.filter(sub => isProgram || sub.name() !== 'help');
  const listed: DescribedCommand[] = [];
  for (const sub of shown) listed.push(await described(sub));
  return {
    name: command.name(),
    summary: command.description(),
    arguments: operands.map(describedOperand),
    options: describedFlags(flags),
    exitCodes: describedExits(exits),
    commands: listed,
  };
}

/** An argument of a command, from how it is typed: `<ref...>`, `[file]`. */
const describedOperand = ({ typed, help, choices }: Operand) => ({
  name: typed.replace(/[^\w:=-]/g, ''),
  ...(help && { description: help }),
  ...(typed.startsWith('<') && { required: true }),
  ...(typed.includes('...') && { repeatable: true }),
  ...(choices && { choices }),
});

/** The words in the brackets of a flag whose values are numbers. */
const NUMBERS = ['n', 'kg', 'cm', 'ms', 'port', 'factor'];

const typeOf = (value: string | undefined): 'boolean' | 'number' | 'string' => {
  if (value === undefined) return 'boolean';
  return NUMBERS.includes(value) ? 'number' : 'string';
};

const describedFlags = (flags: Flags) =>
  Object.values(flags).map(flag => {
    const { typed, help, choices, initial, isRequired, repeats, negative } = flag;
    const variable = variableOf(flag);
    const [, short, long = '', value] = /^(?:(-\w), )?(--[\w-]+)(?: [<[](.+)[>\]])?$/.exec(typed) ?? [];
    return {
      name: long,
      ...(short && { short }),
      description: help,
      type: typeOf(value),
      /** The word that help has for the value of the flag. */
      ...(value && { value }),
      ...(isRequired && { required: true }),
      ...(repeats && { repeatable: true }),
      ...(choices && { choices }),
      ...(initial !== undefined && { default: initial }),
      ...(variable && { variable }),
      ...(negative && { negative: long.replace('--', '--no-') }),
    };
  });

const describedExits = (exits: NonNullable<Page['exits']>) =>
  Object.entries(exits).map(([code, meaning]) => ({
    exit: FAILURES[code as FailureCode].exit,
    code,
    meaning,
  }));
