// What `profile party` and `profile parcel` share: list, show and remove.
import type { Command } from 'commander';
import type { View } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../session/command.ts';
import { groupHelp } from '../../session/command.ts';
import {
  findSaved,
  ownerOf,
  removeSaved,
  SAVED_KINDS,
  type Saved,
  type SavedKind,
} from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';

interface SavedCommands<K extends SavedKind, Shown> {
  kind: K;
  /** Of the list: the columns that follow the name. */
  columns(value: Saved<K>[string]): Record<string, string | null>;
  shown(name: string, value: Saved<K>[string]): Shown;
  view: View<Shown>;
}

/** To be called after `add` is defined. */
export function defineSaved<K extends SavedKind, Shown>(
  command: Command,
  act: Act,
  { kind, columns, shown, view }: SavedCommands<K, Shown>,
): void {
  const { one } = SAVED_KINDS[kind];
  const sub = (name: string, summary: string) => command.command(name).description(summary);

  async function list(session: Session): Promise<void> {
    const saved: Saved<SavedKind> = ownerOf(session, kind).profile[kind] ?? {};
    const rows = Object.entries(saved).map(([name, value]) => ({
      name,
      ...columns(value as Saved<K>[string]),
    }));
    await session.printer.result(rows, {
      essential: all => all.map(({ name }) => name),
      table: async ([first, ...rest], look) =>
        first === undefined
          ? `No ${kind} are saved.`
          : table(look, { head: Object.keys(first), rows: [first, ...rest].map(row => Object.values(row)) }),
    });
  }

  async function show(session: Session, _: object, name: string): Promise<void> {
    await session.printer.result(shown(name, findSaved(ownerOf(session, kind), kind, name)), view);
  }

  sub('list', `the saved ${kind}`).action(act<object>(list));
  sub('show', `a saved ${one}`).argument('<name>', 'its name').action(act<object>(show));
  sub('remove', `delete a saved ${one}`)
    .argument('<name>', 'its name')
    .action(act<object>(async (session, _: object, name: string) => removeSaved(session, kind, name)));
  groupHelp(command);
}
