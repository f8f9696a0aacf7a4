import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../text.ts';
import { setting } from './environment.ts';
import type { Profile } from './store.ts';

/** Where the shared journal is. */
export interface JournalPlace {
  url: URL;
  /** A program with its arguments that prints the password; only for the address of a profile. */
  passwordCommand?: readonly string[];
}

const VARIABLE = 'WAYBILL_JOURNAL';
const NAMED = 'journal of the profile';

/** Neither the config nor a command line is a place for a password. */
export const holdsPassword = (where: string): Failure =>
  new Failure(
    'usage',
    `${where} contains a password, and a secret is not accepted there. Leave it out, and use PGPASSWORD, PGPASSFILE or journalPasswordCommand`,
  );

/** The shared journal that the environment names, else the profile; `undefined` is the local one. Throws `usage`. */
export function journalPlace(env: Host['env'], profile: Profile): JournalPlace | undefined {
  const named = setting(env, VARIABLE);
  if (named !== undefined) return { url: parseJournalAddress(named, VARIABLE) };
  const { journal, journalPasswordCommand: passwordCommand } = profile;
  if (journal === undefined) return undefined;
  const url = parseJournalAddress(journal, NAMED);
  if (url.password !== '') throw holdsPassword(NAMED);
  return { url, ...(passwordCommand && { passwordCommand }) };
}

/** Is it on this machine: a local socket, or loopback? */
export const isOnThisMachine = ({ hostname, searchParams }: URL): boolean =>
  (searchParams.get('host') ?? hostname) === '' ||
  (searchParams.get('host')?.startsWith('/') ?? isLoopback(hostname));

const PARAMETERS = ['sslmode', 'sslrootcert', 'options', 'host'];

/**
 * Parses the address of a shared journal: `postgres://user@host:port/database`. Throws `usage`, without showing a
 * password; `where` is where the address was given.
 */
export function parseJournalAddress(given: string, where: string): URL {
  const refuse = (why: string) => new Failure('usage', `${where} ${why}; nothing was sent or saved`);
  if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given))
    throw refuse('is not the address of a journal, such as postgres://waybill@db.example.com/waybill');
  const url = new URL(given);
  // Any other message would show a part of the password.
  if (/[/@]/.test(url.pathname.slice(1)) || url.search.includes('@') || url.hash !== '' || !isDecodable(url))
    throw refuse('cannot be parsed: write / ? # @ and % in a name or a password as %2F %3F %23 %40 %25');
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw refuse(
        `has the unknown parameter ${JSON.stringify(name)}; the known ones are ${PARAMETERS.join(', ')}`,
      );
  const host = url.searchParams.get('host');
  if (host !== null && !host.startsWith('/'))
    throw refuse('accepts only a folder of sockets as host=, such as /run/postgresql');
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && mode !== 'verify-full')
    throw refuse(
      `asks for sslmode=${mode}, but a connection to another machine is always verified. Leave it out, and name the server's own authority with sslrootcert=FILE`,
    );
  return url;
}

function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password + pathname);
    return true;
  } catch {
    return false;
  }
}

/** The address without its password, to be shown. */
export function shownAddress(url: URL): string {
  const { hostname, port, pathname, searchParams } = url;
  return `postgres://${hostname || (searchParams.get('host') ?? '')}${port && `:${port}`}${pathname}`;
}
