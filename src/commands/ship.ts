import type { Command } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { money } from '../output/money.ts';
import type { View } from '../output/print.ts';
import { pairs } from '../output/table.ts';
import type { Act } from './act.ts';
import { bookOnce, carrierWords, failureFor } from './booking.ts';
import { count } from './globals.ts';
import { finishLabels, labelAfter, labelsIn } from './label.ts';
import { labelFileOptions, prepareFolder, requireLabel } from './label-files.ts';
import {
  choose,
  currencyOf,
  isPick,
  type Proposal,
  priceOf,
  proposalsFor,
  proposalsIn,
  type Wish,
} from './proposals.ts';
import { buildBody, refuseFaults, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { SHIPMENT_FLAGS, type ShipmentOptions, shipmentExtra, shipmentOptions } from './shipment.ts';
import { showDryRun } from './show.ts';

interface ShipOptions extends ShipmentOptions {
  carrier?: string;
  service?: string;
  maxPrice?: Wish['maxPrice'];
  maxDays?: number;
  label?: boolean;
}

const operation = OPERATIONS.createShipment;

const FLAGS = [...SHIPMENT_FLAGS, { flag: '--chargeable-weight <kg>', path: 'chargeableWeight' }];

export function define(command: Command, act: Act): void {
  labelFileOptions(shipmentOptions(requestOptions(command, operation, FLAGS)))
    .option('--carrier <id>', 'carrier id, or cheapest or fastest of the valid proposals')
    .option('--service <type>', 'only proposals of this service type')
    .option('--max-price <price>', 'no proposal above this, such as 20EUR', parsePrice)
    .option('--max-days <n>', 'no proposal that may take more days', count)
    .option('--label', 'make the label right after, with a second booking')
    .action(act<ShipOptions>(ship));
}

async function ship(session: Session, options: ShipOptions): Promise<void> {
  const { carrier } = options;
  requireLabel(options);
  const named = carrier === undefined || isPick(carrier) ? {} : { carrier: { id: carrier } };
  const extra = { ...named, ...(await shipmentExtra(session, operation, options)) };
  const parts = { operation, options, flags: FLAGS, extra };
  const unresolved = isPick(carrier) ? ['carrier.id'] : [];
  const built = await buildBody(session, { ...parts, unresolved: [...unresolved, 'chargeableWeight'] });
  const draft = isPick(carrier) ? without(built, 'carrier') : built;
  if (getAt(draft, 'chargeableWeight') === undefined) unresolved.push('chargeableWeight');
  if (options.dryRun) return showDryRun(session, operation, draft, unresolved);

  const folder = prepareFolder(session, options);
  // What can be refused without asking the service is refused before it is asked for proposals.
  await session.client(operation);
  const { body, proposal } = await resolve(session, options, draft, unresolved);
  const price = proposal && money(priceOf(proposal), currencyOf(proposal));
  const booking = { operation, body };
  const summary = [textAt(body, 'carrier.id'), price, `${getAt(body, 'chargeableWeight')} kg chargeable`];
  const outcome = await bookOnce(session, booking, summary.filter(Boolean).join(', '));
  const failure = failureFor(session, booking, outcome);
  const id = outcome.ids.shipment;
  if (failure || id === undefined) throw failure;
  if (!options.label) return session.printer.result(outcome.body, view);
  const label = await labelAfter(session, id, folder);
  await session.printer.result(
    { ...(outcome.body as object), ...(label.body ? { label: label.body } : {}) },
    view,
  );
  await finishLabels(session, options, label, label.failure);
}

/** Takes from a proposal for the same packages what the user left to it. */
async function resolve(
  session: Session,
  options: ShipOptions,
  draft: unknown,
  unresolved: readonly string[],
): Promise<{ body: unknown; proposal?: Proposal }> {
  const { service, maxPrice, maxDays } = options;
  const bounded = service !== undefined || maxPrice !== undefined || maxDays !== undefined;
  if (unresolved.length === 0 && !bounded) return { body: draft };
  const answer = await proposalsFor(session, draft, options.allowUnknown === true);
  const id = isPick(options.carrier) ? options.carrier : textAt(draft, 'carrier.id');
  let body = draft;
  let proposal: Proposal | undefined;
  // A carrier that was named is booked even if no proposal lists it; only a bound must be seen to hold.
  if (unresolved.includes('carrier.id') || bounded) {
    proposal = choose(proposalsIn(answer), {
      ...(id !== undefined && { carrier: id }),
      ...(service !== undefined && { service }),
      ...(maxPrice !== undefined && { maxPrice }),
      ...(maxDays !== undefined && { maxDays }),
    });
    body = setAt(body, ['carrier', 'id'], proposal.id);
  } else proposal = proposalsIn(answer).find(one => one.id === id);
  if (unresolved.includes('chargeableWeight')) {
    const weight = getAt(answer, ['chargeableWeight']);
    if (typeof weight !== 'number')
      throw new Failure(
        'unavailable',
        'the proposal tells no chargeable weight; give it with --chargeable-weight KG. Nothing was booked',
      );
    body = setAt(body, ['chargeableWeight'], weight);
    await session.printer.note(`chargeable weight, taken from the proposal: ${weight} kg`);
  }
  if (proposal)
    await session.printer.note(
      `carrier: ${proposal.id} (${proposal.serviceType}, ${proposal.deliveryTime}), proposed at ${money(priceOf(proposal), currencyOf(proposal))}`,
    );
  await refuseFaults(session, { operation, options, flags: FLAGS }, body);
  return { body, ...(proposal && { proposal }) };
}

const without = (body: unknown, name: string): unknown =>
  Object.fromEntries(Object.entries(body as object).filter(([key]) => key !== name));

function parsePrice(written: string): { amount: string; currency: string } {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]{3})\s*$/.exec(written);
  if (match?.[1] === undefined || match[2] === undefined)
    throw new Failure(
      'usage',
      `--max-price ${JSON.stringify(written)} is not an amount with a currency, such as 20EUR`,
    );
  return { amount: match[1], currency: match[2].toUpperCase() };
}

const view: View<unknown> = {
  essential: body => [textAt(body, ['id'])],
  table: (body, look) =>
    pairs(look, [
      ['Shipment', textAt(body, ['id'])],
      ['Carrier', carrierWords(body)],
      ['From', place(getAt(body, ['sender']))],
      ['To', place(getAt(body, ['receiver']))],
      [
        'Chargeable weight',
        getAt(body, ['chargeableWeight']) === undefined
          ? undefined
          : `${getAt(body, ['chargeableWeight'])} kg`,
      ],
      ['Status', textAt(body, 'status[0].status')],
      ['Created', textAt(body, ['createdAt'])],
      ...labelsIn(getAt(body, ['label'])).flatMap(
        ({ trackingNumber, link }): [string, string | undefined][] => [
          ['Tracking number', trackingNumber],
          ['Label', link],
        ],
      ),
    ]),
};

const place = (party: unknown) =>
  [textAt(party, ['city']), textAt(party, ['country'])].filter(part => part !== undefined).join(', ');
