// The wings: parts built on the core, which works without them. A wing is a folder, and its name in this file.
import { agents } from './agents/wing.ts';
import { desk } from './desk/wing.ts';
import { forms } from './forms/wing.ts';
import type { ListedCommand } from './session/command.ts';
import { shops } from './shops/wing.ts';
import type { Wing, WingCommand } from './wing.ts';

const WINGS: readonly Wing[] = [agents, desk, forms, shops];

/** A part of a wing, such as `forms`, from the only wing that has such a part. */
export const fromWing = <Part extends keyof Wing>(part: Part): Wing[Part] | undefined =>
  WINGS.find(wing => wing[part] !== undefined)?.[part];

/** The commands of all wings by the words that are typed: `papers`, `history handover`. */
export const WING_COMMANDS: Readonly<Record<string, WingCommand>> = Object.assign(
  {},
  ...WINGS.map(({ commands }) => commands),
);

/** The commands that wings add to a group such as `history`, by their names in the group, in the form in which the group lists its own. */
export const commandsOfGroup = (group: string): Readonly<Record<string, ListedCommand>> =>
  Object.fromEntries(
    Object.entries(WING_COMMANDS).flatMap(([typed, { summary, load }]) => {
      const [first, name] = typed.split(' ');
      return first === group && name !== undefined ? [[name, [summary, load] as const]] : [];
    }),
  );
