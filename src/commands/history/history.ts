import type { Command } from 'commander';
import { type Act, type CommandFile, defineLater, groupHelp } from '../../session/command.ts';

const settle = () => import('./settle.ts');

const COMMANDS: Readonly<Record<string, [summary: string, load: () => Promise<CommandFile>]>> = {
  list: ['list the orders, the newest first', () => import('./list.ts')],
  show: ['show everything that is known about a booking', () => import('./show.ts')],
  resolve: ['record the outcome of a booking whose outcome is unknown', () => import('./resolve.ts')],
  accept: ['record that a person accepts a price above --max-price', async () => (await settle()).accept],
  cancelled: [
    'record that the provider of the service cancelled an order',
    async () => (await settle()).cancelled,
  ],
  summary: ['show what was booked, in numbers, and what of it needs a person', () => import('./summary.ts')],
  handover: ['list the labelled orders that no courier has got yet', () => import('./handover.ts')],
  export: ['write the tracking numbers in the form that a shop imports', () => import('./export.ts')],
  reconcile: ["hold the provider's invoices against what was booked", () => import('./reconcile.ts')],
  import: ['import what another machine booked', () => import('./import.ts')],
  check: [
    'say whether the journal can be used to book, and what in it waits for a person',
    () => import('./check.ts'),
  ],
  backup: ['copy the journal while others write to it', () => import('./backup.ts')],
  move: ['move the bookings of this machine into a shared journal', () => import('./move.ts')],
  prune: [
    'delete requests, answers and labels of old bookings, or of one customer; keys and ids stay',
    () => import('./prune.ts'),
  ],
};

export function define(group: Command, act: Act): void {
  for (const [name, [summary, load]] of Object.entries(COMMANDS))
    defineLater(group.command(name, { isDefault: name === 'list' }).description(summary), act, load);
  groupHelp(group);
}
