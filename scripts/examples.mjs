// Writes src/documents/examples.json from fixtures/service: every body there by its path, such as
// `v1/shipments/POST/full.request.json`. What the OpenAPI document shows as examples has to be in the package, where fixtures
// are not. `test/contract/openapi.test.ts` fails when it is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'fixtures/service';

const examples = readdirSync(FOLDER, { recursive: true })
  .filter(name => name.endsWith('.json'))
  .sort()
  .map(name => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))]);

export const examplesFile = `${JSON.stringify(Object.fromEntries(examples), undefined, 1)}\n`;

if (process.argv[1] === new URL(import.meta.url).pathname)
  writeFileSync('src/documents/examples.json', examplesFile);
