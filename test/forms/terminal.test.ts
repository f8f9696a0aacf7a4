// One form at a real terminal, in each run of the tests; its other keys, streams and ends are in test/built/form.test.ts.
import { expect, test } from 'vitest';
import {
  ASKED,
  answerAll,
  booked,
  formIn,
  isAsked,
  KEEP,
  moveTo,
  REVIEW,
  type Step,
} from '../built/form-rig.ts';
import { SHIPMENT_BODY } from '../rig/person.ts';
import { builtCommand, createWorld } from '../rig/process.ts';

const command = builtCommand();
const [first] = ASKED as readonly [Step, ...Step[]];

test('a person completes a shipment on a small terminal whose size changes, reviews it and books it', async () => {
  const world = await createWorld();
  const at = formIn(world, command(), undefined, { columns: 100, rows: 30 });
  await isAsked(at, first);
  at.resize(40, 15);
  await answerAll(at, ASKED, { rows: 15 });
  await isAsked(at, REVIEW);
  // More lines than the terminal has.
  await moveTo(at, 'What', { key: 'up', rows: 15 });
  await moveTo(at, 'Discard', { rows: 15 });
  await moveTo(at, 'Book it', { key: 'up', rows: 15 });
  await answerAll(at, [REVIEW, KEEP]);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(booked(world)).toEqual([SHIPMENT_BODY]);
  expect(at.screen()).toMatch(/^Shipment +shp_\w+$/m);
  // Node warns of listeners that eleven questions would leave behind.
  expect(at.screen()).not.toMatch(/warning/i);
});
