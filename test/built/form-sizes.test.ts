// The form in terminals of every size.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { builtCommand, createWorld } from '../rig/process.ts';
import type { Screen } from '../rig/terminal.ts';
import { sampled } from '../torture/size.ts';
import {
  answerAll,
  BODY,
  booked,
  formIn,
  give,
  isAsked,
  KEEP,
  moveTo,
  REVIEW,
  SHIPMENT,
} from './form-rig.ts';

const command = builtCommand();

/** What stands on the screen, however it is broken into lines, from the first question to the booking. */
const transcript = (at: Screen): string =>
  at
    .screen()
    .replace(/\s/g, '')
    .replace(/shp_\w{16}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'HERE')
    .replace(/127\.0\.0\.1:\d+/g, 'HERE');

describe('on a terminal of', () => {
  const shown: string[] = [];

  test.each(
    sampled(
      [
        [200, 24],
        [200, 15],
        [40, 24],
        [40, 15],
      ] as const,
      3,
    ),
  )('%i × %i the form asks the same questions and books the same', async (columns, rows) => {
    const world = await createWorld();
    const at = formIn(world, command(), 'ship', { columns, rows });
    await answerAll(at, SHIPMENT, { rows });
    await isAsked(at, REVIEW);
    // More lines than the small ones have.
    await moveTo(at, 'What', { key: 'up', rows });
    await moveTo(at, 'Discard', { rows });
    await moveTo(at, 'Book it', { key: 'up', rows });
    await answerAll(at, [REVIEW, KEEP]);
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    expect(booked(world)).toEqual([BODY]);
    shown.push(transcript(at));
    expect(shown.at(-1)).toBe(shown[0]);
  });
});

const SIZES = [
  [40, 15],
  [120, 40],
  [60, 20],
] as const;

test('the terminal may change its size at any question', async () => {
  const world = await createWorld();
  const at = formIn(world, command(), 'ship', { columns: 100, rows: 30 });
  for (const [index, step] of [...SHIPMENT, REVIEW, KEEP].entries()) {
    await isAsked(at, step);
    at.resize(...(SIZES[index % SIZES.length] as [number, number]));
    // The program learns it by a signal.
    await delay(20);
    await give(at, step);
  }
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(booked(world)).toEqual([BODY]);
});
