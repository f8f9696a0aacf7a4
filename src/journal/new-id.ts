import { randomUUID } from 'node:crypto';

/** A booking's id in the journal. It begins with the time (ms), so that new ids are neighbours in an index. */
export const newId = (time: number): string =>
  `bk_${Math.floor(time).toString(16).padStart(12, '0')}${randomUUID().replaceAll('-', '').slice(12)}`;
