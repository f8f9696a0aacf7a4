// The screen of the form in docs/first-shipment.md is what a person sees. `UPDATE_DOCS=1 npm run unit -- test/built/form-screens`
// writes what was seen into the file; read the change before you keep it.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bareEnvironment, builtCommand } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();

test('the form looks like its screen in docs/first-shipment.md', async () => {
  const folder = temporaryFolder();
  cpSync('fixtures/orders/unfinished.json', join(folder, 'unfinished.json'));
  const args = 'ship --profile demo -f unfinished.json --max-price 20EUR'.split(' ');
  const form = open([command(), ...args], {
    columns: 96,
    rows: 40,
    env: bareEnvironment(folder),
    cwd: folder,
  });
  for (const [question, answer] of [
    ['Order number', '1001'],
    ['Receiver: E-mail address', 'anna.beispiel@example.com'],
    ['Receiver: Phone number', '3023125001'],
    ['Receiver: City', 'Dresden'],
  ] as const) {
    await form.waitFor(`? ${question}`);
    form.type(answer);
    form.key('enter');
    await form.waitFor(`✔ ${question}`);
  }
  await form.waitFor('esc back');
  const seen = `$ waybill ${args.join(' ')}\n${form.screen()}`;
  form.key('ctrl-c');
  expect(await form.ended).toMatchObject({ exitCode: 130 });
  expect(seen).toBe(shown(seen));
});

const PAGE = 'docs/first-shipment.md';

/** The block after `<!-- screen: carrier -->`. */
function shown(seen: string): string {
  const text = readFileSync(PAGE, 'utf8');
  const block = /(<!-- screen: carrier -->\n```text\n)([\s\S]*?)(\n```)/;
  const [, , said] = block.exec(text) ?? [];
  expect(said, `a screen in ${PAGE}`).toBeDefined();
  if (!process.env.UPDATE_DOCS) return said ?? '';
  writeFileSync(
    PAGE,
    text.replace(block, (_, before, __, after) => before + seen + after),
  );
  return seen;
}
