import * as z from 'zod/mini';
import { category, customs, deliveryType, items, packages, type } from './goods.ts';
import { dualInvoice, dualReceiver, dualSender, invoice, receiver, sender } from './parties.ts';
import {
  about,
  amount,
  anyList,
  anyNumber,
  anyText,
  flag,
  loose,
  optional,
  strict,
  text,
  timestamp,
} from './shapes.ts';

// Service document §2.1, §2.2, §4.1, §4.2, §4.5 to §4.7: bodies and answers of shipments and labels.

const goods = { type, category, deliveryType, packages, items, customs };

export const shipmentBody = strict({
  ...goods,
  sender,
  receiver,
  invoice,
  chargeableWeight: amount('Total billable weight in kilograms'),
  carrier: about('The carrier of the shipment', strict({ id: text('Carrier id, as a proposal gives it') })),
});

export const dualShipmentBody = strict({
  label: optional(flag('Make the carrier labels in the same call (needs scope shipment:label)')),
  ...goods,
  sender: dualSender,
  receiver: dualReceiver,
  invoice: dualInvoice,
  carriers: about(
    'The carriers of both legs',
    strict({
      international: about(
        'Carrier of the international leg',
        strict({ id: text('Carrier id of the international leg') }),
      ),
      domestic: about('Carrier of the domestic leg', strict({ id: text('Carrier id of the domestic leg') })),
    }),
  ),
});

const STATUS = 'such as pending_arrival_at_warehouse or delivered; other values exist';

const status = anyList(
  'Status history',
  about(
    'A status of the shipment',
    loose({
      status: anyText(`Status, ${STATUS}`),
      date: timestamp('When the status began'),
      milestone: anyText(`Milestone, ${STATUS}`),
    }),
  ),
);

const place = (description: string) =>
  about(description, loose({ country: anyText('Country'), city: anyText('City') }));

const carrierName = anyText('Name of the carrier');
const currency = anyText('Currency of the price');
const success = flag('Did the request succeed?');
const created = timestamp('When it was created');

export const shipmentAnswer = loose({
  id: text('Shipment id'),
  carrier: about(
    'The carrier and its price',
    loose({ id: anyText('Carrier id'), name: carrierName, price: anyNumber('Price'), currency }),
  ),
  sender: place('Where it is sent from'),
  receiver: place('Where it is sent to'),
  chargeableWeight: anyNumber('Total billable weight'),
  status,
  createdAt: created,
});

const label = {
  success: flag('Was the label made?'),
  operation: anyText('What was done with the label, such as create'),
  carrier: anyText('Carrier that made the label'),
  trackingNumber: anyText('Tracking number'),
};
const link = text('Link to the label, a PDF');

const leg = (description: string, labelFields: z.ZodMiniType) =>
  about(
    description,
    loose({
      shipment: about(
        'The shipment of this leg',
        loose({
          id: text('Shipment id of this leg'),
          carrier: about('Carrier of this leg', loose({ id: anyText('Carrier id'), name: carrierName })),
          createdAt: created,
        }),
      ),
      label: optional(about('Label of this leg, if one was asked for', labelFields)),
    }),
  );

export const dualShipmentAnswer = loose({
  success,
  international: leg('The international leg', loose({ ...label, labelPdf: link })),
  domestic: leg('The domestic leg', loose(label)),
});

export const labelsBody = strict({
  domestic: optional(text('Domestic shipment id')),
  international: optional(text('International shipment id')),
});

export const labelsAnswer = loose({
  success,
  international: optional(about('Label of the international leg', loose({ ...label, label: link }))),
  domestic: optional(about('Label of the domestic leg', loose(label))),
});

// The document: the numeric values of packages "are rendered as strings".
const packed = anyList(
  'Packages, in groups of equal pieces',
  about(
    'Equal pieces',
    loose({
      quantity: anyText('Number of pieces, as text'),
      weight: anyText('Weight, as text'),
      dimensions: about(
        'Dimensions of a piece',
        loose({
          width: anyText('Width, as text'),
          length: anyText('Length, as text'),
          height: anyText('Height, as text'),
        }),
      ),
    }),
  ),
);

const tracking = about(
  'Tracking of the parcel',
  loose({
    trackingNumber: anyText('Tracking number'),
    events: anyList(
      'Tracking events',
      about(
        'A tracking event',
        loose({
          status: anyText('Status, such as a capitalised delivered text'),
          description: anyText('What happened'),
          location: anyText('Where it happened'),
          // Unlike the dates of `status`, the document does not say how this one is written.
          date: anyText('When it happened; the service document does not show how it is written'),
          milestone: anyText(`Milestone, ${STATUS}`),
        }),
      ),
    ),
  }),
);

const names = { firstName: anyText('First name'), lastName: anyText('Last name') };
const city = anyText('City');

const detail = (receiverPlace: { country: typeof city } | { city: typeof city }) =>
  loose({
    id: text('Shipment id'),
    carrier: about(
      'The carrier and its price',
      loose({
        name: carrierName,
        // The document types a price as a number elsewhere and does not say whether it is among those strings.
        price: about('Price, as a number or as text', z.union([z.number(), z.string()])),
        currency,
      }),
    ),
    packages: packed,
    status,
    tracking,
    sender: about('Who sends', loose({ ...names, city })),
    receiver: about('Who receives', loose({ ...names, ...receiverPlace })),
  });

export const shipmentDetail = detail({ country: anyText('Country') });
export const domesticShipmentDetail = detail({ city });
