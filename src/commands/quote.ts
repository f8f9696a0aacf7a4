import { type Command, Option } from 'commander';
import type { Job } from '../batch/run/job.ts';
import { proposedFacts } from '../booking/facts.ts';
import { compared } from '../carriers/compared.ts';
import {
  choose,
  isValid,
  ORDERS,
  type Order,
  ofService,
  type Proposal,
  priceWords,
  proposalsIn,
} from '../carriers/proposals.ts';
import { bodyOf } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { Answers } from '../forms/interview.ts';
import { withForm } from '../forms/with-form.ts';
import { showDryRun } from '../orders/dry-run.ts';
import { type ParcelOptions, parcelOptions, parcelsOf, singleParcelOptions } from '../orders/parcel-flags.ts';
import {
  buildRequest,
  common,
  fieldOptions,
  type RequestOptions,
  type RequestParts,
  requestOptions,
} from '../orders/request.ts';
import { withExtra } from '../orders/spec-flags.ts';
import type { Look } from '../output/look.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { proposalPackage } from '../request/specs.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';

interface QuoteOptions extends RequestOptions, ParcelOptions {
  service?: string;
  sort?: Order;
  cheapest?: boolean;
  fastest?: boolean;
}

const operation = OPERATIONS.proposal;

const FLAGS = [
  { flag: '--from <cc>', path: 'originCountry', group: 'Route:' },
  { flag: '--to <cc>', path: 'destinationCountry', group: 'Route:' },
  { flag: '--postal-code <code>', path: 'postalCode', group: 'Route:' },
  { flag: '--type <type>', path: 'packageType', group: 'Packages:' },
];

export function define(command: Command, act: Act): void {
  quoteOptions(requestOptions(command, operation, FLAGS)).action(act<QuoteOptions>(quote));
}

const quoteOptions = (command: Command): Command =>
  singleParcelOptions(parcelOptions(command))
    .optionsGroup('Proposals:')
    .option('--service <type>', 'only this service type (any word; case does not matter)')
    .addOption(new Option('--sort <order>', 'order of the proposals').choices(Object.keys(ORDERS)))
    .addOption(new Option('--cheapest', 'only the cheapest valid proposal').conflicts('fastest'))
    .option('--fastest', 'only the fastest valid proposal');

async function quote(session: Session, options: QuoteOptions): Promise<void> {
  await withForm(
    session,
    options,
    {
      parts: () => partsOf(session, options),
      interview: async () => (await import('../forms/quote.ts')).quoteInterview,
    },
    answers => quoteOnce(session, options, answers),
  );
}

async function quoteOnce(session: Session, options: QuoteOptions, answers?: Answers): Promise<void> {
  const { body } = await buildRequest(session, await partsOf(session, options, answers));
  if (options.dryRun) return showDryRun(session, operation, body);
  await session.printer.result(await quoted(session, options, body), view);
}

async function partsOf(session: Session, options: QuoteOptions, answers?: Answers): Promise<RequestParts> {
  const parts = { operation, options, flags: FLAGS };
  if (answers) return { ...parts, gathered: answers.gathered };
  return withExtra(session, parts, () =>
    parcelsOf(session, options, parcels => ({ packages: parcels.map(proposalPackage) })),
  );
}

async function quoted(session: Session, options: QuoteOptions, body: unknown): Promise<unknown> {
  const answer = await session.read(operation, { body });
  const proposals = narrow(proposalsIn(answer), options);
  return proposals ? { ...(answer as object), proposals } : answer;
}

export const job: Job<QuoteOptions> = {
  operation,
  fields: bodyOf(operation),
  packages: { path: 'packages', entry: proposalPackage },
  requiresKey: false,
  options: command => quoteOptions(fieldOptions(command, operation, FLAGS)),
  sharedParts: async (session, options) => common(session, await partsOf(session, options)),
  async prepare(session, options, { value }, parts) {
    const all = parts ?? (await partsOf(session, options));
    const { body } = await buildRequest(session, { ...all, record: value });
    return { body, fingerprint: '' };
  },
  async perform(session, options, { body }) {
    const result = await quoted(session, options, body);
    const [only, other] = proposalsIn(result);
    // With several, which one would be booked is not told.
    return { result, facts: proposedFacts(other === undefined ? only : undefined), saved: {} };
  },
};

/** The proposals that were asked for, in the order that was asked for; `undefined` where nothing was. */
function narrow(
  proposals: readonly Proposal[],
  { service, sort, cheapest, fastest }: QuoteOptions,
): readonly Proposal[] | undefined {
  const { command } = operation;
  const carrier = cheapest ? 'cheapest' : fastest ? 'fastest' : undefined;
  if (carrier) return [choose(proposals, { carrier, service }, command)];
  if (service === undefined && sort === undefined) return undefined;
  const chosen = proposals.filter(ofService(service));
  if (chosen.length === 0 && service !== undefined) {
    const offered = [...new Set(proposals.map(proposal => proposal.serviceType))].join(', ');
    throw new Failure(
      'not_found',
      `${command}: no carrier offers the service ${JSON.stringify(service)} for this; offered are: ${offered || 'none'}`,
      { operation: command },
    );
  }
  return sort === undefined ? chosen : chosen.toSorted(ORDERS[sort]);
}

const AS_PROPOSALS = { title: 'carrier', id: 'id', name: 'name' };

const view: View<unknown> = {
  items: proposalsIn,
  essential: body =>
    proposalsIn(body)
      .filter(isValid)
      .map(proposal => textAt(proposal, ['id'])),
  async table(body, look) {
    const proposals = proposalsIn(body);
    if (proposals.length === 0) return 'No carrier offers this.';
    const weight = getAt(body, ['chargeableWeight']);
    const drawn =
      (await compared(look, { proposals, ...AS_PROPOSALS })) ?? (await plainTable(look, proposals));
    return weight === undefined ? drawn : `${drawn}\n\nChargeable weight: ${weight} kg`;
  },
};

const plainTable = (look: Look, proposals: readonly Proposal[]): Promise<string> =>
  table(look, {
    head: ['carrier', 'name', 'service', 'delivery', 'price', 'valid'],
    align: ['whole', 'left', 'left', 'left', 'right', 'left'],
    rows: proposals.map(proposal => [
      String(proposal.id ?? '-'),
      String(proposal.name ?? '-'),
      String(proposal.serviceType ?? '-'),
      String(proposal.deliveryTime ?? '-'),
      priceWords(proposal),
      isValid(proposal) ? 'yes' : 'no',
    ]),
  });
