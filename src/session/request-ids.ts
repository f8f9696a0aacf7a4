import type { Host } from '../host.ts';
import type { Profile } from '../profile/store.ts';

/** The header that the profile names, and what makes a fresh id for each request: a UUID of version 4. */
export const requestIds = ({ requestIdHeader }: Profile, { random }: Pick<Host, 'random'>) =>
  requestIdHeader === undefined
    ? undefined
    : {
        header: requestIdHeader.toLowerCase(),
        next: () =>
          'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, place =>
            digit(place === 'x' ? 16 * random() : 8 + 4 * random()),
          ),
      };

const digit = (below16: number): string => Math.floor(below16).toString(16);
