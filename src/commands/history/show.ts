import type { Command } from 'commander';
import type { Holder } from '../../journal/holder.ts';
import type { Booking } from '../../journal/journal.ts';
import { parseJson } from '../../json.ts';
import { maskFields } from '../../mask.ts';
import { money, type Price } from '../../output/money.ts';
import type { View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import { pairs } from '../../output/table.ts';
import type { Act } from '../../session/command.ts';
import { historyRow } from '../../views/booking-row.ts';
import { settlementPair, settlementsWithEvidence } from '../../views/settlements.ts';
import { findBooking } from './find.ts';

export function defineShow(command: Command, act: Act): void {
  command
    .argument('<id|key>', 'its id in the journal, or its key')
    .option('--show-secret', 'secret and token of a subscription too')
    .action(
      act<{ showSecret?: boolean }>(
        async ({ journalIfThere, printer }, { showSecret = false }, name: string) => {
          const booking = await findBooking(await journalIfThere(), name);
          await printer.result(detail(booking, showSecret), detailView);
        },
      ),
    );
}

const SECRETS = ['secret', 'token'];
// Unlike any other mask, it says how to see the secret.
const MASK = '(shown with --show-secret)';

const isGivenOnce = (name: string, value: unknown): boolean => SECRETS.includes(name) && value !== null;

/** The whole booking; a secret that the service gives only once is masked unless it is asked for. */
function detail(booking: Booking, showSecret: boolean) {
  const answer = booking.answer === null ? null : (parseJson(booking.answer) ?? booking.answer);
  const { holder, request, why, httpStatus, settledAt, sandbox, account, labels, files } = booking;
  const { overtakenBy } = booking;
  return {
    ...historyRow(booking),
    account,
    sandbox,
    settledAt: settledAt === null ? null : new Date(settledAt).toISOString(),
    why,
    httpStatus,
    settlements: settlementsWithEvidence(booking),
    overtakenBy,
    labels,
    files,
    bookedBy: holder,
    request,
    answer: showSecret ? answer : maskFields(answer, isGivenOnce, MASK),
  };
}

type Detail = ReturnType<typeof detail>;

const detailView: View<Detail> = {
  essential: body => [body.state],
  async table(body, look) {
    const { request, answer } = body;
    const lines = await pairs(look, [
      ['Booking', body.id],
      ['Operation', body.operation],
      ['Key', body.key],
      ['State', body.state],
      ['Why', body.why],
      ['Booked', body.at],
      ['Ended', body.settledAt],
      ...body.settlements.map(settlementPair),
      ['Booked again as', body.overtakenBy],
      ['Address', body.address],
      ['Profile', body.profile],
      ['Shipments', body.shipmentIds.join(' ')],
      ['Tracking numbers', body.trackingNumbers.join(' ')],
      ['Carrier', body.carrier],
      ['Price', money(body.price as Price, body.currency)],
      ['Label files', Object.values(body.files).join(' ')],
      ['Booked by', bookerWords(body.bookedBy)],
      ...(request === null ? [['Request', missingRequest(body.bookedBy)] as const] : []),
      ...(answer === null || typeof answer === 'string' ? [['Answer', answer] as const] : []),
    ]);
    const block = (title: string, value: unknown) =>
      typeof value === 'object' && value !== null ? [`${look.dim(title)}\n${safeJson(value, 2)}`] : [];
    return [lines, ...block('Request', request), ...block('Answer', answer)].join('\n\n');
  },
};

/** `anna on desk (process 7), waybill 0.3.0`; an import from a results file has no host. */
function bookerWords({ user, host, process, version }: Holder): string {
  if (host === '') return 'not known: it was imported from a results file';
  if (user === undefined && version === undefined) return `process ${process} on ${host}`;
  return `${user === undefined ? '' : `${user} `}on ${host} (process ${process})${version === undefined ? '' : `, waybill ${version}`}`;
}

const missingRequest = ({ host }: Holder): string => (host === '' ? 'not known' : 'pruned');
