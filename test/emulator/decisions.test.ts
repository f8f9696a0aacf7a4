import { expect, test } from 'vitest';
import { CARRIERS } from '../../src/emulator/carriers.ts';
import { DECISIONS } from '../../src/emulator/decisions.ts';

test('the decisions are sentences, and name every carrier', () => {
  for (const decision of DECISIONS) expect(decision).toMatch(/\.$/);
  for (const { id } of CARRIERS) expect(DECISIONS.join(' ')).toContain(`${id} (`);
});
