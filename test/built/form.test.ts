// The form at a real terminal: its keys, sizes and streams, and every way to leave it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand, createWorld, start, type World } from '../rig/process.ts';
import { type OpenOptions, open, type Screen } from '../rig/terminal.ts';
import {
  answer,
  answerAll,
  answerPlainly,
  BODY,
  booked,
  find,
  formIn,
  give,
  isAsked,
  KEEP,
  moveTo,
  pick,
  REVIEW,
  SHIPMENT,
  type Step,
  text,
} from './form-rig.ts';

const command = builtCommand();
// Ctrl-U empties the line.
const ERASE = '\x15';
const [first, second, third] = SHIPMENT as [Step, Step, Step];

test('a person types a shipment on a small terminal, reviews it line by line and books it', async () => {
  const world = await createWorld();
  const at = formIn(world, command(), 'ship', { columns: 40, rows: 15 });
  await answerAll(at, SHIPMENT, { rows: 15 });
  await isAsked(at, REVIEW);
  // More lines than the terminal has.
  await moveTo(at, 'What', { key: 'up', rows: 15 });
  await moveTo(at, 'Discard', { rows: 15 });
  await moveTo(at, 'Book it', { key: 'up', rows: 15 });
  await answerAll(at, [REVIEW, KEEP]);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(booked(world)).toEqual([BODY]);
  expect(at.screen()).toMatch(/^Shipment +shp_\w+$/m);
  // Node warns of listeners that forty questions would leave behind.
  expect(at.screen()).not.toMatch(/warning/i);
});

const SIZES = [
  [40, 15],
  [120, 40],
  [60, 20],
] as const;

test('the terminal may change its size at any question; Esc goes back, and lines of the review are changed', async () => {
  const world = await createWorld();
  const at = formIn(world, command(), 'ship', { columns: 100, rows: 30 });
  const emailAt = SHIPMENT.findIndex(({ message }) => message === 'Sender: E-mail address');
  for (const [index, step] of SHIPMENT.slice(0, emailAt).entries()) {
    await isAsked(at, step);
    at.resize(...(SIZES[index % SIZES.length] as [number, number]));
    await give(at, step);
  }
  at.resize(100, 30);

  // A doubtful answer is kept by Enter alone.
  const email = text('Sender: E-mail address');
  await isAsked(at, email);
  at.type('ada@@example.com');
  at.key('enter');
  await at.waitFor('> This is not an e-mail address. A right one looks like this: anna@example.com. Enter');
  at.key('enter');
  await at.waitFor('✔ Sender: E-mail address ada@@example.com');
  await isAsked(at, { ...find('Sender: Country', '', ''), picked: '' });
  at.key('esc');
  await isAsked(at, text('Sender: E-mail address (esc back) (ada@@example.com)'));
  await answerAll(at, SHIPMENT.slice(emailAt));

  await answer(at, { ...REVIEW, picked: 'Packages' }, { key: 'up' });
  await answer(at, pick('Packages', 'Package 2'), { key: 'up' });
  await answer(at, pick('Package 2', 'Weight'), { key: 'up' });
  await answer(at, text('Package 2: Weight of a piece in kilograms', `${ERASE}2`));
  await answer(at, pick('Package 2', 'Done'));
  await answer(at, pick('Packages', 'Done'));
  await answer(at, { ...REVIEW, picked: 'Sender' });
  await isAsked(at, pick('Sender', 'Done'));
  at.key('esc');
  await answerAll(at, [{ ...REVIEW, picked: 'Book it for 52.90 EUR' }, KEEP]);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  const [one, two] = BODY.packages;
  expect(booked(world)).toEqual([{ ...BODY, packages: [one, { ...two, weight: 2 }], chargeableWeight: 5 }]);
});

test('for screen readers and dumb terminals it is plain lines, which go back too and redraw nothing', async () => {
  const world = await createWorld();
  const at = formIn(world, command(), 'ship', { env: { TERM: 'dumb' }, columns: 200 });
  await answerPlainly(at, first);
  await answerPlainly(at, { ...second, typed: '<' });
  for (const step of [...SHIPMENT, REVIEW, KEEP]) await answerPlainly(at, step);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(booked(world)).toEqual([BODY]);
  expect(at.raw()).not.toContain('\x1b');
});

test.each([
  ['ship -q', 'a file', ''],
  ['ship --json', 'a pipe', '| cat'],
])('%s asks on the terminal and writes only its data to %s', async (argv, _, pipe) => {
  const world = await createWorld();
  const stdoutToFile = join(world.folder, 'out');
  const at = formIn(world, command(), argv, { stdoutToFile, redirect: pipe });
  await answerAll(at, [...SHIPMENT, REVIEW, KEEP]);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  const out = readFileSync(stdoutToFile, 'utf8');
  expect(argv.endsWith('-q') ? out.trimEnd() : JSON.parse(out).id).toMatch(/^shp_\w+$/);
});

