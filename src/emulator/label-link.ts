import type { HttpResponse } from '../http-server.ts';
import type { Store } from '../sqlite.ts';
import { carrierById } from './carriers.ts';
import { labelPdf } from './label-pdf.ts';
import { findLabelled, type Party } from './shipments.ts';
import { failure, type World } from './wire.ts';

const LABEL = /^\/labels\/([A-Za-z0-9]+)\.pdf$/;

/** Is it a label link? It needs no credential: the document shows a bare URL. */
export const isLabelPath = (path: string): boolean => LABEL.test(path);

/** The label at a link, always the same bytes; `undefined` if the path is not a label link. */
export function labelAnswer(store: Store, world: World, path: string): HttpResponse | undefined {
  const tracking = LABEL.exec(path)?.[1];
  if (tracking === undefined) return undefined;
  const shipment = findLabelled(store, world, tracking);
  if (shipment === undefined) return failure(404, 'label not found');
  const { sender, receiver } = shipment.goods;
  const body = labelPdf({
    carrier: carrierById(shipment.carrier)?.name ?? shipment.carrier,
    trackingNumber: tracking,
    shipmentId: shipment.id,
    from: lines(sender),
    to: lines(receiver),
  });
  return { status: 200, headers: { 'content-type': 'application/pdf' }, body };
}

function lines({ firstName, lastName, companyName, address }: Party): string[] {
  const { line1, line2, zipCode, city, country } = address;
  const all = [`${firstName} ${lastName}`, companyName, line1, line2, `${zipCode} ${city}`, country.code];
  return all.filter((line): line is string => line !== undefined && line.trim() !== '');
}
