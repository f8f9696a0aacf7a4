import type { Issue } from '../contract/operation.ts';
import { formatPath } from '../contract/paths.ts';
import { textsIn } from './texts.ts';

/** The texts with half of a surrogate pair: they have no bytes, so that two different ids would be the same. */
export const brokenTexts = (body: unknown): Issue[] =>
  textsIn(body, text => !text.isWellFormed()).map(({ path }) => ({
    path: formatPath(path),
    message: 'is not text: it has half of a surrogate pair; write it again',
  }));
