// Going away from the form, in every way and at every question, and going on with it.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand, createWorld, type World } from '../rig/process.ts';
import type { Screen } from '../rig/terminal.ts';
import { FULL } from '../torture/size.ts';
import { answerAll, BODY, booked, formIn, isAsked, KEEP, REVIEW, SHIPMENT, type Step } from './form-rig.ts';

const command = builtCommand();
const GO_ON = 'Your answers are saved in a draft: `waybill ship --draft` continues it';
const EVERY = [...SHIPMENT, REVIEW];

/** The cursor is to be seen, pastes come as they are typed, and it is no other screen. */
function isLeftAsItWas(at: Screen): void {
  const raw = at.raw();
  for (const [on, off] of [
    ['\x1b[?25h', '\x1b[?25l'],
    ['\x1b[?2004l', '\x1b[?2004h'],
  ] as const)
    expect(raw.lastIndexOf(on)).toBeGreaterThanOrEqual(raw.lastIndexOf(off));
  expect(raw).not.toMatch(/\x1b\[\?(47|1047|1049)h/);
}

const ITEMS_AT = EVERY.findIndex(({ message }) => message === 'Why it is shipped');
const { type, packages, sender, receiver } = BODY;

test.each([
  ['from an empty sheet to the receiver', undefined, EVERY.slice(0, ITEMS_AT), EVERY.slice(ITEMS_AT)],
  ['from there to the review', { type, packages, sender, receiver }, EVERY.slice(ITEMS_AT), []],
])(
  `Ctrl-C leaves the form at ${FULL ? 'each question' : 'questions'} %s, and no answer is lost`,
  async (_, given, steps, rest) => {
    const world = await createWorld();
    if (given) writeFileSync(join(world.folder, 'begun.json'), JSON.stringify(given));
    const begin = given ? 'ship -f begun.json' : 'ship';
    let answered = 0;
    for (const [index, step] of steps.entries()) {
      // At the first three a draft begins.
      if (!FULL && index > 2 && index % 9 !== 0 && index < steps.length - 1) continue;
      // Without an answer there is nothing to go on with.
      const at = formIn(world, command(), index < 2 ? begin : 'ship --draft', {
        settings: true,
        columns: 200,
      });
      await answerAll(at, steps.slice(answered, index));
      answered = index;
      await isAsked(at, step);
      at.key('ctrl-c');
      expect(await at.ended, step.message).toMatchObject({ exitCode: 130 });
      isLeftAsItWas(at);
      const lines = at.screen().split('\n');
      expect(lines[0]).toMatch(/^[\da-f]+:[\da-f:]+$/);
      expect(lines.at(-1)).toBe(lines[0]);
      expect(lines.at(-2)).toContain(index === 0 ? 'nothing was sent' : GO_ON);
    }
    const last = formIn(world, command(), 'ship --draft');
    await answerAll(last, [...steps.slice(-1), ...rest, KEEP]);
    expect(await last.ended).toMatchObject({ exitCode: 0 });
    expect(booked(world)).toEqual([BODY]);
  },
);

describe('in the middle of it', () => {
  const [first, second, third] = SHIPMENT as [Step, Step, Step];

  /** Two questions are answered and the third is asked. */
  async function begun(): Promise<{ world: World; at: Screen }> {
    const world = await createWorld();
    const at = formIn(world, command(), 'ship', { columns: 200 });
    await answerAll(at, [first, second]);
    await isAsked(at, third);
    return { world, at };
  }

  async function goesOn(world: World): Promise<void> {
    const again = formIn(world, command(), 'ship --draft');
    await isAsked(again, third);
    expect(again.screen()).not.toContain(second.message);
    expect(world.seen).toEqual([]);
  }

  test('Ctrl-D leaves like Ctrl-C', async () => {
    const { world, at } = await begun();
    at.key('ctrl-d');
    expect(await at.ended).toMatchObject({ exitCode: 130 });
    expect(at.screen()).toContain(GO_ON);
    isLeftAsItWas(at);
    await goesOn(world);
  });

  test('a SIGTERM ends the form with exit 143, and names the command to continue', async () => {
    const { world, at } = await begun();
    at.kill('SIGTERM');
    expect(await at.ended).toMatchObject({ exitCode: 143 });
    expect(at.screen()).toContain('stopped by SIGTERM');
    expect(at.screen()).toContain(GO_ON);
    isLeftAsItWas(at);
    await goesOn(world);
  });

  test('a SIGKILL loses no answer', async () => {
    const { world, at } = await begun();
    at.kill('SIGKILL');
    expect(await at.ended).toMatchObject({ signal: 9 });
    await goesOn(world);
  });

  test('a closed window ends the form, and no answer is lost', async () => {
    const { world, at } = await begun();
    at.hangUp();
    await at.ended;
    await goesOn(world);
  });

  test('an unfinished answer is not saved', async () => {
    const { world, at } = await begun();
    at.type('12');
    await isAsked(at, { ...third, message: `${third.message} (esc back) 12` });
    at.key('ctrl-c');
    expect(await at.ended).toMatchObject({ exitCode: 130 });
    await goesOn(world);
  });
});

test('Ctrl-C after the booking is no failure and leaves no draft', async () => {
  const world = await createWorld();
  const at = formIn(world, command());
  await answerAll(at, [...SHIPMENT, REVIEW]);
  await isAsked(at, KEEP);
  at.key('ctrl-c');
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  isLeftAsItWas(at);
  expect(readdirSync(join(world.folder, 'state/drafts'))).toEqual([]);
});
