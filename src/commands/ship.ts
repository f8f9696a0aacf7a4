import type { Command } from 'commander';
import type { Booked, Order } from '../booking/book.ts';
import type { Outcome } from '../booking/outcome.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { money, type Price } from '../output/money.ts';
import type { View } from '../output/print.ts';
import { pairs } from '../output/table.ts';
import type { Act } from './act.ts';
import {
  type BookingOptions,
  bookedBefore,
  bookingOptions,
  bookNew,
  carrierWords,
  failureFor,
  orderFor,
  readyToBook,
} from './booking.ts';
import { type CarrierOptions, carrierOptions, resolveCarrier, unresolvedIn } from './carrier-choice.ts';
import { labelFileOptions, prepareFolder, requireLabel, type Saved } from './label-files.ts';
import { finishLabels, labelAfter, labelsIn } from './labels.ts';
import { currencyOf, type Proposal, priceOf, priceWords } from './proposals.ts';
import { buildRequest, type RequestParts, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { SHIPMENT_FLAGS, type ShipmentOptions, shipmentExtra, shipmentOptions } from './shipment.ts';
import { showDryRun } from './show.ts';

type ShipOptions = ShipmentOptions & CarrierOptions & BookingOptions;

const operation = OPERATIONS.createShipment;

const FLAGS = [...SHIPMENT_FLAGS, { flag: '--chargeable-weight <kg>', path: 'chargeableWeight' }];

export function define(command: Command, act: Act): void {
  bookingOptions(
    carrierOptions(labelFileOptions(shipmentOptions(requestOptions(command, operation, FLAGS)))),
    operation,
  )
    .option('--label', 'make the label right after, with a second booking')
    .action(act<ShipOptions>(ship));
}

async function ship(session: Session, options: ShipOptions): Promise<void> {
  const { carrier, label: wanted = false } = options;
  requireLabel(options, wanted);
  const extra = {
    ...(carrier !== undefined && { carrier: { id: carrier } }),
    ...(await shipmentExtra(session, operation, options)),
  };
  const parts = { operation, options, flags: FLAGS, extra };
  const { body: built, given } = await buildRequest(session, { ...parts, unresolved: ['chargeableWeight'] });
  const { draft, unresolved } = unresolvedIn(built);
  if (options.dryRun) return showDryRun(session, operation, draft, unresolved);

  const folder = prepareFolder(session, options);
  // Looked up before anything is sent, proposals included.
  await session.client(operation);
  const { service, maxPrice, maxDays } = options;
  const wish = { body: given, service, maxPrice, maxDays };
  const { order, booked: before } = await bookedBefore(
    session,
    orderFor(session, operation, wish, options),
    options,
  );
  const booked = before ?? (await bookResolved(session, order, parts, built, options));
  const { outcome } = booked;
  const failure = failureFor(session, order, booked);
  if (outcome.state === 'partial' || (booked.unrecorded && outcome.state === 'created'))
    await session.printer.result(outcome.body, view(outcome));
  const id = outcome.ids.shipment;
  if (failure || id === undefined) throw failure;
  if (!wanted) return session.printer.result(outcome.body, view(outcome));

  // Making the label may take minutes: whoever ends it has to know what is booked.
  await session.printer.note(`shipment ${id} is booked; making its label`);
  const label = await labelAfter(session, id, folder, options);
  const { body: labels, saved } = label;
  await session.printer.result(
    { ...(outcome.body as object), ...(labels ? { label: labels } : {}) },
    view(outcome, saved),
  );
  await finishLabels(session, operation, options, label);
}

/** Fills in what is left to a proposal, and books. */
async function bookResolved(
  session: Session,
  order: Order,
  parts: RequestParts,
  built: unknown,
  options: ShipOptions,
): Promise<Booked> {
  // What can be refused without asking the service is refused before it is asked for proposals.
  await readyToBook(session, operation);
  const { body, proposal } = await resolveCarrier(session, parts, built, options);
  const summary = [
    textAt(body, 'carrier.id'),
    proposal && priceWords(proposal),
    `${getAt(body, ['chargeableWeight'])} kg chargeable`,
    options.label && 'with a label',
  ];
  const booked = await bookNew(session, order, body, summary.filter(Boolean).join(', '));
  await tellOtherPrice(session, proposal, booked.outcome.body);
  return booked;
}

/** What is charged is what the answer says, whatever was proposed before. */
async function tellOtherPrice(
  session: Session,
  proposal: Proposal | undefined,
  answer: unknown,
): Promise<void> {
  const carrier = getAt(answer, ['carrier']);
  const price = money(getAt(carrier, ['price']) as Price, textAt(carrier, ['currency']));
  const proposed = proposal && money(priceOf(proposal), currencyOf(proposal));
  if (price !== undefined && proposed !== undefined && price !== proposed)
    await session.printer.warn(`proposed at ${proposed}, but booked at ${price}`);
}

const view = ({ ids }: Outcome, saved: Saved = {}): View<unknown> => ({
  essential: () => [ids.shipment],
  table(body, look) {
    const weight = getAt(body, ['chargeableWeight']);
    return pairs(look, [
      ['Shipment', ids.shipment],
      ['Carrier', carrierWords(body)],
      ['From', place(getAt(body, ['sender']))],
      ['To', place(getAt(body, ['receiver']))],
      ['Chargeable weight', weight === undefined ? undefined : `${weight} kg`],
      ['Status', textAt(body, 'status[0].status')],
      ['Created', textAt(body, ['createdAt'])],
      ...labelsIn(getAt(body, ['label']), saved).flatMap(
        ({ trackingNumber, where }): [string, string | undefined][] => [
          ['Tracking number', trackingNumber],
          ['Label', where],
        ],
      ),
    ]);
  },
});

const place = (party: unknown) =>
  [textAt(party, ['city']), textAt(party, ['country'])].filter(part => part !== undefined).join(', ');
