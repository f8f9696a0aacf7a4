// What `ship` and `ship-dual` share.
import type { Command } from 'commander';
import { bodyOf } from '../contract/operations.ts';
import { parsePath, setAt } from '../contract/paths.ts';
import { fieldAt, type Schema } from '../contract/shapes.ts';
import { CUSTOMS, PARTIES, type PartyRole } from '../contract/shipments.ts';
import { collect } from '../session/globals.ts';
import { type RequestCommand, readParty, typed } from './build.ts';
import {
  type ParcelOptions,
  parcelOptions,
  parcelsOf,
  parseItem,
  type RequestOptions,
  shipmentPackage,
} from './options.ts';
import type { Sources } from './order.ts';

export interface ShipmentOptions extends RequestOptions, ParcelOptions, Partial<Record<PartyRole, string>> {
  item?: string[];
  label?: boolean;
}

/** The command with the flags and fields of every shipment besides its own. */
export const shipmentCommand = <O extends ShipmentOptions>(own: RequestCommand<O>): RequestCommand<O> => ({
  ...own,
  isShipment: true,
  packages: { path: ['packages'], entry: shipmentPackage },
  options: command => own.options(shipmentOptions(command)),
  fromOptions: async (sources, options) => ({
    ...(own.fromOptions?.(sources, options) as object),
    ...(await shipmentFields(sources, bodyOf(own.operation), options)),
  }),
});

function shipmentOptions(command: Command): Command {
  parcelOptions(command)
    .optionsGroup(CUSTOMS)
    .option(
      '--item <item>',
      'goods, as description=T-shirt,hsCode=610910,countryOfOrigin=TR,quantity=2,unitPrice=12.5; repeatable',
      collect,
    );
  command.optionsGroup('Parties:');
  for (const role of PARTIES)
    command.option(`--${role} <party>`, `${role}: a JSON file, or @name of a party saved in the profile`);
  return command;
}

/** The part of the body from flags that set more than one field. */
async function shipmentFields(
  sources: Sources,
  schema: Schema,
  options: ShipmentOptions,
): Promise<Record<string, unknown>> {
  const parties: Record<string, unknown> = {};
  for (const role of PARTIES) {
    const ref = options[role];
    if (ref !== undefined) parties[role] = await readParty(sources, schema, role, ref);
  }
  const packages = parcelsOf(sources, options)?.map(shipmentPackage);
  const items = options.item?.map(spec =>
    parseItem(spec).reduce((item: unknown, [name, value]) => {
      const path = parsePath(name) ?? [name];
      return setAt(item, path, typed(fieldAt(schema, ['items', 0, ...path]), value));
    }, {}),
  );
  return { ...parties, ...(packages && { packages }), ...(items && { items }) };
}
