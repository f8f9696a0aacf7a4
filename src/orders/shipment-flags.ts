// The flags that `ship` and `ship-dual` share.
import type { Command } from 'commander';
import { fieldAt } from '../contract/fields.ts';
import type { Operation } from '../contract/operations.ts';
import { PARTIES, type PartyRole } from '../contract/parties.ts';
import { parsePath, setAt } from '../contract/paths.ts';
import { parseItem, shipmentPackage } from '../request/specs.ts';
import { typed } from '../request/values.ts';
import { collect } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import type { FieldFlag, RequestOptions } from './flags.ts';
import { type ParcelOptions, parcelOptions, parcelsOf } from './parcel-flags.ts';
import { partyOf } from './profile-values.ts';

export interface ShipmentOptions extends RequestOptions, ParcelOptions, Partial<Record<PartyRole, string>> {
  item?: string[];
  label?: boolean;
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

/** Packages of a shipment: where they go in the body, and the shape of one. */
export const SHIPMENT_PACKAGES = { path: ['packages'], entry: shipmentPackage };

/** The part of the body from flags that set more than one field. */
export async function shipmentFields(
  session: Session,
  { body: schema }: Operation,
  options: ShipmentOptions,
): Promise<Record<string, unknown>> {
  if (schema === undefined) return {};
  const parties: Record<string, unknown> = {};
  for (const role of PARTIES) {
    const ref = options[role];
    if (ref !== undefined) parties[role] = await partyOf(session, schema, role, ref);
  }
  const packages = parcelsOf(session, options)?.map(shipmentPackage);
  const items = options.item?.map(spec =>
    parseItem(spec).reduce((item: unknown, [name, value]) => {
      const path = parsePath(name) ?? [name];
      return setAt(item, path, typed(fieldAt(schema, ['items', 0, ...path]), value));
    }, {}),
  );
  return { ...parties, ...(packages && { packages }), ...(items && { items }) };
}
