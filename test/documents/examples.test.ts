// The examples of each help page run as pasted.
import { expect, test } from 'vitest';
import { commandTree } from '../../src/shell/program.ts';
import { createRig } from '../rig/command.ts';
import { builtCommand } from '../rig/process.ts';
import { FULL, sampled } from '../torture/size.ts';
import { byTwo, pastedWhole, unknownIn } from './blocks.ts';
import { allCommands, wholeProgram } from './commands.ts';

const command = builtCommand();

/** The examples of each command by its name, as its help shows them. */
async function shownExamples(): Promise<Map<string, string>> {
  const { run } = await createRig();
  const found = new Map<string, string>();
  for (const words of await allCommands(await commandTree())) {
    const { stdout } = await run([...words, '--help']);
    const [, block = ''] = /^Examples:\n((?: {2}.*\n)+)/m.exec(stdout) ?? [];
    found.set(words.join(' '), block.replace(/^ {2}/gm, ''));
  }
  return found;
}

test(`${FULL ? 'every example of every page works' : 'the examples of some pages work'} as pasted into an empty folder`, async () => {
  const every = [...(await shownExamples())];
  expect(every.length).toBeGreaterThan(30);
  const examples = sampled(every, 6);
  const faults = await byTwo(examples, async ([name, block]) => {
    const { code, shown } = await pastedWhole(command(), block);
    return code === 0 ? [] : [`waybill ${name}: exit ${code}\n${shown}`];
  });
  expect(faults.flat()).toEqual([]);
});

test('every command of every example is there, with its options', async () => {
  const program = await wholeProgram(await commandTree());
  for (const [name, block] of await shownExamples()) expect(unknownIn(program, block), name).toEqual([]);
});

test('no two commands book the same key in their examples, so that all can be pasted into one shell', async () => {
  const keys = [...(await shownExamples())].flatMap(([name, block]) => {
    const booked = block.match(/waybill ship(?:-dual)? .*--key \S+/g) ?? [];
    return [...new Set(booked.map(line => line.replace(/.*--key /, '')))].map(key => ({ key, name }));
  });
  expect(keys.map(({ key }) => key)).toContain('ORDER-1002');
  const twice = keys.filter(({ key, name }) => keys.some(one => one.key === key && one.name !== name));
  expect(twice).toEqual([]);
});
