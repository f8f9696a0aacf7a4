import type { Host } from '../host.ts';
import type { RequestIds } from '../http/client.ts';
import { setting } from '../profile/environment.ts';
import { SETTINGS } from '../profile/settings.ts';
import type { Profile } from '../profile/store.ts';

const VARIABLE = 'WAYBILL_REQUEST_ID_HEADER';

/**
 * The header that the environment or the profile names, and what makes a fresh id for each request: a UUID of version 4.
 * Throws `usage`.
 */
export function requestIds(
  profile: Profile,
  { env, random }: Pick<Host, 'env' | 'random'>,
): RequestIds | undefined {
  const given = setting(env, VARIABLE);
  const header =
    given === undefined ? profile.requestIdHeader : String(SETTINGS.requestIdHeader.read(given, VARIABLE));
  if (header === undefined) return undefined;
  return {
    header: header.toLowerCase(),
    next: () =>
      'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, place =>
        digit(place === 'x' ? 16 * random() : 8 + 4 * random()),
      ),
  };
}

const digit = (below16: number): string => Math.floor(below16).toString(16);
