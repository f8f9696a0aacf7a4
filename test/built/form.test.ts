// The form at a real terminal: its keys, sizes and streams, and every way to leave it. What it asks is tested in test/forms.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SHIPMENT_BODY } from '../rig/person.ts';
import { builtCommand, createWorld, start } from '../rig/process.ts';
import { open, type Screen } from '../rig/terminal.ts';
import {
  ASKED,
  answer,
  answerAll,
  answerPlainly,
  booked,
  find,
  formIn,
  isAsked,
  KEEP,
  REVIEW,
  type Step,
  text,
} from './form-rig.ts';

const command = builtCommand();
const [first, second, third] = ASKED as readonly [Step, Step, Step, ...Step[]];

test('for screen readers and dumb terminals it is plain lines, which go back too and redraw nothing', async () => {
  const world = await createWorld();
  const at = formIn(world, command(), undefined, { env: { TERM: 'dumb' }, columns: 200 });
  for (const step of [first, second, { ...third, typed: '<' }, ...ASKED.slice(1)])
    await answerPlainly(at, step);
  await answerPlainly(at, { ...REVIEW, picked: 'submit' });
  await answerPlainly(at, KEEP);
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(booked(world)).toEqual([SHIPMENT_BODY]);
  expect(at.raw()).not.toContain('\x1b');
});

test('it asks on the terminal and writes only its data to a pipe', async () => {
  const world = await createWorld();
  const stdoutToFile = join(world.folder, 'out');
  const argv = 'quote --package 1kg@10x10x10 --from TR --json';
  const at = formIn(world, command(), argv, { stdoutToFile, redirect: '| cat' });
  await answer(at, find('Country the parcel goes to', 'DE', 'Germany (DE)'));
  await answer(at, text('Postal code at the destination (Enter: none)'));
  expect(await at.ended).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(readFileSync(stdoutToFile, 'utf8'))).toHaveProperty('proposals');
});

describe('it asks and draws nothing, and names what is missing,', () => {
  test.each([
    ['with a closed stdin', '<&-'],
    ['with /dev/null for stdin', '< /dev/null'],
    // The shell makes a pipe of it.
    ['with a pipe for stdin', '<<END\npackage\nEND\n'],
    ['with a file for stderr', '2> stderr.txt'],
  ])('%s', async (_, redirect) => {
    const world = await createWorld();
    const at = formIn(world, command(), 'ship', { redirect });
    expect(await at.ended).toMatchObject({ exitCode: 2 });
    const isElsewhere = redirect.startsWith('2>');
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

describe('no answer is lost if it is ended by', () => {
  test.each<[string, (at: Screen) => void, object]>([
    // An answer without its Enter is none.
    ['Ctrl-C', at => at.type('12\x03'), { exitCode: 130 }],
    ['a SIGKILL', at => at.kill('SIGKILL'), { signal: 9 }],
    ['closing the window', at => at.hangUp(), {}],
  ])('%s', async (_, leave, ended) => {
    const world = await createWorld();
    const at = formIn(world, command(), undefined, { columns: 200 });
    await answerAll(at, [first, second]);
    await isAsked(at, third);
    leave(at);
    expect(await at.ended).toMatchObject(ended);
    const kept = readdirSync(join(world.env.WAYBILL_STATE_DIR ?? '', 'drafts'));
    const [draft = ''] = kept.filter(name => name.endsWith('.json'));
    const again = formIn(
      world,
      command(),
      `ship -f ${join(world.env.WAYBILL_STATE_DIR ?? '', 'drafts', draft)}`,
    );
    await answer(again, first);
    await isAsked(again, third);
    expect(again.screen()).not.toContain(second.message);
    expect(world.seen).toEqual([]);
  });
});

test('Ctrl-C leaves the terminal as it was, by what it says of its settings', async () => {
  const world = await createWorld();
  const at = formIn(world, command(), undefined, { columns: 200, settings: true });
  await isAsked(at, first);
  at.key('ctrl-c');
  expect(await at.ended).toMatchObject({ exitCode: 130 });
  const lines = at.screen().split('\n');
  expect(lines[0]).toMatch(/^[\da-f]+:[\da-f:]+$/);
  expect(lines.at(-1)).toBe(lines[0]);
  expect(lines.at(-2)).toContain('nothing was sent');
  // It is no other screen.
  expect(at.raw()).not.toMatch(/\x1b\[\?(47|1047|1049)h/);
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
  await at.waitFor(/continues\s+it/);
  expect(at.screen()).not.toContain('Stopped');
});
