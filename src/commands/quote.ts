import { type Command, Option } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { proposalPackage } from '../request/specs.ts';
import type { Act } from './act.ts';
import { type ParcelOptions, parcelOptions, parcelsOf, singleParcelOptions } from './parcels.ts';
import {
  choose,
  isValid,
  ORDERS,
  type Order,
  ofService,
  type Proposal,
  priceWords,
  proposalsIn,
} from './proposals.ts';
import { buildRequest, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { showDryRun } from './show.ts';

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
  const { body } = await buildRequest(session, { operation, options, flags: FLAGS, extra });
  if (options.dryRun) return showDryRun(session, operation, body);
  const answer = await session.read(operation, { body });
  const proposals = narrow(proposalsIn(answer), options);
  await session.printer.result(proposals ? { ...(answer as object), proposals } : answer, view);
}

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
    const drawn = await table(look, {
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
    return weight === undefined ? drawn : `${drawn}\n\nChargeable weight: ${weight} kg`;
  },
};
