import type { Command } from 'commander';
import { fieldAt } from '../contract/fields.ts';
import type { Operation } from '../contract/operations.ts';
import { PARTIES, type PartyRole } from '../contract/parties.ts';
import { parsePath, setAt } from '../contract/paths.ts';
import { parseItem, shipmentPackage } from '../request/specs.ts';
import { typed } from '../request/values.ts';
import { collect } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { type ParcelOptions, parcelOptions, parcelsOf } from './parcel-flags.ts';
import { type FieldFlag, partyOf, type RequestOptions } from './request.ts';

// What `ship` and `ship-dual` have in common.

/** What becomes of a label as a file. */
export interface LabelFileOptions {
  label?: boolean;
  download?: string;
  print?: boolean;
}

export interface ShipmentOptions
  extends RequestOptions,
    ParcelOptions,
    LabelFileOptions,
    Partial<Record<PartyRole, string>> {
  item?: string[];
}

const GOODS = 'Goods and customs:';

export const SHIPMENT_FLAGS: readonly FieldFlag[] = [
  { flag: '--type <type>', path: 'type', group: 'Shipment:' },
  { flag: '--category <category>', path: 'category', group: 'Shipment:' },
  { flag: '--delivery-type <terms>', path: 'deliveryType', group: 'Shipment:' },
  { flag: '--total-goods-value <amount>', path: 'customs.totalGoodsValue', group: GOODS },
  { flag: '--currency <code>', path: 'customs.currency', group: GOODS },
  { flag: '--ioss-number <number>', path: 'customs.iossNumber', group: GOODS },
  { flag: '--marketplace-number <number>', path: 'customs.marketplaceNumber', group: GOODS },
];

export function shipmentOptions(command: Command): Command {
  parcelOptions(command)
    .optionsGroup(GOODS)
    .option(
      '--item <spec>',
      'goods, as description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5; repeatable',
      collect,
    );
  command.optionsGroup('Parties:');
  for (const role of PARTIES)
    command.option(`--${role} <ref>`, `${role}: a JSON file, or @name of a party saved in the profile`);
  return command;
}

/** The parts of the body that come from flags which stand for more than one field. */
export async function shipmentExtra(
  session: Session,
  operation: Operation,
  options: ShipmentOptions,
): Promise<Record<string, unknown>> {
  const { body: schema } = operation;
  if (schema === undefined) return {};
  const parties: Record<string, unknown> = {};
  for (const role of PARTIES) {
    const ref = options[role];
    if (ref !== undefined) parties[role] = await partyOf(session, schema, role, ref);
  }
  const packages = parcelsOf(session, options, parcels => parcels.map(shipmentPackage));
  const items = options.item?.map(spec =>
    parseItem(spec).reduce((item: unknown, [name, value]) => {
      const path = parsePath(name) ?? [name];
      return setAt(item, path, typed(fieldAt(schema, ['items', 0, ...path]), value));
    }, {}),
  );
  return { ...parties, ...(packages !== undefined && { packages }), ...(items && { items }) };
}
