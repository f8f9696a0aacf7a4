import { randomUUID } from 'node:crypto';

/** The journal's name for a booking. It begins with the time (ms), so that those of one moment lie together in indexes. */
export const newId = (time: number): string =>
  `bk_${Math.floor(time).toString(16).padStart(12, '0')}${randomUUID().replaceAll('-', '').slice(12)}`;
