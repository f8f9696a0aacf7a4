// The request for the labels of one order, and how these labels are made: for the commands `label` and `batch label`.

import { shipmentsToLabel } from '../../booking/booking.ts';
import { type Leg, OPERATIONS } from '../../contract/operations.ts';
import { type MadeLabels, makeLabels } from '../../labels/make.ts';
import { type LabelOutput, type SavedLabels, saveLabels } from '../../labels/save.ts';
import type { RequestCommand } from '../../order/build.ts';
import type { Desk } from '../../order/desk.ts';
import { bookedShipments, knownShipments, labelBody } from '../../order/find.ts';
import {
  type BookingOptions,
  LABEL_FLAGS,
  type LabelFileOptions,
  type RequestOptions,
} from '../../order/options.ts';
import type { Order } from '../../order/order.ts';

export type LabelOptions = RequestOptions &
  Partial<Record<Leg, string>> &
  LabelFileOptions &
  BookingOptions & {
    /** The shipment, by any of its names. */
    ref?: string;
  };

export const LABEL: RequestCommand<LabelOptions> = {
  operation: OPERATIONS.createLabels,
  oneOf: 'a shipment, --international, --domestic or --key',
  flags: LABEL_FLAGS,
  async fromOptions(session, options) {
    if (options.ref !== undefined) return labelBody((await knownShipments(session, options.ref)).ids);
    if (options.key !== undefined) return labelBody((await bookedShipments(session, options.key)).ids);
    return undefined;
  },
};

/** Makes the missing labels of an order, and saves all of its labels. Throws if the order has no label. */
export async function makeAndSaveLabels(
  order: Order,
  files: LabelOutput | undefined,
  desk: Desk,
): Promise<MadeLabels & SavedLabels> {
  const { key, allowDuplicate, record } = order;
  const body = order.body.value;
  const { international: _, domestic: __, ...unknown } = body as Record<string, unknown>;
  const request = { shipments: shipmentsToLabel(body), unknown, allowDuplicate, record };
  const made = await makeLabels(request, desk);
  return saveLabels(files, made, key, desk);
}
