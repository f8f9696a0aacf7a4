import { type Command, Option } from 'commander';
import { LEGS } from '../../contract/operation.ts';
import { OPERATIONS, type Operation, type OperationId, operationNamed } from '../../contract/operations.ts';
import { textAt } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import {
  type Booking,
  type Ids,
  NO_RESPONSE,
  type RecordedOutcome,
  type Settlement,
} from '../../journal/journal.ts';
import { PLAIN } from '../../output/look.ts';
import { safe } from '../../output/safe.ts';
import type { Act } from '../../session/command.ts';
import type { Session } from '../../session/session.ts';
import { historyRow } from '../../views/booking-row.ts';
import { trackTable } from '../../views/shipment.ts';
import { findBooking } from './find.ts';

interface ResolveOptions {
  created?: string;
  domestic?: string;
  notCreated?: boolean;
}

export function defineResolve(command: Command, act: Act): void {
  command
    .argument('<id|key>', 'the booking, by its id in the journal or its key')
    .addOption(
      new Option('--created <id>', 'it exists: the id that the service gave it').conflicts('notCreated'),
    )
    .option('--domestic <id>', 'of a pair: the id of the domestic shipment')
    .option('--not-created', 'it does not exist: its key may be booked again')
    .action(act<ResolveOptions>(resolve));
}

async function resolve(session: Session, options: ResolveOptions, name: string): Promise<void> {
  const { created, domestic, notCreated } = options;
  if (created === undefined && !notCreated)
    throw new Failure('usage', 'give --created ID if the booking exists, or --not-created if it does not');
  if (notCreated && domestic !== undefined) throw new Failure('usage', '--domestic goes with --created');
  const journal = await session.journalToAmend();
  const booking = await findBooking(journal, name);
  if (booking.state !== 'unknown')
    throw new Failure(
      'usage',
      `booking ${booking.id} is ${booking.state}, not unknown; there is nothing to resolve`,
    );
  const outcome =
    created === undefined ? NOT_CREATED : await confirmedByService(session, booking, created, domestic);
  await confirm(session, booking, outcome);
  if (!(await journal.settle(booking.id, { ...outcome, by: session.actor, run: session.run })))
    throw new Failure(
      'usage',
      `booking ${booking.id} is not unknown any more: its answer came, or someone else resolved it. Nothing was changed; \`waybill history show ${booking.id}\` shows it`,
    );
  await session.printer.result(historyRow({ ...booking, ...outcome }), {
    essential: row => [row.id],
    table: async row =>
      row.state === 'created'
        ? `Booking ${row.id} is resolved: it was created.`
        : `Booking ${row.id} is resolved: it was not created${row.key === null ? '' : `, and the key ${safe(row.key)} may be booked again`}.`,
  });
}

type Settled = RecordedOutcome & Pick<Settlement, 'state'>;

const NOT_CREATED: Settled = {
  state: 'rejected',
  code: 'rejected',
  why: 'settled by hand: it was not created',
  ...NO_RESPONSE,
};

/** The operation that reads an id of each kind. */
const READERS: Readonly<Record<keyof Ids, OperationId>> = {
  shipment: 'getShipment',
  international: 'getShipment',
  domestic: 'getDomesticShipment',
  subscription: 'getSubscription',
};

/** Reads what is said to exist from the service, and shows it. Throws what the reads throw: then nothing is recorded. */
async function confirmedByService(
  session: Session,
  booking: Booking,
  created: string,
  domestic: string | undefined,
): Promise<Settled> {
  if (session.scope().address !== booking.address)
    throw new Failure(
      'usage',
      `booking ${booking.id} was sent to ${booking.address}, but this command would ask ${session.scope().address}. Name the profile or address that it was sent with${booking.profile === null ? '' : `: --profile ${booking.profile}`}`,
    );
  const operation = operationNamed(booking.operation);
  const ids = idsFor(operation, booking, created, domestic);
  const labels: RecordedOutcome['labels'] = {};
  const { printer } = session;
  for (const [kind, id] of Object.entries(ids) as [keyof Ids, string][]) {
    const reader = OPERATIONS[READERS[kind]];
    const [parameter = ''] = Object.keys(reader.parameters);
    const body = await session.read(reader, { parameters: { [parameter]: id } });
    // On stderr: people see it before they confirm.
    await printer.note(printer.json ? JSON.stringify(body) : await trackTable(body, PLAIN));
    const trackingNumber = textAt(body, ['tracking', 'trackingNumber']);
    const leg = LEGS.find(one => one === kind);
    if (leg && operation.made.labels[leg] && trackingNumber) labels[leg] = { made: true, trackingNumber };
  }
  const makesIds = Object.keys(operation.made.ids).length > 0;
  if (!makesIds && Object.keys(labels).length === 0)
    throw new Failure(
      'not_found',
      `the service knows ${created}, but it has no tracking number: its label was not made. Record that with \`waybill history resolve ${booking.id} --not-created\``,
    );
  return {
    state: 'created',
    code: null,
    why: 'settled by hand: it was created',
    ...NO_RESPONSE,
    ids: makesIds ? ids : {},
    labels,
  };
}

/** The ids that were given, by what they are ids of. Throws `usage` if they do not fit the booking. */
function idsFor(
  operation: Operation,
  { id, request }: Booking,
  created: string,
  domestic: string | undefined,
): Ids {
  const kinds = Object.keys(operation.made.ids) as (keyof Ids)[];
  const refuse = (why: string) => new Failure('usage', `booking ${id} is a ${operation.command}: ${why}`);
  if (kinds.includes('domestic')) {
    if (domestic === undefined)
      throw refuse('give both ids, --created INTERNATIONAL_ID --domestic DOMESTIC_ID');
    return { international: created, domestic };
  }
  if (domestic !== undefined) throw refuse('it has no domestic leg of its own; leave out --domestic');
  const [kind] = kinds;
  if (kind !== undefined) return { [kind]: created };
  // Labels have no id: the shipments of the request name them.
  const known: Ids = {};
  for (const leg of LEGS) {
    const shipment = textAt(request, [leg]);
    if (shipment !== undefined) known[leg] = shipment;
  }
  if (!Object.values(known).includes(created))
    throw refuse(`it labels ${Object.values(known).join(' and ')}; give one of these as --created`);
  return known;
}

async function confirm(session: Session, { id, state }: Booking, outcome: RecordedOutcome): Promise<void> {
  if (session.globals.yes || !session.interactive) return;
  const claim =
    outcome.state === 'created'
      ? 'it was created, as shown above'
      : 'it was not created, and may be booked again';
  if (await session.confirm(`Resolve booking ${id} (${state}): ${claim}?`)) return;
  throw new Failure('interrupted', `booking ${id} is unchanged`);
}
