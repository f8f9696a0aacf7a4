import type { Command } from 'commander';
import { type Act, addPage, type CommandFile, defineLater, groupHelp } from '../../session/command.ts';

export function define(group: Command, act: Act): void {
  const command = (name: string, summary: string, load: () => Promise<CommandFile>) =>
    defineLater(group.command(name).description(summary), act, load);
  command('list', 'list the orders, the newest first', () => import('./list.ts'));
  command('show', 'show everything that is known about a booking', () => import('./show.ts'));
  command(
    'resolve',
    'record the outcome of a booking whose outcome is unknown',
    () => import('./resolve.ts'),
  );
  command(
    'accept',
    'record that a person accepts a price above --max-price',
    async () => (await import('./settle.ts')).accept,
  );
  command(
    'cancelled',
    'record that the provider of the service cancelled an order',
    async () => (await import('./settle.ts')).cancelled,
  );
  command(
    'summary',
    'show what was booked, in numbers, and what of it needs a person',
    () => import('./summary.ts'),
  );
  command('handover', 'list the labelled orders that no courier has got yet', () => import('./handover.ts'));
  command(
    'reconcile',
    "hold the provider's invoices against what was booked",
    () => import('./reconcile.ts'),
  );
  command('import', 'import what another machine booked', () => import('./import.ts'));
  command(
    'check',
    'open the journal as a booking does, and say whether it can be used',
    () => import('./check.ts'),
  );
  command('backup', 'copy the journal while others write to it', () => import('./backup.ts'));
  command(
    'prune',
    'delete requests, answers and labels of old bookings; keys and ids stay',
    () => import('./prune.ts'),
  );
  groupHelp(group);
  addPage(group, {
    examples: ['# List the bookings, the newest first.', 'waybill history list'],
  });
}
