import { expect, test } from 'vitest';
import { fitted } from '../../src/prompts/terminal.ts';

const LINE = `${'word '.repeat(20)}end`;

test('Lines are broken at the width of the terminal, and keep their indent', () => {
  expect(fitted('  aaa bbb ccc', { columns: 9 })).toEqual(['  aaa bbb', '  ccc']);
});

test.each([0, undefined as unknown as number])(
  'A terminal that says %j for its width has 80 columns',
  columns => {
    const lines = fitted(LINE, { columns });
    expect(lines.map(line => line.length)).toEqual([79, 23]);
  },
);
