import type { Command } from 'commander';
import { type Operation, operationNamed } from '../../contract/operations.ts';
import { isSecret } from '../../contract/subscriptions.ts';
import type { Order } from '../../journal/types.ts';
import { parseJson } from '../../json.ts';
import { createRedactor, maskFields } from '../../mask.ts';
import { findBooking } from '../../order/find.ts';
import type { HistoryDetail } from '../../schemas.ts';
import type { Act } from '../../session/command.ts';
import { addPage } from '../../session/page.ts';
import { orderRow } from '../../views/booking-row.ts';
import { settlementsWithEvidence } from '../../views/settlements.ts';
import { bookingPage } from './show-page.ts';

export function defineShow(command: Command, act: Act): void {
  command
    .argument('<ref>', 'its key, a shipment id, a tracking number, or its id in the journal')
    .option('--show-secret', 'secret and token of a subscription too')
    .action(
      act<{ showSecret?: boolean }>(async (session, { showSecret = false }, ref: string) => {
        const journal = await session.openJournal('look');
        const booking = await findBooking(session, journal, ref);
        const order = (await journal?.orderOf(booking)) ?? { booking, labels: [] };
        await session.printer.result(detail(order, showSecret), {
          essential: body => [body.state],
          table: (body, look) => bookingPage(session, order, body.answer, look),
        });
      }),
    );
  addPage(command, {
    examples: [
      '# Book a shipment, and show what happened and what to type next.',
      'waybill schema ship --example > order.json',
      'waybill ship -q -f order.json --key ORDER-1005',
      'waybill history show ORDER-1005',
    ],
    output: {
      table: 'what was booked for whom, what happened when, and the commands to type next',
      quiet: 'its state',
      json: 'a row of `waybill schema history`, with request, answer and files; secrets are masked without --show-secret',
    },
    exits: { not_found: 'the journal has no such booking' },
  });
}

// Unlike any other mask, it says how to see the secret.
const MASK = '(shown with --show-secret)';

function masked(answer: unknown, operation: Operation): unknown {
  // Text may be an answer that was cut off; nothing tells what the parts of a list are.
  if (typeof answer === 'string') return createRedactor({}).body(answer);
  return Array.isArray(answer) && operation.made.givenOnce ? MASK : maskFields(answer, isSecret, MASK);
}

/** The whole booking; a secret that the service gives only once is masked unless it is asked for. */
function detail(order: Order, showSecret: boolean): HistoryDetail {
  const { booking } = order;
  const answer = booking.answer === null ? null : (parseJson(booking.answer) ?? booking.answer);
  const { holder, request, why, settledAt, sandbox, account, labels, files, maxPrice, overtakenBy } = booking;
  const isOpen = booking.state === 'unknown' || booking.state === 'pending';
  return {
    ...orderRow(order),
    account,
    sandbox,
    maxPrice,
    settledAt: settledAt === null || isOpen ? null : new Date(settledAt).toISOString(),
    why,
    overtakenBy,
    labels,
    files,
    settlements: settlementsWithEvidence(booking),
    labelledBy: order.labels.map(({ leg, booking: { id, state } }) => ({ leg, id, state })),
    bookedBy: holder,
    request,
    answer: showSecret ? answer : masked(answer, operationNamed(booking.operation)),
  };
}
