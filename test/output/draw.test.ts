import { describe, expect, test } from 'vitest';
import { bar, span } from '../../src/output/draw.ts';

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

  test('is made of blocks if the terminal shows Unicode', () => {
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
