import type { Command } from 'commander';
import type { Job } from '../batch/run/job.ts';
import type { Booked, BookingRequest } from '../booking/book.ts';
import { bookedFacts, proposedFacts } from '../booking/facts.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import type { Outcome } from '../booking/outcome.ts';
import {
  type CarrierOptions,
  carrierOptions,
  proposalFor,
  resolveCarrier,
  unresolvedIn,
} from '../carriers/choose.ts';
import { currencyOf, type Proposal, priceOf, priceWords } from '../carriers/proposals.ts';
import { bodyOf } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Failure } from '../errors.ts';
import type { Answers } from '../forms/interview.ts';
import { withForm } from '../forms/with-form.ts';
import { finishLabels, labelAfter, labelsIn, printedLabels } from '../labels/make.ts';
import { labelFileOptions, prepareFolder, requireLabel, type Saved } from '../labels/save.ts';
import {
  type BookingOptions,
  bookedBefore,
  bookingOptions,
  bookNew,
  carrierWords,
  failureFor,
  orderFor,
  readyToBook,
  refuseTakenKey,
} from '../orders/book-once.ts';
import { showDryRun } from '../orders/dry-run.ts';
import { buildRequest, common, fieldOptions, type RequestParts, requestOptions } from '../orders/request.ts';
import {
  SHIPMENT_FLAGS,
  type ShipmentOptions,
  shipmentExtra,
  shipmentOptions,
} from '../orders/shipment-flags.ts';
import { withExtra } from '../orders/spec-flags.ts';
import { money, type Price } from '../output/money.ts';
import type { View } from '../output/print.ts';
import { pairs } from '../output/table.ts';
import { shipmentPackage } from '../request/specs.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';

type ShipOptions = ShipmentOptions & CarrierOptions & BookingOptions;

const operation = OPERATIONS.createShipment;

const FLAGS = [
  ...SHIPMENT_FLAGS,
  { flag: '--chargeable-weight <kg>', path: 'chargeableWeight', group: 'Carrier:' },
];
const PARTS = { operation, flags: FLAGS, unresolved: ['chargeableWeight'] };

export function define(command: Command, act: Act): void {
  bookingOptions(shipOptions(requestOptions(command, operation, FLAGS)), operation).action(
    act<ShipOptions>(ship),
  );
}

const shipOptions = (command: Command): Command =>
  labelFileOptions(carrierOptions(shipmentOptions(command))).option(
    '--label',
    'make the label right after, with a second booking',
  );

/** What is to be booked, before a proposal has told the rest. */
interface Plan {
  body: unknown;
  /** Of what the user gave, the bounds of the carrier too. */
  fingerprint: string;
  /** The proposals that a person has just seen. */
  proposals?: unknown;
}

async function ship(session: Session, options: ShipOptions): Promise<void> {
  requireLabel(options, options.label ?? false);
  await withForm(
    session,
    options,
    {
      parts: () => partsOf(session, options),
      interview: async () => (await import('../forms/ship.ts')).shipInterview(options),
      before: () => refuseTakenKey(session, operation, options),
    },
    answers => shipOnce(session, options, answers),
  );
}

async function shipOnce(session: Session, options: ShipOptions, answers?: Answers): Promise<void> {
  const plan = await planned(session, options, { answers });
  if (options.dryRun) {
    const { draft, unresolved } = unresolvedIn(plan.body);
    return showDryRun(session, operation, draft, unresolved);
  }
  const folder = prepareFolder(session, options);
  await session.client(operation);
  const { booked, failure, label } = await shipped(session, options, plan, folder);
  const { outcome } = booked;
  if (outcome.state === 'partial' || (booked.unrecorded && outcome.state === 'created'))
    await session.printer.result(outcome.body, view(outcome));
  if (failure) throw failure;
  if (label === undefined) return session.printer.result(outcome.body, view(outcome));
  await session.printer.result(withLabel(outcome.body, label.body), view(outcome, label.saved));
  await finishLabels(session, operation, options, label);
}

