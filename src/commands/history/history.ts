import type { CommandGroup } from '../../session/command.ts';
import { commandsOfGroup } from '../../wings.ts';

export const command: CommandGroup = {
  examples: ['# List the bookings, the newest first.', 'waybill history list'],
  commands: {
    list: ['list the orders, the newest first', () => import('./list.ts')],
    show: ['show everything that is known about a booking', () => import('./show.ts')],
    resolve: ['record the outcome of a booking whose outcome is unknown', () => import('./resolve.ts')],
    accept: ['record that a person accepts a price above --max-price', () => import('./accept.ts')],
    cancelled: ['record that the provider of the service cancelled an order', () => import('./cancelled.ts')],
    ...commandsOfGroup('history'),
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
  },
  usual: 'list',
};
