// `profile party` and `profile parcel`: what a profile saves by name.
import type { Command } from 'commander';
import { textAt } from '../../contract/paths.ts';
import type { View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import { anyTable, table } from '../../output/table.ts';
import { parsePackage } from '../../request/specs.ts';
import { type Act, groupHelp } from '../../session/command.ts';
import {
  findSaved,
  ownerOf,
  refuseToSave,
  removeSaved,
  SAVED_KINDS,
  type Saved,
  type SavedKind,
  saveByName,
} from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { definePartyChanges } from './party.ts';

export const objectView: View<unknown> = {
  essential: body => [safeJson(body)],
  table: (body, look) => anyTable(look, body),
};

export function defineParty(command: Command, act: Act): void {
  definePartyChanges(command, act);
  defineOthers(command, act, {
    kind: 'parties',
    columns: party => ({
      person: `${textAt(party, ['firstName']) ?? ''} ${textAt(party, ['lastName']) ?? ''}`.trim(),
      city: textAt(party, ['address', 'city']) ?? null,
      country: textAt(party, ['address', 'country', 'code']) ?? null,
    }),
    shown: (_, party) => party,
    view: objectView,
  });
}

export function defineParcel(command: Command, act: Act): void {
  command
    .command('add')
    .description('save a parcel, to be used as --package @NAME, or --package 3x@NAME for three of it')
    .argument('<name>', 'its name; a parcel of that name is replaced')
    .argument('<spec>', '2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H)')
    .action(act<object>(addParcel));
  defineOthers(command, act, {
    kind: 'parcels',
    columns: spec => ({ package: spec }),
    shown: (name, spec) => ({ name, package: spec }),
    view: { essential: body => [body.package], table: body => body.package },
  });
}

async function addParcel(session: Session, _: object, name: string, spec: string): Promise<void> {
  refuseToSave(session, 'parcels', name);
  parsePackage(spec, 'SPEC');
  await saveByName(session, 'parcels', name, spec.trim());
}

interface Description<K extends SavedKind, Shown> {
  kind: K;
  /** Of the list: the columns that follow the name. */
  columns(value: Saved<K>[string]): Record<string, string | null>;
  shown(name: string, value: Saved<K>[string]): Shown;
  view: View<Shown>;
}

/** Defines `list`, `show` and `remove`; to be called after `add` is defined. */
function defineOthers<K extends SavedKind, Shown>(
  command: Command,
  act: Act,
  { kind, columns, shown, view }: Description<K, Shown>,
): void {
  const { one } = SAVED_KINDS[kind];
  const ofNamed = (name: string, summary: string) =>
    command.command(name).description(summary).argument('<name>', 'its name');

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

  command.command('list').description(`the saved ${kind}`).action(act<object>(list));
  ofNamed('show', `a saved ${one}`).action(act<object>(show));
  ofNamed('remove', `delete a saved ${one}`).action(
    act<object>(async (session, _: object, name: string) => removeSaved(session, kind, name)),
  );
  groupHelp(command);
}
