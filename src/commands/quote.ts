import { type Command, Option } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { money } from '../output/money.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { proposalPackage } from '../request/specs.ts';
import type { Act } from './act.ts';
import { type ParcelOptions, parcelOptions, parcelsOf, singleParcelOptions } from './parcels.ts';
import {
  choose,
  currencyOf,
  isValid,
  ORDERS,
  type Order,
  ofService,
  priceOf,
  proposalsIn,
} from './proposals.ts';
import { buildBody, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { mark, showDryRun } from './show.ts';

interface QuoteOptions extends RequestOptions, ParcelOptions {
  service?: string;
  sort?: Order;
  cheapest?: boolean;
  fastest?: boolean;
}

const operation = OPERATIONS.proposal;

const FLAGS = [
  { flag: '--from <cc>', path: 'originCountry' },
  { flag: '--to <cc>', path: 'destinationCountry' },
  { flag: '--postal-code <code>', path: 'postalCode' },
  { flag: '--type <type>', path: 'packageType' },
];

export function define(command: Command, act: Act): void {
  singleParcelOptions(parcelOptions(requestOptions(command, operation, FLAGS)))
    .option('--service <type>', 'only this service type (any word; case does not matter)')
    .addOption(new Option('--sort <order>', 'order of the proposals').choices(Object.keys(ORDERS)))
    .addOption(new Option('--cheapest', 'only the cheapest valid proposal').conflicts('fastest'))
    .option('--fastest', 'only the fastest valid proposal')
    .action(act<QuoteOptions>(quote));
}

async function quote(session: Session, options: QuoteOptions): Promise<void> {
  const extra = parcelsOf(options, parcels => ({ packages: parcels.map(proposalPackage) }));
  const body = await buildBody(session, { operation, options, flags: FLAGS, extra });
  if (options.dryRun) return showDryRun(session, operation, body);
  const answer = await session.read(operation, { body });
  await mark(session);
  await session.printer.result(narrow(answer, options), view);
}

/** The answer with the proposals that were asked for, in the order that was asked for. */
function narrow(answer: unknown, { service, sort, cheapest, fastest }: QuoteOptions): unknown {
  if (service === undefined && !sort && !cheapest && !fastest) return answer;
  const proposals = proposalsIn(answer).filter(ofService(service));
  if (sort) proposals.sort(ORDERS[sort]);
  const pick = cheapest ? 'cheapest' : fastest ? 'fastest' : undefined;
  const chosen = pick ? [choose(proposals, { carrier: pick })] : proposals;
  if (chosen.length === 0)
    throw new Failure('not_found', `no carrier offers the service ${JSON.stringify(service)}`, {
      operation: operation.command,
    });
  return { ...(answer as object), proposals: chosen };
}

const view: View<unknown> = {
  items: proposalsIn,
  essential: body =>
    proposalsIn(body)
      .filter(isValid)
      .map(proposal => String(proposal.id)),
  async table(body, look) {
    const proposals = proposalsIn(body);
    if (proposals.length === 0) return 'No carrier offers this.';
    const weight = getAt(body, ['chargeableWeight']);
    const drawn = await table(look, {
      head: ['carrier', 'name', 'service', 'delivery', 'price', 'valid'],
      align: ['left', 'left', 'left', 'left', 'right', 'left'],
      rows: proposals.map(proposal => [
        String(proposal.id ?? '-'),
        String(proposal.name ?? '-'),
        String(proposal.serviceType ?? '-'),
        String(proposal.deliveryTime ?? '-'),
        money(priceOf(proposal), currencyOf(proposal)) ?? '-',
        isValid(proposal) ? 'yes' : 'no',
      ]),
    });
    return weight === undefined ? drawn : `${drawn}\n\nChargeable weight: ${weight} kg`;
  },
};
