import type { Command } from 'commander';
import { parsePackage } from '../../request/specs.ts';
import type { Act } from '../../session/command.ts';
import { refuseToSave, saveByName } from '../../session/saved.ts';
import type { Session } from '../../session/session.ts';
import { defineSaved } from './saved.ts';

export function define(command: Command, act: Act): void {
  command
    .command('add')
    .description('save a parcel, to be used as --package @NAME, or --package 3x@NAME for three of it')
    .argument('<name>', 'its name; a parcel of that name is replaced')
    .argument('<spec>', '2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H)')
    .action(act<object>(add));
  defineSaved(command, act, {
    kind: 'parcels',
    columns: spec => ({ package: spec }),
    shown: (name, spec) => ({ name, package: spec }),
    view: { essential: body => [body.package], table: body => body.package },
  });
}

async function add(session: Session, _: object, name: string, spec: string): Promise<void> {
  refuseToSave(session, 'parcels', name);
  parsePackage(spec, 'SPEC');
  await saveByName(session, 'parcels', name, spec.trim());
}
