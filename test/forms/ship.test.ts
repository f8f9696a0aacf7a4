import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, BOOK, ids, SHIPMENT_BODY } from '../rig/person.ts';
import { bodyOf, PROPOSALS, sent } from '../rig/service.ts';

test('a person with nothing but a terminal books a whole shipment, in the order in which a person thinks', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', BOOK);

  expect(ran.exitCode).toBe(0);
  expect(sent(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
  expect(ids(ran)).toEqual(Object.keys(BOOK));
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});
