// A fetched token is saved beside the credentials that fetched it: it is as private, and is removed with them.
import type { Place } from './folders.ts';
import { findProfile } from './names.ts';
import { type Config, changeConfig, type KeptToken, readConfig, type StoredCredentials } from './store.ts';

/** The profile and the address that a token is for. */
export interface Owner {
  profile: string;
  address: string;
  /** The credentials that fetch it: a token of other credentials is not used. */
  stored: Extract<StoredCredentials, { kind: 'url' }>;
}

type Kept = Owner['stored'];

/** The token that an earlier process saved. Throws `storage`. */
export const cachedToken = (host: Place, owner: Owner): KeptToken | undefined =>
  found(readConfig(host), owner)?.kept?.[owner.address];

/** Saves a token if the profile has not changed. Throws `storage`. */
export async function cacheToken(host: Place, owner: Owner, token: KeptToken): Promise<void> {
  if (!found(readConfig(host), owner)) return;
  await changeConfig(host, config => {
    const stored = found(config, owner);
    if (stored === undefined) return config;
    const credentials = { ...stored, kept: { ...stored.kept, [owner.address]: token } };
    const profile = { ...config.profiles[owner.profile], credentials };
    return { ...config, profiles: { ...config.profiles, [owner.profile]: profile } };
  });
}

function found(config: Config, { profile, stored }: Owner): Kept | undefined {
  const there = findProfile(config, profile)?.credentials;
  const isSame = there?.kind === 'url' && JSON.stringify(bare(there)) === JSON.stringify(bare(stored));
  return isSame ? there : undefined;
}

const bare = ({ url, headers }: Kept) => [url, headers];
