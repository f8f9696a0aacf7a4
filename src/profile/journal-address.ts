import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../loopback.ts';
import { setting } from './environment.ts';
import type { Profile } from './store.ts';

/** Where the journal is that many share, and what gave its address. */
export interface JournalPlace {
  url: URL;
  /** A program and its arguments, which prints the password; of a profile's own address alone. */
  passwordCommand?: readonly string[];
}

const VARIABLE = 'WAYBILL_JOURNAL';
const NAMED = 'journal of the profile';

/** The config is no place for it, and neither is a command line. */
export const holdsPassword = (where: string): Failure =>
  new Failure(
    'usage',
    `${where} holds a password, and no secret is taken from there; leave it out, and use PGPASSWORD, PGPASSFILE or journalPasswordCommand`,
  );

/** The shared journal that the environment names, else the profile; `undefined`: that of this machine. Throws `usage`. */
export function journalPlace(env: Host['env'], profile: Profile): JournalPlace | undefined {
  const named = setting(env, VARIABLE);
  if (named !== undefined) return { url: parseJournalAddress(named, VARIABLE) };
  const { journal, journalPasswordCommand: passwordCommand } = profile;
  if (journal === undefined) return undefined;
  const url = parseJournalAddress(journal, NAMED);
  if (url.password !== '') throw holdsPassword(NAMED);
  return { url, ...(passwordCommand && { passwordCommand }) };
}

/** On this machine: a socket of its own, or loopback. */
export const isOnThisMachine = ({ hostname, searchParams }: URL): boolean =>
  (searchParams.get('host') ?? hostname) === '' ||
  (searchParams.get('host')?.startsWith('/') ?? isLoopback(hostname));

const PARAMETERS = ['sslmode', 'sslrootcert', 'options', 'host'];

/**
 * Reads the address of a shared journal: `postgres://user@host:port/database`. Throws `usage`, without showing a
 * password; `where` is what gave it.
 */
export function parseJournalAddress(given: string, where: string): URL {
  const refuse = (why: string) => new Failure('usage', `${where} ${why}; nothing was sent`);
  if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given))
    throw refuse('is no address of a journal: it looks like postgres://waybill@db.example.com/waybill');
  const url = new URL(given);
  // Whatever else is wrong would be told with a piece of the password.
  if (/[/@]/.test(url.pathname.slice(1)) || url.search.includes('@') || url.hash !== '' || !isDecodable(url))
    throw refuse('cannot be read: a / ? # @ or % in a name or a password is written as %2F %3F %23 %40 %25');
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw refuse(`has the parameter ${JSON.stringify(name)}; there are ${PARAMETERS.join(', ')}`);
  const host = url.searchParams.get('host');
  if (host !== null && !host.startsWith('/'))
    throw refuse('takes a folder of sockets as host=, such as /run/postgresql');
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && mode !== 'verify-full')
    throw refuse(
      `asks for sslmode=${mode}, and a connection to another machine is always verified; leave it out, and name the server's own authority with sslrootcert=FILE`,
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

/** The address as it may be shown: without a password. */
export function shownAddress(url: URL): string {
  const { hostname, port, pathname, searchParams } = url;
  return `postgres://${hostname || (searchParams.get('host') ?? '')}${port && `:${port}`}${pathname}`;
}