async function planned(
  session: Session,
  options: ShipOptions,
  {
    record,
    answers,
    parts,
  }: { record?: unknown; answers?: Answers | undefined; parts?: RequestParts | undefined },
): Promise<Plan> {
  const { service, maxPrice, maxDays } = options;
  const all = parts ?? (await partsOf(session, options, answers));
  const { body, given } = await buildRequest(session, { ...all, record });
  const mark = fingerprint({ body: given, service, maxPrice, maxDays });
  return { body, fingerprint: mark, proposals: answers?.proposals };
}

async function partsOf(session: Session, options: ShipOptions, answers?: Answers): Promise<RequestParts> {
  if (answers) return { ...PARTS, options, gathered: answers.gathered };
  const { carrier } = options;
  return withExtra(session, { ...PARTS, options }, async () => ({
    ...(carrier !== undefined && { carrier: { id: carrier } }),
    ...(await shipmentExtra(session, operation, options)),
  }));
}

interface Shipped {
  booked: Booked;
  failure?: Failure | undefined;
  label?: Awaited<ReturnType<typeof labelAfter>>;
}

/** Books, and makes the label where that is wanted. */
async function shipped(
  session: Session,
  options: ShipOptions,
  plan: Plan,
  folder: string | undefined,
): Promise<Shipped> {
  // Looked up before anything is sent, proposals included.
  const { order, booked: before } = await bookedBefore(
    session,
    orderFor(session, operation, plan.fingerprint, options),
    options,
  );
  const booked = before ?? (await bookResolved(session, order, plan, options));
  const failure = failureFor(session, order, booked);
  const id = booked.outcome.ids.shipment;
  if (failure || id === undefined || !options.label) return { booked, failure };
  // Making the label may take minutes: whoever ends it has to know what is booked.
  await session.printer.note(`shipment ${id} is booked; making its label`);
  return { booked, label: await labelAfter(session, id, folder, options) };
}

const withLabel = (body: unknown, label: unknown): unknown =>
  label === undefined ? body : { ...(body as object), label };

export const job: Job<ShipOptions> = {
  operation,
  fields: bodyOf(operation),
  packages: { path: 'packages', entry: shipmentPackage },
  requiresKey: true,
  options: command => shipOptions(fieldOptions(command, operation, FLAGS)),
  check: options => requireLabel(options, options.label ?? false),
  hasFollowUp: options => options.label ?? false,
  sharedParts: async (session, options) => common(session, await partsOf(session, options)),
  prepare: (session, options, { value }, parts) => planned(session, options, { record: value, parts }),
  async perform(session, options, { key, body, fingerprint: mark, source }, folder) {
    const mine = { ...options, ...(key !== undefined && { key }), source };
    const { booked, failure, label } = await shipped(session, mine, { body, fingerprint: mark }, folder);
    const { outcome } = booked;
    return {
      result: withLabel(outcome.body, label?.body),
      facts: {
        ...bookedFacts(outcome, outcome.body, body),
        labels: { ...outcome.labels, ...label?.labels },
      },
      saved: label?.saved ?? {},
      failure: failure ?? (label && (await printedLabels(session, operation, options, label))),
    };
  },
  async estimate(session, options, { body }) {
    const proposal = await proposalFor(session, { ...PARTS, options }, body, options);
    return { result: proposal, facts: proposedFacts(proposal), saved: {} };
  },
};

/** Fills in what is left to a proposal, and books. */
async function bookResolved(
  session: Session,
  order: BookingRequest,
  { body: built, proposals }: Pick<Plan, 'body' | 'proposals'>,
  options: ShipOptions,
): Promise<Booked> {
  // What can be refused without asking the service is refused before it is asked for proposals.
  await readyToBook(session, operation);
  const { body, proposal } = await resolveCarrier(session, { ...PARTS, options }, built, options, proposals);
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
