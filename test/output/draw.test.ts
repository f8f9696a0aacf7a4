import { describe, expect, test } from 'vitest';
import { bar, span } from '../../src/output/draw.ts';
import { wrapped } from '../../src/output/wrap.ts';

describe('A bar', () => {
  test.each([
    [10, 10, '##########'],
    [5, 10, '#####'],
    [0, 10, ''],
    [0.001, 10, '#'],
    [-1, 10, ''],
    [20, 10, '##########'],
    [1, 0, ''],
    [Number.NaN, 10, ''],
  ])('of %d on a scale to %d is %j', (value, most, drawn) => {
    expect(bar('ascii', value, most, 10)).toBe(drawn);
  });

  test('is of blocks where there is Unicode', () => {
    expect(bar('unicode', 1, 2, 4)).toBe('██');
  });
});

describe('A span', () => {
  test.each<[[number, number], string]>([
    [[0, 10], '##########'],
    [[5, 10], '.....#####'],
    [[10, 5], '.....#####'],
    [[3, 3], '..#'],
    [[0, 0], '#'],
    [[10, 10], '.........#'],
    [[9, 99], '.........#'],
  ])('of %j on a scale to 10 is %j', (values, drawn) => {
    expect(span('ascii', values, 10, 10)).toBe(drawn);
  });
});

describe('Text', () => {
  test('is broken between words, by what a terminal shows of them', async () => {
    expect(await wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(await wrapped('重い 重い', 8)).toEqual(['重い', '重い']);
  });

  test('is not broken within a word, as that may be copied', async () => {
    expect(await wrapped('a 0123456789 b', 5)).toEqual(['a', '0123456789', 'b']);
    expect(await wrapped('  ', 5)).toEqual([]);
  });
});
