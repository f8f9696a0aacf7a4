// The answers of the service, as its document shows them: `waybill schema` publishes these schemas, but a command demands less of an
// answer. The document says that its lists of fields are not complete.

import * as z from 'zod/mini';
import type { OperationId } from '../contract/operations.ts';
import { SHOWN_MILESTONES } from '../contract/read.ts';
import {
  about,
  anyText,
  type Fields,
  loose,
  optional,
  requiredText,
  type Schema,
  trueOrFalse,
} from '../contract/shapes.ts';
import { DELIVERY_RETRIES, HEADER, retryPolicy } from '../contract/subscriptions.ts';

const anyNumber = (description: string) => about(description, z.number());

/** A list in an answer, which may be empty. */
const anyList = <T extends Schema>(description: string, element: T) => about(description, z.array(element));

/** An object in an answer, with some of its fields. */
const anyPart = <T extends Fields>(description: string, fields: T | (() => T)) =>
  about(description, loose(fields));

const timestamp = (description: string) => about(description, z.iso.datetime({ offset: true }));

const proposalAnswer = loose(() => ({
  proposals: anyList(
    'Proposals for these packages',
    anyPart('What a carrier proposes', {
      id: anyText('Carrier id'),
      name: anyText('Name of the carrier'),
      serviceType: anyText('Service type, such as economy or express; other values exist'),
      isValid: trueOrFalse('Can it be booked for these packages?'),
      deliveryTime: anyText('Delivery time, a range of days'),
      currency: currency(),
      price: anyNumber('Price'),
      kg: anyNumber('Kilograms; the service document does not say of what'),
    }),
  ),
  chargeableWeight: anyNumber('Chargeable weight'),
}));

const ratesAnswer = loose(() => ({
  success: trueOrFalse('Did it succeed?'),
  proposals: anyList(
    'Rates for these packages',
    anyPart('The rate of a company', {
      companyId: anyText('Company id; it may not be a carrier id'),
      companyName: anyText('Name of the company'),
      serviceType: anyText('Service type, capitalised'),
      deliveryTime: anyText('Delivery time, a range'),
      price: anyText('Price, a decimal as text'),
      currency: currency(),
      data: anyPart('The data of the request', {}),
    }),
  ),
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

const cityAndCountry = (description: string) =>
  anyPart(description, { country: anyText('Country'), city: anyText('City') });

const carrierName = () => anyText('Name of the carrier');
const currency = () => anyText('Currency of the price');
const success = () => trueOrFalse('Did the request succeed?');
const created = () => timestamp('When it was created');

const shipmentAnswer = loose(() => ({
  id: requiredText('Shipment id'),
  carrier: anyPart('The carrier and its price', {
    id: anyText('Carrier id'),
    name: carrierName(),
    price: anyNumber('Price'),
    currency: currency(),
  }),
  sender: cityAndCountry('Where it is sent from'),
  receiver: cityAndCountry('Where it is sent to'),
  chargeableWeight: anyNumber('Chargeable weight'),
  status: status(),
  createdAt: created(),
}));

const labelOfLeg = () => ({
  success: trueOrFalse('Was the label made?'),
  operation: anyText('What was done with the label, such as create'),
  carrier: anyText('Carrier that made the label'),
  trackingNumber: anyText('Tracking number'),
});
const link = () => requiredText('Link to the label, a PDF');

const leg = <T extends ReturnType<typeof labelOfLeg>>(description: string, labelFields: T) =>
  anyPart(description, {
    shipment: anyPart('The shipment of this leg', {
      id: requiredText('Shipment id of this leg'),
      carrier: anyPart('Carrier of this leg', { id: anyText('Carrier id'), name: carrierName() }),
      createdAt: created(),
    }),
    label: optional(anyPart('Label of this leg, if one was asked for', labelFields)),
  });

const dualShipmentAnswer = loose(() => ({
  success: success(),
  international: leg('The international leg', { ...labelOfLeg(), labelPdf: link() }),
  domestic: leg('The domestic leg', labelOfLeg()),
}));

const labelsAnswer = loose(() => ({
  success: success(),
  international: optional(anyPart('Label of the international leg', { ...labelOfLeg(), label: link() })),
  domestic: optional(anyPart('Label of the domestic leg', labelOfLeg())),
}));

// The numbers of packages are text: the document says that they "are rendered as strings".
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
        // The document shows how the dates of `status` are written, but not how this date is written.
        date: anyText('When it happened; the service document does not show how it is written'),
        milestone: anyText(`Milestone, ${STATUS}`),
      }),
    ),
  });

const namesShown = () => ({ firstName: anyText('First name'), lastName: anyText('Last name') });
const city = () => anyText('City');

const detailFields = (receiverPlace: () => Fields) =>
  loose(() => ({
    id: requiredText('Shipment id'),
    carrier: anyPart('The carrier and its price', {
      name: carrierName(),
      // In other places the document has a price as a number. It does not say whether this price is one of the strings.
      price: about('Price, as a number or as text', z.union([z.number(), z.string()])),
      currency: currency(),
    }),
    packages: packed(),
    status: status(),
    tracking: tracking(),
    sender: anyPart('Who sends', { ...namesShown(), city: city() }),
    receiver: anyPart('Who receives', { ...namesShown(), ...receiverPlace() }),
  }));

const shipmentDetail = detailFields(() => ({ country: anyText('Country') }));
const domesticShipmentDetail = detailFields(() => ({ city: city() }));

const subscription = () => ({
  id: requiredText('Subscription id'),
  url: anyText('HTTPS address of the deliveries'),
  events: anyList('Event types to deliver', anyText('Event type')),
  headers: optional(about('Headers of the deliveries', z.record(z.string(), anyText(HEADER)))),
  retryPolicy: optional(anyPart(DELIVERY_RETRIES, retryPolicy)),
  isActive: trueOrFalse('Is it active? A new subscription is'),
  createdAt: timestamp('When it was created'),
});

const subscriptionCreated = loose(() => ({
  success: trueOrFalse('Did it succeed?'),
  data: anyPart('The subscription', {
    ...subscription(),
    secret: requiredText('Generated by the service; given in this answer only'),
    token: requiredText('Generated by the service; given in this answer only'),
  }),
}));

const subscriptionRead = loose(() => ({
  success: trueOrFalse('Did it succeed?'),
  data: anyPart('The subscription, without secret and token', {
    ...subscription(),
    updatedAt: timestamp('When it was last changed'),
  }),
}));

/** The answer of each operation. */
export const ANSWERS: Readonly<Record<OperationId, Schema>> = {
  proposal: proposalAnswer,
  rates: ratesAnswer,
  createShipment: shipmentAnswer,
  createDualShipment: dualShipmentAnswer,
  createLabels: labelsAnswer,
  getShipment: shipmentDetail,
  getDomesticShipment: domesticShipmentDetail,
  createSubscription: subscriptionCreated,
  getSubscription: subscriptionRead,
};
