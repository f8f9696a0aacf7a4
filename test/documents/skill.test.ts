// The skill for agents: the page for agents, with the front matter that tells an agent when to read it.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';

const FILE = 'skills/waybill/SKILL.md';
const FRONT = `---
name: waybill
description: Quote, book, label and track shipments with the waybill command or its MCP tools. Read it before anything is booked, because a booking costs money and is made once.
---

`;

/** The page without its way to the next one, which lies elsewhere. With UPDATE_DOCS=1 it is written. */
test('is the page for agents', () => {
  const page = readFileSync('docs/agents.md', 'utf8').replace(/\n+Next: .*\n$/, '\n');
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, FRONT + page);
  expect(readFileSync(FILE, 'utf8')).toBe(FRONT + page);
  expect(page).not.toMatch(/\]\(/);
});

test('help says where it lies, and refuses a path of anything else', async () => {
  const { run } = await createRig();
  expect(await run('help agents --path')).toMatchObject({
    exitCode: 0,
    stdout: `${resolve(FILE)}\n`,
    stderr: '',
  });
  for (const words of ['--path', 'ship --path', 'agents more --path'])
    expect([words, await run(`help ${words}`)]).toMatchObject([
      words,
      { exitCode: 2, stdout: '', stderr: expect.stringContaining('waybill help agents --path') },
    ]);
});
