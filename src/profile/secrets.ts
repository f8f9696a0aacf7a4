import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Source } from './store.ts';
import type { Presented } from './target.ts';

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

/** The headers that present a credential: lower-case names, secret values. Throws `unauthorized`. */
export function headersOf(presented: Presented, host: Pick<Host, 'env'>): Record<string, string> {
  const { stored, header, scheme } = presented;
  const headers =
    stored.kind === 'token'
      ? { [header.toLowerCase()]: scheme === '' ? stored.token : `${scheme} ${stored.token}` }
      : Object.fromEntries(
          Object.entries(stored.headers).map(([name, source]) => [
            name.toLowerCase(),
            secretOf(source, name, host),
          ]),
        );
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name))
      throw new Failure('unauthorized', `${JSON.stringify(name)} is not the name of a header`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new Failure(
        'unauthorized',
        `the credential for the header ${name} holds characters that no header may hold`,
      );
  }
  return headers;
}

function secretOf(source: Source, name: string, { env }: Pick<Host, 'env'>): string {
  if ('value' in source) return source.value;
  const refuse = (why: string) =>
    new Failure('unauthorized', `the credential for the header ${name}: ${why}`);
  if ('env' in source) {
    const value = env[source.env];
    if (value === undefined || value === '')
      throw refuse(`the environment variable ${source.env} is not set`);
    return value;
  }
  let value: string;
  try {
    value = readFileSync(source.file, 'utf8').trim();
  } catch (error) {
    throw refuse(messageOf(error));
  }
  if (value === '') throw refuse(`the file ${source.file} is empty`);
  return value;
}

/** All of stdin at once. */
type Stdin = { stdin: Pick<Host['stdin'], 'isTerminal' | 'read'> };

/** `NAME=@env:VAR`, `NAME=@FILE` or `NAME=@-`. A secret itself is never taken from the command line. Throws `usage`. */
export async function parseSource(spec: string, host: Pick<Host, 'cwd'> & Stdin): Promise<[string, Source]> {
  const [, name = '', place = ''] = /^([^=]+)=@(.+)$/.exec(spec) ?? [];
  if (!isHeaderName(name) || place === 'env:')
    throw new Failure(
      'usage',
      '--header takes NAME=@env:VARIABLE, NAME=@FILE or NAME=@- (stdin); a secret itself does not belong on a command line',
    );
  if (place === '-') return [name, { value: await readSecret(host) }];
  if (place.startsWith('env:')) return [name, { env: place.slice(4) }];
  return [name, { file: resolve(host.cwd, place) }];
}

/** A secret from stdin, without the line break at its end. Throws `usage` where there is none. */
export async function readSecret({ stdin }: Stdin): Promise<string> {
  const secret = Buffer.from(await stdin.read())
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (/[\r\n]/.test(secret.trim()))
    throw new Failure('usage', 'stdin held more than one line where a secret is one');
  if (secret.trim() === '') throw new Failure('usage', 'stdin held no secret');
  return secret;
}
