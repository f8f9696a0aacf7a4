import type { Command } from 'commander';
import type { Act } from '../../session/command.ts';
import { groupHelp } from '../../session/command.ts';
import { define as defineAdd } from './add.ts';
import { define as defineExport } from './export.ts';
import { define as defineList } from './list.ts';
import { define as defineParcel } from './parcel.ts';
import { define as defineParty } from './party.ts';
import { define as defineRemove } from './remove.ts';
import { define as defineSet } from './set.ts';
import { define as defineShow } from './show.ts';
import { define as defineTest } from './test.ts';
import { define as defineUse } from './use.ts';
import { define as defineWhoami } from './whoami.ts';

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  defineAdd(sub('add', 'save a profile'), act);
  defineList(sub('list', 'every profile; * marks the current one'), act);
  defineShow(sub('show', 'a profile, its secrets masked'), act);
  defineSet(sub('set', 'change settings of a profile'), act);
  defineUse(sub('use', 'make a profile the current one'), act);
  defineRemove(sub('remove', 'delete a profile, its credentials too'), act);
  defineTest(sub('test', 'see whether address and credentials work'), act);
  defineWhoami(sub('whoami', 'which profile, address and credentials a command would use, and why'), act);
  defineExport(sub('export', 'a profile without its secrets, for `profile add -f`'), act);
  defineParty(sub('party', 'senders and receivers that are used again'), act);
  defineParcel(sub('parcel', 'packages that are used again'), act);
  groupHelp(command);
}
