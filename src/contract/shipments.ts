import * as z from 'zod/mini';
import { category, customs, deliveryType, items, packages, type } from './goods.ts';
import { dualInvoice, dualReceiver, dualSender, invoice, receiver, sender } from './parties.ts';
import { readId, SHOWN_MILESTONES } from './read.ts';
import {
  about,
  amount,
  anyList,
  anyNumber,
  anyPart,
  anyText,
  type Fields,
  flag,
  loose,
  optional,
  part,
  strict,
  text,
  timestamp,
} from './shapes.ts';

// Service document §2.1, §2.2, §4.1, §4.2, §4.5 to §4.7: bodies and answers of shipments and labels.

const CARRIER = 'Carrier:';

const goods = { type, category, deliveryType, packages, items, customs };

export const shipmentBody = strict(() => ({
  ...goods,
  sender,
  receiver,
  invoice,
  chargeableWeight: amount('Total billable weight in kilograms', {
    sample: 3,
    flag: '--chargeable-weight <kg>',
    group: CARRIER,
    isOfShop: true,
  }),
  carrier: part(
    'The carrier of the shipment',
    {
      id: text('Carrier id, as a proposal gives it', {
        sample: 'EXP',
        flag: '--carrier',
        setting: 'carrier',
      }),
    },
    { isOfShop: true },
  ),
}));

export const dualShipmentBody = strict(() => ({
  label: optional(
    flag('Make the carrier labels in the same call (needs scope shipment:label)', {
      flag: '--label',
      setting: 'label',
    }),
  ),
  ...goods,
  sender: dualSender,
  receiver: dualReceiver,
  invoice: dualInvoice,
  carriers: part('The carriers of both legs', {
    international: part('Carrier of the international leg', {
      id: text('Carrier id of the international leg', {
        sample: 'EXP',
        flag: '--international <carrier>',
        group: CARRIER,
      }),
    }),
    domestic: part('Carrier of the domestic leg', {
      id: text('Carrier id of the domestic leg', {
        sample: 'DOM',
        flag: '--domestic <carrier>',
        group: CARRIER,
      }),
    }),
  }),
}));

const STATUS = `such as ${SHOWN_MILESTONES.join(' or ')}; other values exist`;

const status = () =>
  anyList(
    'Status history',
    anyPart('A status of the shipment', {
      status: anyText(`Status, ${STATUS}`),
      date: timestamp('When the status began'),
      milestone: anyText(`Milestone, ${STATUS}`),
    }),
  );

const place = (description: string) =>
  anyPart(description, { country: anyText('Country'), city: anyText('City') });

const carrierName = () => anyText('Name of the carrier');
const currency = () => anyText('Currency of the price');
const success = () => flag('Did the request succeed?');
const created = () => timestamp('When it was created');

export const shipmentAnswer = loose(() => ({
  id: text('Shipment id'),
  carrier: anyPart('The carrier and its price', {
    id: anyText('Carrier id'),
    name: carrierName(),
    price: anyNumber('Price'),
    currency: currency(),
  }),
  sender: place('Where it is sent from'),
  receiver: place('Where it is sent to'),
  chargeableWeight: anyNumber('Total billable weight'),
  status: status(),
  createdAt: created(),
}));

const label = () => ({
  success: flag('Was the label made?'),
  operation: anyText('What was done with the label, such as create'),
  carrier: anyText('Carrier that made the label'),
  trackingNumber: anyText('Tracking number'),
});
const link = () => text('Link to the label, a PDF');

const leg = <T extends ReturnType<typeof label>>(description: string, labelFields: T) =>
  anyPart(description, {
    shipment: anyPart('The shipment of this leg', {
      id: text('Shipment id of this leg'),
      carrier: anyPart('Carrier of this leg', { id: anyText('Carrier id'), name: carrierName() }),
      createdAt: created(),
    }),
    label: optional(anyPart('Label of this leg, if one was asked for', labelFields)),
  });

export const dualShipmentAnswer = loose(() => ({
  success: success(),
  international: leg('The international leg', { ...label(), labelPdf: link() }),
  domestic: leg('The domestic leg', label()),
}));

const SHIPMENTS = 'Shipments:';

export const labelsBody = strict(() => ({
  domestic: optional(text('Domestic shipment id', { flag: '--domestic <shipment>', group: SHIPMENTS })),
  international: optional(
    text('International shipment id', {
      sample: 'SHIPMENT_ID',
      flag: '--international <shipment>',
      group: SHIPMENTS,
    }),
  ),
}));

export const labelsAnswer = loose(() => ({
  success: success(),
  international: optional(anyPart('Label of the international leg', { ...label(), label: link() })),
  domestic: optional(anyPart('Label of the domestic leg', label())),
}));

// The document: the numeric values of packages "are rendered as strings".
const packed = () =>
  anyList(
    'Packages, in groups of equal pieces',
    anyPart('Equal pieces', {
      quantity: anyText('Number of pieces, as text'),
      weight: anyText('Weight, as text'),
      dimensions: anyPart('Dimensions of a piece', {
        width: anyText('Width, as text'),
        length: anyText('Length, as text'),
        height: anyText('Height, as text'),
      }),
    }),
  );

const tracking = () =>
  anyPart('Tracking of the parcel', {
    trackingNumber: anyText('Tracking number'),
    events: anyList(
      'Tracking events',
      anyPart('A tracking event', {
        status: anyText('Status, such as a capitalised delivered text'),
        description: anyText('What happened'),
        location: anyText('Where it happened'),
        // Unlike the dates of `status`, the document does not say how this one is written.
        date: anyText('When it happened; the service document does not show how it is written'),
        milestone: anyText(`Milestone, ${STATUS}`),
      }),
    ),
  });

const names = () => ({ firstName: anyText('First name'), lastName: anyText('Last name') });
const city = () => anyText('City');

const detail = (receiverPlace: () => Fields) =>
  loose(() => ({
    id: text('Shipment id'),
    carrier: anyPart('The carrier and its price', {
      name: carrierName(),
      // The document types a price as a number elsewhere and does not say whether it is among those strings.
      price: about('Price, as a number or as text', z.union([z.number(), z.string()])),
      currency: currency(),
    }),
    packages: packed(),
    status: status(),
    tracking: tracking(),
    sender: anyPart('Who sends', { ...names(), city: city() }),
    receiver: anyPart('Who receives', { ...names(), ...receiverPlace() }),
  }));

export const shipmentDetail = detail(() => ({ country: anyText('Country') }));
export const domesticShipmentDetail = detail(() => ({ city: city() }));

/** What an answer must have: without its id it may be the record of anything. */
export const shipmentNeeded = loose({ id: readId });

/** At least one of the legs. */
const someLeg = (needed: z.ZodMiniType) =>
  z.union([loose({ international: needed }), loose({ domestic: needed })]);

export const pairNeeded = someLeg(loose({ shipment: shipmentNeeded }));
export const labelsNeeded = someLeg(loose({}));
