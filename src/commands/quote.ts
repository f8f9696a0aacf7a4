import { type Command, Option } from 'commander';
import { requestJob } from '../batch/run/job.ts';
import { proposedFacts } from '../booking/facts.ts';
import { choose, ofService } from '../carriers/choose.ts';
import { isValid, type Proposal, proposalsIn, SORT_ORDERS, type SortOrder } from '../carriers/proposals.ts';
import { proposalTable } from '../carriers/table.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { defineRequest } from '../forms/define-request.ts';
import type { RequestOptions } from '../orders/flags.ts';
import { type ParcelOptions, parcelOptions, parcelsOf, singleParcelOptions } from '../orders/parcel-flags.ts';
import type { RequestCommand } from '../orders/request-command.ts';
import type { View } from '../output/print.ts';
import { proposalPackage } from '../request/specs.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';

/** Which of the proposals are shown, and in which order. */
interface Selection {
  service?: string;
  sort?: SortOrder;
  cheapest?: boolean;
  fastest?: boolean;
}

type QuoteOptions = RequestOptions & ParcelOptions & Selection;

const operation = OPERATIONS.proposal;

const QUOTE: RequestCommand<QuoteOptions> = {
  operation,
  flags: [
    { flag: '--from <cc>', path: 'originCountry', group: 'Route:' },
    { flag: '--to <cc>', path: 'destinationCountry', group: 'Route:' },
    { flag: '--postal-code <code>', path: 'postalCode', group: 'Route:' },
    { flag: '--type <type>', path: 'packageType', group: 'Packages:' },
  ],
  packages: { path: ['packages'], entry: proposalPackage },
  options: command =>
    singleParcelOptions(parcelOptions(command))
      .optionsGroup('Proposals:')
      .option('--service <type>', 'only this service type (any word; case does not matter)')
      .addOption(new Option('--sort <order>', 'order of the proposals').choices(Object.keys(SORT_ORDERS)))
      .addOption(new Option('--cheapest', 'only the cheapest valid proposal').conflicts('fastest'))
      .option('--fastest', 'only the fastest valid proposal'),
  fromOptions(session, options) {
    const packages = parcelsOf(session, options)?.map(proposalPackage);
    return packages && { packages };
  },
};

export function define(command: Command, act: Act): void {
  defineRequest(command, act, QUOTE, {
    loadForm: async () => (await import('../forms/quote.ts')).quoteForm,
    run: async (session, options, { body }) =>
      session.printer.result(await quoted(session, options, body), view),
  });
}

export const job = requestJob(QUOTE, {
  requiresKey: false,
  start: (_, options) => ({
    async perform(session, { body }) {
      const result = await quoted(session, options, body.value);
      const [only, other] = proposalsIn(result);
      // Among several, the one that would be booked is not known.
      return { result, facts: proposedFacts(other === undefined ? only : undefined), saved: {} };
    },
  }),
});

async function quoted(session: Session, selection: Selection, body: unknown): Promise<unknown> {
  const response = await session.read(operation, { body });
  const proposals = selected(proposalsIn(response), selection);
  return proposals ? { ...(response as object), proposals } : response;
}

/** `undefined` if nothing is selected. */
function selected(
  proposals: readonly Proposal[],
  { service, sort, cheapest, fastest }: Selection,
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
      `${command}: no carrier offers the service ${JSON.stringify(service)} for this. The services are: ${offered || 'none'}`,
      { operation: command },
    );
  }
  return sort === undefined ? chosen : chosen.toSorted(SORT_ORDERS[sort]);
}

const COLUMNS = { title: 'carrier', id: 'id', name: 'name', hasValid: true };

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
    const drawn = await proposalTable(look, COLUMNS, proposals);
    return weight === undefined ? drawn : `${drawn}\n\nChargeable weight: ${weight} kg`;
  },
};
