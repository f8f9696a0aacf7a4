// A fetched token lies beside the credentials that it was fetched with: it is as private, and goes when they go.
import type { Place } from './folders.ts';
import { findProfile } from './names.ts';
import { type Config, changeConfig, type KeptToken, readConfig, type StoredCredentials } from './store.ts';

/** Whose token it is, and for which address. */
export interface Owner {
  profile: string;
  address: string;
  /** The credentials that it is fetched with: a token of others is not taken for one of theirs. */
  stored: Extract<StoredCredentials, { kind: 'url' }>;
}

type Kept = Owner['stored'];

/** What an earlier process left. Throws `storage`. */
export const cachedToken = (host: Place, owner: Owner): KeptToken | undefined =>
  found(readConfig(host), owner)?.kept?.[owner.address];

/** Keeps a token where the profile is still as it was. Throws `storage`. */
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