describe('it asks and draws nothing, and names what is missing,', () => {
  const QUIET: [string, Partial<OpenOptions>][] = [
    ['with a closed stdin', { redirect: '<&-' }],
    ['with /dev/null for stdin', { redirect: '< /dev/null' }],
    // The shell makes a pipe of it.
    ['with a pipe for stdin', { redirect: '<<END\npackage\nEND\n' }],
    ['with a file for stderr', { redirect: '2> stderr.txt' }],
  ];
  test.each(QUIET)('%s', async (_, options) => {
    const world = await createWorld();
    const at = formIn(world, command(), 'ship', options);
    expect(await at.ended).toMatchObject({ exitCode: 2 });
    const isElsewhere = options.redirect?.startsWith('2>');
    expect(isElsewhere ? readFileSync(join(world.folder, 'stderr.txt'), 'utf8') : at.screen()).toMatch(
      /^error: ship: the request has 9 problems; nothing was sent\./,
    );
    expect(at.raw()).not.toMatch(/\x1b\[[?\d]*[A-HJKhl]|What is shipped|esc back/);
    expect(world.seen).toEqual([]);
  });

  test('without a terminal, and with a pipe that stays open', async () => {
    const { env, folder: cwd } = await createWorld();
    const { ended } = start(process.execPath, [command(), 'ship'], { env, cwd, stdin: { open: true } });
    expect(await ended).toMatchObject({ code: 2, stdout: '', stderr: expect.not.stringContaining('\x1b') });
  });
});

describe('no answer is lost, and the terminal is as it was, if a person or a machine ends it by', () => {
  const GO_ON = 'Your answers are saved in a draft: `waybill ship --draft` continues it';
  const WAYS: [string, (at: Screen) => void, object, string[]][] = [
    // An answer without its Enter is none.
    ['Ctrl-C', at => at.type('12\x03'), { exitCode: 130 }, [GO_ON]],
    ['Ctrl-D', at => at.key('ctrl-d'), { exitCode: 130 }, [GO_ON]],
    ['a SIGTERM', at => at.kill('SIGTERM'), { exitCode: 143 }, ['stopped by SIGTERM', GO_ON]],
    ['a SIGKILL', at => at.kill('SIGKILL'), { signal: 9 }, []],
    ['closing the window', at => at.hangUp(), {}, []],
  ];

  async function goesOn(world: World): Promise<void> {
    const again = formIn(world, command(), 'ship --draft');
    await isAsked(again, third);
    expect(again.screen()).not.toContain(second.message);
    expect(world.seen).toEqual([]);
  }

  test.each(WAYS)('%s', async (_, leave, ended, sees) => {
    const world = await createWorld();
    const at = formIn(world, command(), 'ship', { columns: 200 });
    await answerAll(at, [first, second]);
    await isAsked(at, third);
    leave(at);
    expect(await at.ended).toMatchObject(ended);
    for (const words of sees) expect(at.screen()).toContain(words);
    if (sees.length > 0) {
      // The cursor is to be seen, pastes come as they are typed, and it is no other screen.
      expect(at.raw().lastIndexOf('\x1b[?25h')).toBeGreaterThanOrEqual(at.raw().lastIndexOf('\x1b[?25l'));
      expect(at.raw().lastIndexOf('\x1b[?2004l')).toBeGreaterThan(at.raw().lastIndexOf('\x1b[?2004h'));
      expect(at.raw()).not.toMatch(/\x1b\[\?(47|1047|1049)h/);
    }
    await goesOn(world);
  });

  test('Ctrl-C, by what the terminal itself says of its settings', async () => {
    const world = await createWorld();
    const at = formIn(world, command(), 'ship', { columns: 200, settings: true });
    await isAsked(at, first);
    at.key('ctrl-c');
    expect(await at.ended).toMatchObject({ exitCode: 130 });
    const lines = at.screen().split('\n');
    expect(lines[0]).toMatch(/^[\da-f]+:[\da-f:]+$/);
    expect(lines.at(-1)).toBe(lines[0]);
    expect(lines.at(-2)).toContain('nothing was sent');
  });
});

test('Ctrl-C after the booking is no failure and leaves no draft', async () => {
  const world = await createWorld();
  const at = formIn(world, command());
  await answerAll(at, [...SHIPMENT, REVIEW]);
  await isAsked(at, KEEP);
  at.key('ctrl-c');
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(world.folder, 'state/drafts'))).toEqual([]);
});

test('Ctrl-Z does nothing, because it would leave the shell a terminal in raw mode', async () => {
  const { env, folder: cwd } = await createWorld();
  const shell = { ...env, TERM: 'xterm-256color', PS1: '$ ' };
  const at = open(['--norc', '--noprofile', '-i'], { program: 'bash', cwd, env: shell });
  at.type(`'${process.execPath}' '${command()}' ship\r`);
  await isAsked(at, first);
  at.key('ctrl-z');
  await answer(at, first);
  at.key('ctrl-c');
  await at.waitFor('--draft` continues it');
  expect(at.screen()).not.toContain('Stopped');
});
