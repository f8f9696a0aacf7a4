import * as z from 'zod/mini';
import { category, customs, deliveryType, items, packages, type } from './goods.ts';
import { dualInvoice, dualReceiver, dualSender, invoice, receiver, sender } from './parties.ts';
import { amount, flag, loose, optional, strict, text, timestamp } from './shapes.ts';

// Service document §2.1, §2.2, §4.1, §4.2, §4.5 to §4.7: bodies and answers of shipments and labels.

const goods = { type, category, deliveryType, packages, items, customs };

export const shipmentBody = strict({
  ...goods,
  sender,
  receiver,
  invoice,
  chargeableWeight: amount('Total billable weight in kilograms'),
  carrier: strict({ id: text('Carrier id, as a proposal gives it') }),
});

export const dualShipmentBody = strict({
  label: optional(flag('Make the carrier labels in the same call (needs scope shipment:label)')),
  ...goods,
  sender: dualSender,
  receiver: dualReceiver,
  invoice: dualInvoice,
  carriers: strict({
    international: strict({ id: text('Carrier id of the international leg') }),
    domestic: strict({ id: text('Carrier id of the domestic leg') }),
  }),
});

const plain = z.string();

const status = z.array(
  loose({
    status: plain,
    date: timestamp('When'),
    milestone: plain,
  }),
);

export const shipmentAnswer = loose({
  id: text('Shipment id'),
  carrier: loose({ id: plain, name: plain, price: z.number(), currency: plain }),
  sender: loose({ country: plain, city: plain }),
  receiver: loose({ country: plain, city: plain }),
  chargeableWeight: z.number(),
  status,
  createdAt: timestamp('When it was created'),
});

const leg = (labelFields: z.ZodMiniType) =>
  loose({
    shipment: loose({
      id: text('Shipment id of this leg'),
      carrier: loose({ id: plain, name: plain }),
      createdAt: timestamp('When it was created'),
    }),
    label: optional(labelFields),
  });

const label = { success: z.boolean(), operation: plain, carrier: plain, trackingNumber: plain };

export const dualShipmentAnswer = loose({
  success: z.boolean(),
  international: leg(loose({ ...label, labelPdf: text('Link to the label, a PDF') })),
  domestic: leg(loose(label)),
});

export const labelsBody = strict({
  domestic: optional(text('Domestic shipment id')),
  international: optional(text('International shipment id')),
});

export const labelsAnswer = loose({
  success: z.boolean(),
  international: optional(loose({ ...label, label: text('Link to the label, a PDF') })),
  domestic: optional(loose(label)),
});

// The document: the numeric values of packages "are rendered as strings".
const detail = (receiverPlace: 'country' | 'city') =>
  loose({
    id: text('Shipment id'),
    // The document types a price as a number elsewhere and does not say whether it is among those strings.
    carrier: loose({ name: plain, price: z.union([z.number(), plain]), currency: plain }),
    packages: z.array(
      loose({
        quantity: plain,
        weight: plain,
        dimensions: loose({ width: plain, length: plain, height: plain }),
      }),
    ),
    status,
    tracking: loose({
      trackingNumber: plain,
      events: z.array(
        loose({
          status: plain,
          description: plain,
          location: plain,
          // Unlike the dates of `status`, the document does not say how this one is written.
          date: plain,
          milestone: plain,
        }),
      ),
    }),
    sender: loose({ firstName: plain, lastName: plain, city: plain }),
    receiver: loose({ firstName: plain, lastName: plain, [receiverPlace]: plain }),
  });

export const shipmentDetail = detail('country');
export const domesticShipmentDetail = detail('city');
