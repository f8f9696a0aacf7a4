import { MASK } from '../mask.ts';
import { commandLine } from './secret-program.ts';
import type { Profile, Source, StoredCredentials } from './store.ts';
import type { Credential } from './target.ts';

/** A profile to be shown: secrets are masked, the places that secrets are read from are named. */
export function maskProfile(profile: Profile): Record<string, unknown> {
  const { credentials, ...rest } = profile;
  if (credentials === undefined) return rest;
  return { ...rest, credentials: maskedCredentials(credentials) };
}

function maskedCredentials(stored: StoredCredentials): Record<string, unknown> {
  const also = 'also' in stored && stored.also ? { also: placesOf(stored.also) } : {};
  switch (stored.kind) {
    case 'token':
      return { kind: 'token', token: MASK, ...also };
    case 'headers':
      return { kind: 'headers', headers: placesOf(stored.headers) };
    case 'command':
      return { kind: 'command', command: commandLine(stored.command), ...also };
    case 'url':
      return { kind: 'url', url: stored.url, headers: placesOf(stored.headers), ...also };
  }
}

const placesOf = (headers: Readonly<Record<string, Source>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, source]) => [name, placeOf(source)]));

const placeOf = (source: Source): string =>
  'env' in source ? `@env:${source.env}` : 'file' in source ? `@${source.file}` : MASK;

/** Where credentials come from, in a few words. */
export function describeCredentials(stored: Credential): string {
  const way = wayWords(stored);
  return 'also' in stored && stored.also ? `${way}, with the headers ${headerWords(stored.also)}` : way;
}

function wayWords(stored: Credential): string {
  switch (stored.kind) {
    case 'token':
      return 'a token';
    case 'headers':
      return `headers: ${headerWords(stored.headers)}`;
    case 'command':
      return `the token that ${commandLine(stored.command)} prints`;
    case 'file':
      return `the token in ${stored.file}`;
    case 'url':
      return `a token from ${stored.url}, fetched with ${headerWords(stored.headers)}`;
  }
}

const headerWords = (headers: Readonly<Record<string, Source>>): string =>
  Object.entries(placesOf(headers))
    .map(([name, place]) => `${name} (${place})`)
    .join(', ');
