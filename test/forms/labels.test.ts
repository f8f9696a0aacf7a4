import { expect, test } from 'vitest';
import { bodyOf } from '../../src/contract/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { inWords } from '../../src/forms/engine/labels.ts';
import { SHIPMENT_GROUPS, shipmentLabel } from '../../src/forms/shipment-fields.ts';

const FORM = {
  schema: bodyOf(OPERATIONS.createShipment),
  groupNames: SHIPMENT_GROUPS,
  labelAt: shipmentLabel,
};

test.each([
  ['items[1].hsCode is "x", which is not one', 'Item 2: HS code is "x", which is not one'],
  ['packages[0].dimensions.height must be above 0', 'Package 1: Height in cm must be above 0'],
  [
    'receiver has letters that are not Latin, which labels may not print, in firstName, address.city',
    'receiver has letters that are not Latin, which labels may not print, in Receiver: First name, Receiver: City',
  ],
  [
    'chargeableWeight is 1, but the packages weigh 2 kg',
    'Total billable weight in kilograms is 1, but the packages weigh 2 kg',
  ],
  [
    'ECO (economy, 5-7 days, 10.70 EUR): customs.iossNumber is required, and no setting says more',
    'ECO (economy, 5-7 days, 10.70 EUR): IOSS number is required, and no setting says more',
  ],
])('A form says of %j: %j', (sentence, words) => {
  expect(inWords(FORM, sentence, {})).toBe(words);
});

test.each([
  'The type of label is not known',
  'at "receiver.email" of api.example.com',
  'packages has 2 documents',
  '',
])('What is not the path of a field stays: %j', sentence => {
  expect(inWords(FORM, sentence, {})).toBe(sentence);
});
