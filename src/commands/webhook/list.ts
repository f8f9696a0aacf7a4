import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { listAt, textAt } from '../../contract/paths.ts';
import type { Booking } from '../../journal/booking.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../session/command.ts';
import { addPage } from '../../session/page.ts';

/** Those in the journal: the service document has no operation that lists subscriptions. */
export function define(command: Command, act: Act): void {
  command.action(
    act<object>(async ({ journalIfThere, printer }) => {
      const journal = await journalIfThere();
      const wanted = {
        operation: OPERATIONS.createSubscription.command,
        states: ['created', 'partial'],
      } as const;
      await printer.result(((await journal?.list(wanted)) ?? []).map(rowOf), {
        essential: rows => rows.map(row => row.id),
        table: (rows, look) =>
          rows.length === 0
            ? 'The journal has no subscriptions.'
            : table(look, {
                head: ['subscription', 'created', 'url', 'events', 'address'],
                align: ['whole', 'whole', 'whole', 'whole', 'left'],
                rows: rows.map(row => [row.id, row.at, row.url, row.events.join(' '), row.address]),
              }),
      });
    }),
  );
  addPage(command, {
    examples: [
      '# Create a subscription, and list all that were created here.',
      'waybill webhook create -q --url https://shop.example.com/hooks/listed --event shipment.status.updated',
      'waybill webhook list',
    ],
    output: {
      table: 'one line for each subscription, of all addresses',
      quiet: 'their ids',
      json: 'a list of id, url, events, at, key, profile, address, booking',
    },
  });
}

function rowOf({ id, key, at, profile, address, ids, request }: Booking) {
  return {
    id: ids.subscription ?? '',
    url: textAt(request, ['url']) ?? null,
    events: listAt(request, 'events').map(String),
    at: new Date(at).toISOString(),
    key,
    profile,
    address,
    booking: id,
  };
}
