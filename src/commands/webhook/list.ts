import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt, textAt } from '../../contract/paths.ts';
import type { Booking } from '../../journal/journal.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';

const operation = OPERATIONS.createSubscription;

export function define(command: Command, act: Act): void {
  command.action(act<object>(list));
}

/** Those in the journal: the service document has no operation that lists subscriptions. */
async function list(session: Session): Promise<void> {
  const journal = await session.journalIfThere();
  const bookings =
    (await journal?.list({ operation: operation.command, states: ['created', 'partial'] })) ?? [];
  await session.printer.result(bookings.map(rowOf), {
    essential: rows => rows.map(row => row.id),
    table: async (rows, look) =>
      rows.length === 0
        ? 'The journal has no subscriptions.'
        : table(look, {
            head: ['subscription', 'created', 'url', 'events', 'address'],
            rows: rows.map(row => [row.id, row.at, row.url, row.events.join(' '), row.address]),
          }),
  });
}

function rowOf({ id, key, at, profile, address, ids, request }: Booking) {
  const events = getAt(request, ['events']);
  return {
    id: ids.subscription ?? '',
    url: textAt(request, ['url']) ?? null,
    events: Array.isArray(events) ? events.map(String) : [],
    at: new Date(at).toISOString(),
    key,
    profile,
    address,
    booking: id,
  };
}
