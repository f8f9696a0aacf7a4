// The form in plain lines, for screen readers and dumb terminals.
import { expect, test } from 'vitest';
import { builtCommand, createWorld } from '../rig/process.ts';
import type { Screen } from '../rig/terminal.ts';
import { BODY, booked, broken, formIn, KEEP, REVIEW, SHIPMENT, type Step } from './form-rig.ts';

const command = builtCommand();

/** Answers as who listens does: a list by the number that was read out, a country by its code. */
async function answer(at: Screen, { message, typed, picked }: Step): Promise<void> {
  const isList = picked !== undefined && typed === '';
  const asked =
    picked === undefined ? '' : isList ? '\\n[^]*\\nNumber' : ' \\(part of its name, or its code\\)';
  // What is asked is the last thing that was said, and nothing is typed behind it.
  await at.waitFor(
    new RegExp(`(^|\\n)${broken(message)}${asked} \\(< (?:back|leave)\\)( \\[[^\\n]*\\])?:?$`),
  );
  if (!isList) return at.type(`${/\((..)\)$/.exec(picked ?? '')?.[1] ?? typed}\r`);
  const [number] =
    at
      .screen()
      .split('\n')
      .findLast(line => line.includes(`) ${picked}`))
      ?.split(')') ?? [];
  at.type(`${number}\r`);
}

test.each([[{ TERM: 'dumb' }], [{ NO_COLOR: '1' }], [{ WAYBILL_ACCESSIBLE: '1' }]])(
  'the form asks for a shipment in plain lines, allows going back, and redraws nothing with %o',
  async env => {
    const world = await createWorld();
    const at = formIn(world, command(), 'ship', { env, columns: 200 });
    const [first, second, ...rest] = SHIPMENT as [Step, Step, ...Step[]];
    await answer(at, first);
    await answer(at, { ...second, typed: '<' });
    for (const step of [first, second, ...rest, REVIEW, KEEP]) await answer(at, step);
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    expect(booked(world)).toEqual([BODY]);
    expect(at.raw()).not.toContain('\x1b');
  },
);

test('Ctrl-C leaves a plain form, which can be continued', async () => {
  const world = await createWorld();
  const [first, second, third] = SHIPMENT as [Step, Step, Step];
  const env = { TERM: 'dumb' };
  const at = formIn(world, command(), 'ship', { env, columns: 200 });
  await answer(at, first);
  await answer(at, second);
  await at.waitFor(/kilograms \(< back\):$/);
  at.key('ctrl-c');
  expect(await at.ended).toMatchObject({ exitCode: 130 });
  expect(at.screen()).toContain('`waybill ship --draft` continues it');
  const again = formIn(world, command(), 'ship --draft', { env, columns: 200 });
  await answer(again, third);
  expect(again.screen()).not.toContain(first.message);
});
