import { createHash } from 'node:crypto';

/** In bytes of UTF-8. PostgreSQL refuses a row whose indexed text is longer than 2,704. */
const LONGEST = 200;

/**
 * A text from outside, such as an id that the service gives, as both databases index it: a longer one is replaced by its
 * hash, so that no answer is too long to be recorded. The record itself has the whole text.
 */
export const indexed = (text: string): string =>
  text.length * 3 <= LONGEST || Buffer.byteLength(text) <= LONGEST
    ? text
    : `sha256:${createHash('sha256').update(text).digest('hex')}`;
