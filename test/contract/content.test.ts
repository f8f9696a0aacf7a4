import { expect, test } from 'vitest';
import { contentOf } from '../../src/contract/content.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { getAt } from '../../src/contract/paths.ts';

const { createDualShipment } = OPERATIONS;

// That what is inside an envelope is read, for every operation, is in dialects.test.ts and test/service/outcome.test.ts.
test('a leg without its "shipment" is read as if it had one', () => {
  const leg = { id: 'I1', carrier: { id: 'EXP' }, label: { success: true } };
  const { value, moved } = contentOf(createDualShipment, { international: leg });
  expect(value).toEqual({ international: { ...leg, shipment: leg } });
  expect(moved).toEqual([{ path: 'international.shipment.id', found: 'international.id' }]);
  const apart = { international: { id: 'I1', shipment: { carrier: { id: 'EXP' } } } };
  expect(contentOf(createDualShipment, apart).value).toEqual({
    international: { id: 'I1', shipment: { id: 'I1', carrier: { id: 'EXP' } } },
  });
  // One leg as the document shows it, and one without.
  const both = { result: { international: { shipment: { id: 'I1' } }, domestic: { id: 'D1' } } };
  const { value: content } = contentOf(createDualShipment, both);
  const ids = Object.values(createDualShipment.made.ids).map(path => getAt(content, path));
  expect(ids).toEqual(['I1', 'D1']);
});

test('a leg has its label beside its shipment, or in one with it', () => {
  const label = { trackingNumber: 'T1', labelPdf: '/T1.pdf', success: true };
  const beside = { shipment: { id: 'I1' }, ...label };
  const legOf = (leg: object) =>
    getAt(contentOf(createDualShipment, { international: leg }).value, ['international']);
  expect(legOf(beside)).toMatchObject({ shipment: { id: 'I1' }, label });
  expect(legOf({ id: 'I1', ...label })).toMatchObject({ shipment: { id: 'I1' }, label });
  expect(legOf({ id: 'I1', label: '/T1.pdf' })).toMatchObject({ label: { label: '/T1.pdf' } });
  expect(legOf({ ...beside, label: { trackingNumber: 'T1' } })).toMatchObject({
    label: { trackingNumber: 'T1', labelPdf: '/T1.pdf' },
  });
  // A number alone is no label: the shipment may have it before.
  expect(legOf({ id: 'I1', trackingNumber: 'T1', success: true })).not.toHaveProperty('label');
});
