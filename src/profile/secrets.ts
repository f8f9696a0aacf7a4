import { readFileSync, statSync } from 'node:fs';
import { Failure, unreadableBecause } from '../errors.ts';
import { absolutePath } from '../folder.ts';
import type { Host } from '../host.ts';
import { shellWord } from '../text.ts';
import type { Source, StoredCredentials } from './store.ts';
import type { PresentedCredential } from './target.ts';

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

// Headers that frame a request or say where it goes are not credentials.
const OURS = ['host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'upgrade'];

export const isOurs = (name: string): boolean => OURS.includes(name.toLowerCase());

const UNFIT = /[^\t\x20-\x7e\x80-\xff]/;

/** Why a token cannot be sent, without the token itself. */
export function tokenFault(token: string): string | undefined {
  return UNFIT.test(token)
    ? 'contains characters that are not allowed in a header (a line break, a control character, a letter that is not Latin-1)'
    : undefined;
}

/** A credential that is sent as it is; the other kinds give a token first. */
type Ready = Extract<StoredCredentials, { kind: 'token' | 'headers' }>;

/** Why a token cannot be sent after this word, without the token itself: it would be there twice. */
export function schemeFault(token: string, scheme = 'Bearer'): string | undefined {
  if (scheme === '' || !token.toLowerCase().startsWith(`${scheme.toLowerCase()} `)) return undefined;
  return `the token begins with "${scheme} ", which is sent before it anyway: give the token alone, or set authScheme (WAYBILL_AUTH_SCHEME) to none`;
}

/** The headers that present a credential: lower-case names, secret values. Throws `unauthorized`. */
export function headersOf(
  { stored, header, scheme }: PresentedCredential & { stored: Ready },
  host: Pick<Host, 'env'>,
): Record<string, string> {
  if (stored.kind === 'headers') return valuesOf(stored.headers, host);
  const fault = schemeFault(stored.token, scheme);
  if (fault !== undefined) throw new Failure('unauthorized', `${fault}; nothing was sent`);
  const token = { [header.toLowerCase()]: scheme === '' ? stored.token : `${scheme} ${stored.token}` };
  return { ...valuesOf(stored.also ?? {}, host), ...checked(token) };
}

/** The token in the file that `WAYBILL_TOKEN_FILE` names. Throws `unauthorized`. */
export function tokenInFile(given: string, host: Pick<Host, 'cwd'>): string {
  const file = absolutePath(given, host);
  const refuse = (why: string) =>
    new Failure(
      'unauthorized',
      `WAYBILL_TOKEN_FILE names ${file}, but ${why}; nothing was sent. Write the token into it, or set WAYBILL_TOKEN`,
    );
  const token = textIn(file, refuse);
  const fault = tokenFault(token);
  if (fault !== undefined) throw refuse(`its text ${fault}`);
  return token;
}

function textIn(file: string, refuse: (why: string) => Failure): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw refuse(unreadableBecause(error));
  }
  if (text === '') throw refuse('it is empty');
  return text;
}

/** What these headers hold now. Throws `unauthorized`. */
export function valuesOf(
  headers: Readonly<Record<string, Source>>,
  host: Pick<Host, 'env'>,
): Record<string, string> {
  return checked(
    Object.fromEntries(
      Object.entries(headers).map(([name, source]) => [name.toLowerCase(), secretOf(source, name, host)]),
    ),
  );
}

function checked(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    const fault = tokenFault(value);
    const problem = !isHeaderName(name)
      ? `${JSON.stringify(name)} is not the name of a header; nothing was sent. Names are letters, digits and hyphens, such as X-Api-Key`
      : isOurs(name)
        ? `the header ${name} cannot carry a credential; nothing was sent`
        : fault && `the credential for the header ${name} ${fault}; nothing was sent`;
    if (problem !== undefined) throw new Failure('unauthorized', problem);
  }
  return headers;
}

function secretOf(source: Source, name: string, { env }: Pick<Host, 'env'>): string {
  if ('value' in source) return source.value;
  const refuse = (why: string) =>
    new Failure('unauthorized', `the credential for the header ${name}: ${why}; nothing was sent`);
  if ('env' in source) {
    const value = env[source.env]?.trim();
    if (value === undefined || value === '')
      throw refuse(`the environment variable ${source.env} is not set`);
    return value;
  }
  return textIn(source.file, why => refuse(`the file ${source.file} cannot be used: ${why}`));
}

/** A warning about the place of a secret: a file that does not exist, or that others may read. */
export function warningAboutSource(source: Source, { platform }: Pick<Host, 'platform'>): string | undefined {
  if (!('file' in source)) return undefined;
  const stat = statSync(source.file, { throwIfNoEntry: false });
  if (stat === undefined) return `the file ${source.file} does not exist yet`;
  return platform !== 'win32' && stat.mode & 0o044
    ? `the file ${source.file} can be read by other users of this machine: run \`chmod 600 ${shellWord(source.file)}\``
    : undefined;
}

/** All of stdin at once. */
type Stdin = { stdin: Pick<Host['stdin'], 'isTerminal' | 'read'> };

/** `NAME=@env:VAR`, `NAME=@FILE` or `NAME=@-`. A secret itself is never accepted on the command line. Throws `usage`. */
export async function parseSource(
  spec: string,
  host: Pick<Host, 'cwd'> & Stdin,
  option = '--header',
): Promise<[string, Source]> {
  const [, name = '', place = ''] = /^([^=]+)=@(.+)$/.exec(spec) ?? [];
  if (!isHeaderName(name) || place === 'env:')
    throw new Failure(
      'usage',
      `${option} accepts NAME=@env:VARIABLE, NAME=@FILE or NAME=@- (stdin). A secret itself does not belong on a command line`,
    );
  if (isOurs(name)) throw new Failure('usage', `${option}: the header ${name} cannot carry a credential`);
  if (place === '-') return [name, { value: await readSecret(host) }];
  if (place.startsWith('env:')) return [name, { env: place.slice(4) }];
  return [name, { file: absolutePath(place, host) }];
}

/** A secret from stdin, without the line break at its end. Throws `usage` if there is none. */
export async function readSecret({ stdin }: Stdin): Promise<string> {
  const secret = Buffer.from(await stdin.read())
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (/[\r\n]/.test(secret.trim()))
    throw new Failure('usage', 'stdin has more than one line, but a secret is one line');
  if (secret.trim() === '') throw new Failure('usage', 'no secret was given: stdin is empty');
  const fault = tokenFault(secret.trim());
  if (fault !== undefined) throw new Failure('usage', `the secret on stdin ${fault}`);
  return secret;
}
