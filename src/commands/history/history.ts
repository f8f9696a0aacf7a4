import type { Command } from 'commander';
import { type Act, groupHelp } from '../../session/command.ts';
import { defineImport } from './import.ts';
import { defineList } from './list.ts';
import { definePrune } from './prune.ts';
import { defineResolve } from './resolve.ts';
import { defineShow } from './show.ts';

export function define(command: Command, act: Act): void {
  const sub = (name: string, summary: string) => command.command(name).description(summary);
  defineList(sub('list', 'the bookings, the newest first'), act);
  defineShow(sub('show', 'everything that is known about a booking'), act);
  defineResolve(sub('resolve', 'record the outcome of a booking whose outcome is unknown'), act);
  defineImport(sub('import', 'import what another machine booked'), act);
  definePrune(sub('prune', 'drop requests, answers and labels of old bookings; keys and ids stay'), act);
  groupHelp(command);
}
