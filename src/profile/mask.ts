import type { Profile, Source } from './store.ts';

const MASK = '••••';

/** A profile as it may be shown: secrets masked, the places that secrets are read from named. */
export function masked(profile: Profile): Record<string, unknown> {
  const { credentials, ...rest } = profile;
  if (credentials === undefined) return rest;
  if (credentials.kind === 'token') return { ...rest, credentials: { kind: 'token', token: MASK } };
  const headers = Object.entries(credentials.headers).map(([name, source]) => [name, placeOf(source)]);
  return { ...rest, credentials: { kind: 'headers', headers: Object.fromEntries(headers) } };
}

const placeOf = (source: Source): string =>
  'env' in source ? `@env:${source.env}` : 'file' in source ? `@${source.file}` : MASK;
