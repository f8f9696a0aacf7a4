import type { HttpResponse } from '../http-server.ts';
import type { Store } from '../sqlite.ts';
import { carrierById, pieceWeights } from './carriers.ts';
import { findLabelled, type Party } from './shipments.ts';
import { failure, type World } from './wire.ts';

const LABEL = /^\/labels\/([A-Za-z0-9]+)\.pdf$/;

/** Is it a label link? It needs no credential: the document shows a bare URL. */
export const isLabelPath = (path: string): boolean => LABEL.test(path);

/** The label at a label link, always the same bytes. */
export async function labelAnswer(store: Store, world: World, path: string): Promise<HttpResponse> {
  const tracking = LABEL.exec(path)?.[1] ?? '';
  const shipment = findLabelled(store, world, tracking);
  if (shipment === undefined) return failure(404, 'label not found');
  const { sender, receiver, packages } = shipment.goods;
  const carrier = carrierById(shipment.carrier);
  // The Latin writing of every script is more code than the rest of the emulator.
  const { labelPdf } = await import('./label-pdf.ts');
  const body = labelPdf({
    carrier: carrier?.name ?? shipment.carrier,
    service: carrier?.serviceType ?? '',
    trackingNumber: tracking,
    reference: shipment.id,
    from: lines(sender),
    to: lines(receiver),
    pieces: pieceWeights(packages),
  });
  return { status: 200, headers: { 'content-type': 'application/pdf' }, body };
}

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

function lines({ firstName, lastName, companyName, phone, address }: Party): string[] {
  const { line1, line2, district, nationalShortAddress, zipCode, city, country } = address;
  const all = [
    `${firstName} ${lastName}`,
    companyName,
    line1,
    line2,
    nationalShortAddress,
    district,
    `${zipCode} ${city}`,
    `${COUNTRY_NAMES.of(country.code)?.toUpperCase()} (${country.code})`,
    `Phone ${phone.code} ${phone.number}`,
  ];
  return all.filter((line): line is string => line !== undefined && line.trim() !== '');
}
