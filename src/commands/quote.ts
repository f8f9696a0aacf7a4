import { contentOf } from '../contract/content.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { outOfBounds } from '../order/bounds.ts';
import type { RequestCommand } from '../order/build.ts';
import { type Chosen, choose, neededBy } from '../order/carrier-choice.ts';
import { refuseWarnings } from '../order/check.ts';
import {
  type ParcelOptions,
  proposalPackage,
  type RequestOptions,
  SINGLE_PARCEL_FLAGS,
} from '../order/options.ts';
import type { Offer } from '../order/order.ts';
import {
  isBookable,
  offersIn,
  type Proposal,
  proposalsIn,
  proposedWeight,
  SORT_ORDERS,
  type SortOrder,
} from '../order/proposals.ts';
import type { Look } from '../output/look.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { carrierNeedsWords, neededWords, refusalWords } from '../say/carriers.ts';
import { money } from '../say/words.ts';
import { flag, grouped } from '../session/flags.ts';
import type { Session } from '../session/session.ts';
import { declareRequest } from './request-command.ts';

/** Which of the proposals are shown, and in which order. */
interface Selection {
  service?: string;
  sort?: SortOrder;
  cheapest?: boolean;
  fastest?: boolean;
}

type QuoteOptions = RequestOptions & ParcelOptions & Selection;

const operation = OPERATIONS.proposal;

export const QUOTE: RequestCommand<QuoteOptions> = {
  operation,
  packages: { path: ['packages'], entry: proposalPackage },
  flags: {
    ...SINGLE_PARCEL_FLAGS,
    ...grouped('Proposals:', {
      service: flag('--service <service>', 'only this service type (any word; case does not matter)'),
      sort: flag('--sort <order>', 'order of the proposals', { choices: Object.keys(SORT_ORDERS) }),
      cheapest: flag('--cheapest', 'only the cheapest proposal that can be booked', {
        conflicts: ['fastest'],
      }),
      fastest: flag('--fastest', 'only the fastest proposal that can be booked'),
    }),
  },
};

export const command = declareRequest(
  QUOTE,
  {
    async run(session, options, request) {
      const response = await requestQuote(session, options, request.body.value);
      const needs = session.printer.format === 'table' ? needsOf(session, request.body.value) : () => [];
      await session.printer.result(response, quoteView(needs));
      await noteNeeds(session, proposalsIn(response), needs);
    },
  },
  {
    examples: [
      '# Proposals for two parcels, the cheapest first.',
      'waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm --sort price',
      '# For a script: only the id of the fastest carrier.',
      'waybill quote -q --from TR --to DE --package 1.5kg@30x20x10cm --fastest',
    ],
    output: {
      table:
        'one line for each proposal, why it is not valid if the service says so, and the chargeable weight',
      quiet: 'the carrier id of each valid proposal',
      json: 'the answer of the service, with the proposals that --service, --sort, --cheapest or --fastest select',
    },
    exits: {
      not_found:
        'no proposal matches --cheapest, --fastest or --service (without them, no proposals at all is 0), or the service answered 404',
    },
  },
);

export async function requestQuote(
  session: Session,
  selection: Selection,
  body: unknown,
  key?: string,
): Promise<unknown> {
  const response = await session.service.read(operation, { body, key });
  const { proposals, warnings = [] } = selectedProposals(proposalsIn(response), selection);
  for (const warning of warnings) await session.printer.warn(warning);
  refuseWarnings(session.printer, operation);
  if (proposals === undefined) return response;
  const { within } = contentOf(operation, response);
  const received = proposals.map(proposal => proposal.received);
  return setAt(response, [...within, 'proposals'], received);
}

