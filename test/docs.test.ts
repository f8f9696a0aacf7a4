// Every ```console block of the Markdown files is run as it stands, on the demo profile, and must print what it says.
// `UPDATE_DOCS=1 npm run unit -- test/docs` writes what was printed into the file; read the change before you keep it.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRig } from './rig.ts';

const DOCUMENTS = ['README.md'];
const BLOCK = /^```console\n\$ waybill (.*)\n([\s\S]*?)^```$/gm;

for (const document of DOCUMENTS)
  test(`the examples of ${document} print what it says`, async () => {
    const { run, folder } = await createRig();
    cpSync('fixtures/orders', join(folder, 'fixtures/orders'), { recursive: true });
    let text = readFileSync(document, 'utf8');
    const blocks = [...text.matchAll(BLOCK)];
    expect(blocks.length).toBeGreaterThan(0);
    for (const [block, command = '', said = ''] of blocks) {
      const { shown } = await run(words(command));
      if (process.env.UPDATE_DOCS)
        text = text.replace(block, () => `\`\`\`console\n$ waybill ${command}\n${shown}\`\`\``);
      else expect(masked(shown), command).toBe(masked(said));
    }
    if (process.env.UPDATE_DOCS) writeFileSync(document, text);
  });

const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** What differs from run to run. */
const masked = (text: string): string =>
  text
    .replace(/shp_(?!nowhere)\w+/g, 'shp_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'WHEN')
    .trim();
