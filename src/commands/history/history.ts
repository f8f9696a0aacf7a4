import type { CommandGroup } from '../../session/command.ts';

const settle = () => import('./settle.ts');

export const command: CommandGroup = {
  examples: ['# List the bookings, the newest first.', 'waybill history list'],
  commands: {
    list: ['list the orders, the newest first', async () => (await import('./list.ts')).command],
    show: ['show everything that is known about a booking', async () => (await import('./show.ts')).command],
    resolve: [
      'record the outcome of a booking whose outcome is unknown',
      async () => (await import('./resolve.ts')).command,
    ],
    accept: ['record that a person accepts a price above --max-price', async () => (await settle()).accept],
    cancelled: [
      'record that the provider of the service cancelled an order',
      async () => (await settle()).cancelled,
    ],
    summary: [
      'show what was booked, in numbers, and what of it needs a person',
      async () => (await import('./summary.ts')).command,
    ],
    handover: [
      'list the labelled orders that no courier has got yet',
      async () => (await import('./handover.ts')).command,
    ],
    export: [
      'write the tracking numbers in the form that a shop imports',
      async () => (await import('./export.ts')).command,
    ],
    reconcile: [
      "hold the provider's invoices against what was booked",
      async () => (await import('./reconcile.ts')).command,
    ],
    import: ['import what another machine booked', async () => (await import('./import.ts')).command],
    check: [
      'say whether the journal can be used to book, and what in it waits for a person',
      async () => (await import('./check.ts')).command,
    ],
    backup: ['copy the journal while others write to it', async () => (await import('./backup.ts')).command],
    move: [
      'move the bookings of this machine into a shared journal',
      async () => (await import('./move.ts')).command,
    ],
    prune: [
      'delete requests, answers and labels of old bookings, or of one customer; keys and ids stay',
      async () => (await import('./prune.ts')).command,
    ],
  },
  usual: 'list',
};