/** The proposals that the options select; no `proposals` if no option selects or sorts. */
function selectedProposals(
  proposals: readonly Proposal[],
  selection: Selection,
): { proposals?: readonly Proposal[]; warnings?: Chosen['warnings'] } {
  const { service, sort, cheapest, fastest } = selection;
  const { command } = operation;
  const carrier = cheapest ? 'cheapest' : fastest ? 'fastest' : undefined;
  if (carrier) {
    const { proposal, warnings } = choose(operation, proposals, { carrier, service });
    return { proposals: [proposal], warnings };
  }
  if (service === undefined && sort === undefined) return {};
  const chosen = proposals.filter(proposal => outOfBounds(proposal, { service }) === undefined);
  if (chosen.length === 0 && service !== undefined) {
    const offered = [...new Set(proposals.flatMap(({ serviceType = [] }) => serviceType))].join(', ');
    throw new Failure(
      'not_found',
      `${command}: no carrier offers the service ${JSON.stringify(service)} for this`,
      { hint: `The services are: ${offered || 'none'}`, operation: command },
    );
  }
  return { proposals: sort === undefined ? chosen : chosen.toSorted(SORT_ORDERS[sort]) };
}

const quoteView = (needs: Needs): View<unknown> => ({
  items: offersIn,
  essential: body =>
    proposalsIn(body)
      .filter(isBookable)
      .map(({ id }) => id),
  async table(body, look) {
    const proposals = proposalsIn(body);
    if (proposals.length === 0) return 'No carrier offers this.';
    const weight = proposedWeight(body);
    const needOf = (offer: Offer) => carrierNeedsWords(needs(offer));
    const drawn = await offerTable(look, { title: 'carrier', hasValid: true, needOf }, proposals);
    return weight === undefined ? drawn : `${drawn}\n\nChargeable weight: ${weight} kg`;
  },
});

/** What an offer needs from an order before `--carrier cheapest` may book the offer. */
type Needs = (offer: Offer) => ReturnType<typeof neededBy>;

/** What offers need from an order that has only what the profile gives. */
function needsOf(session: Session, sent: unknown): Needs {
  const country = textAt(sent, 'destinationCountry') ?? '';
  const { iossNumber, marketplaceNumber } = session.target().profile;
  const order = { customs: { iossNumber, marketplaceNumber }, rules: session.rules() };
  return offer => (isBookable(offer) ? neededBy(offer, country, order) : []);
}

/** Says which proposals `--carrier cheapest` leaves out. */
async function noteNeeds(session: Session, proposals: readonly Proposal[], needs: Needs): Promise<void> {
  const notes = proposals.flatMap(offer => {
    const issues = needs(offer);
    return issues.length > 0 ? [neededWords(offer.id ?? '', issues)] : [];
  });
  for (const note of new Set(notes)) await session.printer.note(note);
}

/** How a table of offers is shown. */
interface OfferLook {
  /** The title of the column with the ids. */
  title: string;
  hasValid?: boolean;
  /** What an offer needs that the order does not have; empty if nothing. */
  needOf?(offer: Offer): string;
}

/** A table of proposals or rates, with bars on a terminal that can draw them; for a pipe the code of the bars is not loaded. */
export async function offerTable(look: Look, shown: OfferLook, offers: readonly Offer[]): Promise<string> {
  const { title, hasValid, needOf = () => '' } = shown;
  if (look.pen !== undefined) {
    const { comparison } = await import('./quote/comparison.ts');
    const drawn = await comparison(look, title, offers, needOf);
    if (drawn !== undefined) return drawn;
  }
  return table(look, {
    head: [title, 'name', 'service', 'delivery', 'price', ...(hasValid ? ['valid'] : [])],
    align: ['whole', 'left', 'left', 'left', 'right'],
    rows: offers.map(offer => [
      ...[offer.id, offer.name, offer.serviceType, offer.deliveryTime].map(text => text ?? '-'),
      money(offer.price, offer.currency),
      ...(hasValid
        ? [isBookable(offer) ? ['yes', needOf(offer)].filter(Boolean).join(', ') : refusalWords(offer, 'no')]
        : []),
    ]),
  });
}
