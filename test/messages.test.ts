// The list of all that a person may read, which `scripts/messages.mjs` takes out of the source.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const listed = (...paths: string[]): string =>
  execFileSync(process.execPath, ['scripts/messages.mjs', ...paths], { encoding: 'utf8' });

test.each([
  [
    'an error',
    'src/http/client.ts',
    /^src\/http\/client\.ts:\d+ {2}\S.*\n {4}\$\{JSON\.stringify\(value\)\} is not an id; nothing was sent$/m,
  ],
  [
    'a warning',
    'src/orders/book-once.ts',
    / {4}\$\{name\}: the answer has two ids, .* Compare both with what the service shows$/m,
  ],
  ['a question', 'src/forms/ship.ts', / {4}Carrier id, cheapest or fastest$/m],
  ['a help text', 'src/orders/flags.ts', / {4}show the request and send nothing$/m],
  ['a label of a form', 'src/forms/shipment-fields.ts', / {4}Postal code$/m],
])('%s of %s is listed', (_, path, message) => {
  expect(listed(path)).toMatch(message);
});

test('what only computers read is not listed', () => {
  expect(listed('src/journal/rules.ts')).not.toMatch(/SELECT|INSERT/);
});
