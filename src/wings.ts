// The wings: what is built on the core, which is whole without any of them. A wing is a folder, and its name here.
import { agents } from './agents/wing.ts';
import { desk } from './desk/wing.ts';
import { forms } from './forms/wing.ts';
import type { ListedCommand } from './session/command.ts';
import { shops } from './shops/wing.ts';
import type { Wing, WingCommand } from './wing.ts';

const WINGS: readonly Wing[] = [agents, desk, forms, shops];

/** The part of that name of the only wing that has it. */
export const fromWing = <Part extends keyof Wing>(part: Part): Wing[Part] | undefined =>
  WINGS.find(wing => wing[part] !== undefined)?.[part];

/** The commands of wings by what is typed: `papers`, `history handover`. */
export const WING_COMMANDS: Readonly<Record<string, WingCommand>> = Object.assign(
  {},
  ...WINGS.map(({ commands }) => commands),
);

/** Those of a group, by their names in it, as the group lists its own. */
export const commandsOfGroup = (group: string): Readonly<Record<string, ListedCommand>> =>
  Object.fromEntries(
    Object.entries(WING_COMMANDS).flatMap(([typed, { summary, load }]) => {
      const [first, name] = typed.split(' ');
      return first === group && name !== undefined ? [[name, [summary, load] as const]] : [];
    }),
  );
