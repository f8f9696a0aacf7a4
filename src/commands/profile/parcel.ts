import type { Command } from 'commander';
import { table } from '../../output/table.ts';
import { parsePackage } from '../../request/specs.ts';
import type { Act } from '../../session/command.ts';
import { groupHelp } from '../../session/command.ts';
import { findSaved, ownerOf, refuseToSave, removeSaved, saveByName } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';

export function defineParcel(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  sub('add', 'save a parcel, to be used as --package @NAME, or --package 3x@NAME for three of it')
    .argument('<name>', 'its name; one that is there is replaced')
    .argument('<spec>', '2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H)')
    .action(act<object>(add));
  sub('list', 'the saved parcels').action(act<object>(list));
  sub('show', 'a saved parcel').argument('<name>', 'its name').action(act<object>(show));
  sub('remove', 'forget a parcel').argument('<name>', 'its name').action(act<object>(remove));
  groupHelp(command);
}

async function add(session: Session, _: object, name: string, spec: string): Promise<void> {
  refuseToSave(session, 'parcels', name);
  parsePackage(spec, 'SPEC');
  await saveByName(session, 'parcels', name, spec.trim());
}

async function list(session: Session): Promise<void> {
  const rows = Object.entries(ownerOf(session, 'parcels').profile.parcels ?? {}).map(([name, spec]) => ({
    name,
    package: spec,
  }));
  await session.printer.result(rows, {
    essential: all => all.map(row => row.name),
    table: async (all, look) =>
      all.length === 0
        ? 'No parcels are saved.'
        : table(look, { head: ['name', 'package'], rows: all.map(row => Object.values(row)) }),
  });
}

async function show(session: Session, _: object, name: string): Promise<void> {
  const spec = findSaved(ownerOf(session, 'parcels'), 'parcels', name);
  await session.printer.result({ name, package: spec }, { essential: () => [spec], table: async () => spec });
}

async function remove(session: Session, _: object, name: string): Promise<void> {
  await removeSaved(session, 'parcels', name);
}
