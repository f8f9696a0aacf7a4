// How a profile gets its credentials: the options of `add` and `set`.
import type { Command } from 'commander';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import { repeatedHeader } from '../../order/options.ts';
import {
  commandWords,
  parseSource,
  readSecret,
  schemeFault,
  warningAboutSource,
  withAbsoluteProgram,
} from '../../profile/secrets.ts';
import { SETTINGS, type SettingName, withSetting } from '../../profile/settings.ts';
import { headerSources, type Profile, type Source, type StoredCredentials } from '../../profile/store.ts';
import { tokenUrl } from '../../profile/target.ts';
import { collect } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';

export interface CredentialOptions {
  tokenStdin?: boolean;
  tokenCommand?: string;
  tokenUrl?: string;
  clientHeader?: string[];
  header?: string[];
  authHeader?: string;
  authScheme?: string;
  clientCert?: string;
  clientKey?: string;
}

export type Change = (profile: Profile) => Profile;

export const credentialOptions = (command: Command): Command =>
  command
    .optionsGroup('Credentials:')
    .option('--token-stdin', 'read the token from stdin')
    .option(
      '--token-command <cmd>',
      'a program that prints the token, such as `pass show waybill`; run for each command, without a shell, for 10 s at most',
    )
    .option(
      '--token-url <url>',
      'fetch the token by POST from this path of the service, or from a whole https: URL, with --client-header; it is kept until it expires',
    )
    .option(
      '--client-header <name=source>',
      'a header for --token-url: @env:VARIABLE, @FILE or @- (stdin); repeatable',
      collect,
    )
    .option('--client-cert <file>', SETTINGS.clientCert.description)
    .option('--client-key <file>', SETTINGS.clientKey.description)
    .option('--auth-header <name>', SETTINGS.authHeader.description)
    .option('--auth-scheme <word>', SETTINGS.authScheme.description)
    .option(
      '--header <name=source>',
      'a header with an API key, alone or beside a token: @env:VARIABLE, @FILE or @- (stdin); repeatable',
      collect,
    );

/** What the options change in a profile. Reads stdin if they say so. Throws `usage`. */
export async function credentialChange(options: CredentialOptions, session: Session): Promise<Change> {
  const { host, globals, printer } = session;
  refuseMixture(options);
  const credentials = await readCredentials(options, host);
  // Commands find files from any folder.
  const file = (path?: string) => (path === undefined ? undefined : absolutePath(path, host));
  const { authHeader, authScheme } = options;
  const [clientCert, clientKey] = [file(options.clientCert), file(options.clientKey)];
  const settings = Object.entries({ authHeader, authScheme, clientCert, clientKey });
  // Without a file of its own, the key is in that of the certificate.
  const keyFile = clientKey ?? clientCert;
  const sources = credentials ? headerSources(credentials) : [];
  for (const source of keyFile === undefined ? sources : [...sources, { file: keyFile }]) {
    const warning = warningAboutSource(source, host);
    if (warning !== undefined && globals.strict)
      throw new Failure('usage', `${warning}. --strict makes this an error. Nothing was saved`);
    if (warning !== undefined) await printer.warn(warning);
  }
  return profile => {
    let changed = profile;
    for (const [key, value] of settings)
      if (value !== undefined) changed = withSetting(changed, key as SettingName, value);
    if (credentials?.kind === 'url') refuseBadUrl(credentials.url, changed);
    const fault = credentials?.kind === 'token' && schemeFault(credentials.token, changed.authScheme);
    if (fault) throw new Failure('usage', `${fault}. Nothing was saved`);
    if (credentials && 'also' in credentials) refuseOtherToken(credentials.also, changed);
    return credentials ? { ...changed, credentials } : changed;
  };
}

/** Is stdin read? Then a person cannot be asked there. */
export const readsStdin = ({ tokenStdin, header = [], clientHeader = [] }: CredentialOptions): boolean =>
  tokenStdin === true || [...header, ...clientHeader].some(spec => spec.endsWith('=@-'));

const WAYS = {
  tokenStdin: '--token-stdin',
  tokenCommand: '--token-command',
  tokenUrl: '--token-url',
} as const;

function refuseMixture(options: CredentialOptions): void {
  const flags = Object.entries(WAYS).flatMap(([option, flag]) =>
    options[option as keyof typeof WAYS] === undefined ? [] : [flag],
  );
  const refuse = (why: string) => new Failure('usage', why);
  if (flags.length > 1)
    throw refuse(
      `${flags.join(' and ')} give ${flags.length} tokens, but one is sent. Give only one of ${Object.values(WAYS).join(', ')}`,
    );
  if (options.tokenUrl !== undefined && options.clientHeader === undefined)
    throw refuse(
      '--token-url needs at least one --client-header NAME=SOURCE, which proves who asks for a token',
    );
  if (options.tokenUrl === undefined && options.clientHeader !== undefined)
    throw refuse(
      '--client-header needs --token-url PATH, the path that it is sent to. A header for every request is --header',
    );
}

async function readCredentials(
  { tokenStdin, tokenCommand, tokenUrl: url, header, clientHeader = [] }: CredentialOptions,
  host: Host,
): Promise<StoredCredentials | undefined> {
  const headers = header && (await parseHeaders(header, '--header', host));
  const also = headers ? { also: headers } : {};
  if (tokenStdin) return { kind: 'token', token: (await readSecret(host)).trim(), ...also };
  if (tokenCommand !== undefined)
    return { kind: 'command', command: withAbsoluteProgram(commandWords(tokenCommand), host), ...also };
  if (url !== undefined)
    return { kind: 'url', url, headers: await parseHeaders(clientHeader, '--client-header', host), ...also };
  return headers && { kind: 'headers', headers };
}

async function parseHeaders(
  specs: readonly string[],
  option: string,
  host: Host,
): Promise<Record<string, Source>> {
  const sources: [string, Source][] = [];
  for (const spec of specs) sources.push(await parseSource(spec, host, option));
  const twice = repeatedHeader(sources);
  if (twice !== undefined)
    throw new Failure('usage', `${option} gives the header ${twice} twice. A header has one value`);
  return Object.fromEntries(sources);
}

/** Two values of one header are not both sent. Throws `usage`. */
function refuseOtherToken(
  also: Record<string, Source> = {},
  { authHeader = 'authorization' }: Profile,
): void {
  const taken = Object.keys(also).find(name => name.toLowerCase() === authHeader.toLowerCase());
  if (taken !== undefined)
    throw new Failure(
      'usage',
      `--header gives the header ${taken}, which carries the token. Give it another name`,
    );
}

/** Throws `usage`. */
function refuseBadUrl(url: string, { baseUrl, sandboxBaseUrl }: Profile): void {
  for (const base of [baseUrl, sandboxBaseUrl]) if (base !== undefined) tokenUrl(url, new URL(base));
}
