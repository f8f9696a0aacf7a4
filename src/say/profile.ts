// What is said of profiles and their config file.
import { didYouMean, meantWords } from '../nearest.ts';
import { commandText, shellWord, someOf } from '../text.ts';
import { flag, joined, next, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

interface ConfigFile {
  path: string;
}

/** What to do about a folder that cannot be used. `variable`: it names the folder. */
export const otherFolder = (variable: string): Text => say`To use another folder, set ${variable}`;

const OTHER_CONFIG_FOLDER = otherFolder('WAYBILL_CONFIG_DIR');

/** Why a secret cannot be used, without the secret itself. */
export type SecretFault =
  /** It has letters that a header cannot have. */
  | { fault: 'letters' }
  | { fault: 'empty' }
  | { fault: 'unreadable'; why: string }
  | { fault: 'variable-unset'; variable: string }
  /** Of a program that shall print it. */
  | { fault: 'unstartable'; why: string }
  | { fault: 'ended'; exitCode: number; said?: string }
  | { fault: 'printed-nothing' };

/** Why a secret cannot be used; `secret`: what has it. */
export function secretFaultWords(secret: string, fault: SecretFault): Text {
  switch (fault.fault) {
    case 'letters':
      return say`${secret} has a character that a header cannot have (only Latin-1, no line break)`;
    case 'empty':
      return say`it is empty`;
    case 'unreadable':
      return say`${fault.why}`;
    case 'variable-unset':
      return say`the environment variable ${fault.variable} is not set`;
    case 'unstartable':
      return say`${fault.why}`;
    case 'ended':
      return say`it ended with exit code ${fault.exitCode}${fault.said && `, saying: ${fault.said}`}`;
    case 'printed-nothing':
      return say`the first line of its stdout is empty`;
  }
}

/** In place of the name of a file that may be the token itself. */
export const HIDDEN_FILE = 'a file (name not shown: it may be the token)';

/** What must be changed where production and the sandbox have one address. */
export type AddressChange =
  | { change: 'profile'; profile: string }
  | { change: 'environment' }
  /** What was typed; nothing is saved. */
  | { change: 'input' }
  | { change: 'answer' };

const ADDRESS_FAULTS = {
  'no-url': 'is not a URL, such as https://api.example.com',
  'user-name': 'must not contain a user name or password',
  query: 'must not contain a query or a fragment',
  'not-https': 'must begin with https: (http: only on loopback)',
};
export type AddressFault = keyof typeof ADDRESS_FAULTS;

export type JournalAddressFault =
  | { fault: 'no-address' | 'letters' | 'host' }
  | { fault: 'parameter'; name: string; known: readonly string[] }
  | { fault: 'port'; port: string }
  | { fault: 'connect_timeout'; seconds: string; most: number }
  | { fault: 'sslmode'; mode: string };

function journalFaultWords(fault: JournalAddressFault): Text {
  switch (fault.fault) {
    case 'no-address':
      return say`is no address such as postgres://waybill@db.example.com/waybill`;
    case 'letters':
      return say`cannot be parsed: / ? # @ and % in a name or password are %2F %3F %23 %40 %25`;
    case 'host':
      return say`takes only a folder as host=, such as /run/postgresql`;
    case 'parameter':
      return say`has the unknown parameter ${stranger(fault.name)}; known are ${fault.known.join(', ')}`;
    case 'port':
      return say`has port=${fault.port}: beside host= it is 1 to 65535; else write db.example.com:5433`;
    case 'connect_timeout':
      return say`has connect_timeout=${fault.seconds}: it is whole seconds, 1 to ${fault.most}`;
    case 'sslmode':
      return say`cannot have sslmode=${fault.mode}: another machine is always verified (your own authority: sslrootcert=FILE)`;
  }
}

/** A name that nobody knows, and the known one that is probably meant. */
interface UnknownName {
  name: string;
  meant?: string;
}

const unknownList = (names: readonly UnknownName[], quote = ''): string =>
  names.map(({ name, meant }) => `${quote}${name}${quote}${meantWords(meant)}`).join(', ');

const withoutEffect = (count: number): string =>
  count === 1 ? 'is unknown and has no effect' : 'are unknown and have no effect';

const variablesText = (variables: readonly UnknownName[]): Text =>
  variables.length === 0
    ? []
    : say`the variable${variables.length > 1 ? 's' : ''} ${unknownList(variables)} ${withoutEffect(variables.length)}`;

const settingsText = (settings: readonly UnknownName[], profile: string): Text =>
  settings.length === 0
    ? []
    : say`the setting${settings.length > 1 ? 's' : ''} ${unknownList(settings, '"')} of the profile ${profile} ${withoutEffect(settings.length)}`;

/** A program of the profile that gave no secret. */
const programSaying = (
  what: string,
  program: readonly string[],
  fault: SecretFault,
  change: string,
): Saying => ({
  what: say`${what}: ${commandText(program)}: ${secretFaultWords('what it printed', fault)}`,
  toDo: say`Run it by itself, or change it: ${pattern(change)}`,
});

const UNSET_ONE = say`Unset one of them`;

const CHECK_CONTENTS = 'Check what is in it, then run';

const SAVED = {
  parties: { noun: 'party', add: 'waybill profile party add NAME -f FILE' },
  parcels: { noun: 'parcel', add: 'waybill profile parcel add NAME 1.5kg@30x20x10cm' },
};

const TOKEN_URL = say`Give a path, such as /oauth/token, or a whole URL`;

/** What a name is, of a profile and of what it saves. */
export const NAME_RULE = 'a name has up to 64 letters, digits and . _ - @';

export const PROFILE = {
  'no-home-folder': ({ holds, variable }: { holds: 'journal' | 'config'; variable: string }): Saying => ({
    what: say`there is no home folder (HOME) for the ${holds}`,
    toDo: say`Set ${variable} to a writable folder (absolute path)`,
  }),
  'folder-is-relative': ({
    variable,
    value,
    example,
  }: Record<'variable' | 'value' | 'example', string>): Saying => ({
    what: say`${variable} is ${stranger(value)}, a relative path: each folder would have its own journal, and book again`,
    toDo: say`Set ${variable}=${example}`,
  }),
  'vouched-in-other-words': ({
    where,
    value,
    allowed,
  }: Record<'where' | 'value' | 'allowed', string>): Saying => ({
    what: say`${where} must be ${allowed} or unset, not ${stranger(value)}`,
    toDo: say`${next('waybill', 'help', 'journal')} says what it vouches for`,
  }),
  'config-unreadable': ({ path, why }: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${path} cannot be read: ${why}`,
    toDo: OTHER_CONFIG_FOLDER,
  }),
  'config-unwritable': ({ path, why }: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${path} cannot be written: ${why}; nothing was saved`,
    toDo: OTHER_CONFIG_FOLDER,
  }),
  'config-is-no-file': ({ path }: ConfigFile): Saying => ({
    what: say`the config ${path} is not a plain file (is it a link?)`,
    toDo: say`Put the file itself there, or set WAYBILL_CONFIG_DIR`,
  }),
  'config-of-other-user': ({ path, owner, user }: ConfigFile & { owner: number; user: number }): Saying => ({
    what: say`the config ${path} belongs to another user (id ${owner})`,
    toDo: say`${CHECK_CONTENTS} ${pattern(`chown ${user} ${shellWord(path)}`)}`,
  }),
  'config-open-to-all': ({ path, mode }: ConfigFile & { mode: string }): Saying => ({
    what: say`the config ${path} can be written by every user (mode ${mode})`,
    toDo: say`${CHECK_CONTENTS} ${pattern(`chmod 600 ${shellWord(path)}`)}`,
  }),
  'config-shows-secrets': ({ path, mode }: ConfigFile & { mode: string }): Saying => ({
    what: say`the config ${path} has secrets that other users can read (mode ${mode}): ${pattern(`chmod 600 ${shellWord(path)}`)}`,
  }),
  'config-damaged': ({ path, why }: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${path} is damaged and was not changed: ${why}`,
    toDo: say`Repair it, or move it away`,
  }),
  'name-not-allowed': ({ name, noun }: { name: string; noun: string }): Saying => ({
    what: say`${stranger(name)} is no name for ${noun}: ${NAME_RULE}`,
  }),
  'demo-is-built-in': (): Saying => ({ what: say`the profile demo is built in: nothing is saved in it` }),
  'profile-unknown': ({
    name,
    namedBy,
    names,
  }: {
    name: string;
    namedBy?: string;
    names: readonly string[];
  }): Saying => ({
    what: say`there is no profile ${stranger(name)}${namedBy && ` (named by ${namedBy})`}; there are ${someOf(names)}`,
    toDo: say`${next('waybill', 'profile', 'list')} shows them`,
  }),
  'saved-unknown': ({
    saved,
    profile,
    name,
    names,
    askedBy,
  }: {
    saved: keyof typeof SAVED;
    profile: string;
    name: string;
    names: readonly string[];
    askedBy: string;
  }): Saying => ({
    what: say`${askedBy}the profile ${profile} has no ${SAVED[saved].noun} ${stranger(name)}${didYouMean(name, names)}; it has ${someOf(names) || 'none'}`,
    toDo: say`Add one: ${pattern(SAVED[saved].add)}`,
  }),
  'value-not-allowed': ({
    where,
    value,
    allowed,
  }: {
    where: string;
    value: string;
    allowed: string;
  }): Saying => ({
    what: say`${where} must be ${allowed}, not ${stranger(value)}`,
  }),
  'amounts-unreadable': ({ where, value }: { where: string; value: string }): Saying => ({
    what: say`${where} must be amounts with currencies, such as 20EUR or 500EUR,300USD, not ${stranger(value)}`,
  }),
  'amount-too-large': ({ where, value, most }: { where: string; value: string; most: number }): Saying => ({
    what: say`${where} is ${stranger(value)}, but at most ${most} is allowed`,
  }),
  'currency-twice': ({ where, value, currency }: Record<'where' | 'value' | 'currency', string>): Saying => ({
    what: say`${where} has ${currency} twice: ${stranger(value)}`,
  }),
  'kept-for-terminal': ({ command: typed, reserved }: Record<'command' | 'reserved', string>): Saying => ({
    what: say`${typed} needs a person at a terminal: the profile says policy.${reserved}=terminal`,
  }),
  'too-many-bytes': ({ where, bytes, most }: { where: string; bytes: number; most: number }): Saying => ({
    what: say`${where} has ${bytes} bytes, but at most ${most} are allowed`,
  }),
  'token-with-scheme': ({ scheme }: { scheme: string }): Saying => ({
    what: say`the token begins with ${stranger(`${scheme} `)}, which is sent anyway: leave it out, or set authScheme (WAYBILL_AUTH_SCHEME) to none`,
  }),
  'token-file-unusable': ({ file = HIDDEN_FILE, ...fault }: SecretFault & { file?: string }): Saying => ({
    what: say`WAYBILL_TOKEN_FILE names ${file}, but ${secretFaultWords('its text', fault)}`,
    toDo: say`Write the token there, or set WAYBILL_TOKEN`,
  }),
  'header-name-not-allowed': ({ name }: { name: string }): Saying => ({
    what: say`${stranger(name)} is no header: letters, digits and hyphens, such as X-Api-Key`,
  }),
  'header-without-credential': ({ name, option }: { name: string; option?: string }): Saying => ({
    what: say`${option && `${option}: `}the header ${name} cannot carry a credential`,
  }),
  'header-credential-unusable': ({
    name,
    file,
    ...fault
  }: SecretFault & { name: string; file?: string }): Saying => {
    const credential = `the credential for the header ${name}`;
    const inFile = file === undefined ? '' : `the file ${file} cannot be used: `;
    return {
      what:
        fault.fault === 'letters'
          ? secretFaultWords(credential, fault)
          : say`${credential}: ${inFile}${secretFaultWords('it', fault)}`,
    };
  },
  'secret-file-missing': ({ file }: { file: string }): Saying => ({
    what: say`the file ${file} does not exist yet`,
  }),
  'secret-file-open-to-others': ({ file }: { file: string }): Saying => ({
    what: say`the file ${file} can be read by other users: ${pattern(`chmod 600 ${shellWord(file)}`)}`,
  }),
  'secret-source-unknown': ({ option }: { option: string }): Saying => ({
    what: say`${option} accepts NAME=@env:VARIABLE, NAME=@FILE or NAME=@- (stdin), never the secret itself`,
  }),
  'secret-of-several-lines': (): Saying => ({
    what: say`stdin has several lines, but a secret is one line`,
  }),
  'secret-on-stdin-missing': (): Saying => ({ what: say`no secret: stdin is empty` }),
  'secret-on-stdin-unusable': (fault: SecretFault): Saying => ({
    what: secretFaultWords('the secret on stdin', fault),
  }),
  'program-unreadable': ({ option, unended }: { option: string; unended?: string }): Saying => ({
    what: say`${option} takes a program, such as 'pass show waybill': ${
      unended === undefined ? 'it names no program' : `${unended} does not end`
    }`,
    toDo: say`No shell runs it: $ * ; | are plain characters`,
  }),
  'token-command-failed': ({
    profile,
    program,
    ...fault
  }: SecretFault & { profile: string; program: readonly string[] }): Saying =>
    programSaying(
      `the token command of profile ${profile} failed`,
      program,
      fault,
      `waybill profile set ${profile} --token-command CMD`,
    ),
  'journal-password-command-failed': ({
    program,
    ...fault
  }: SecretFault & { program: readonly string[] }): Saying =>
    programSaying(
      'the password command of the journal failed',
      program,
      fault,
      'waybill profile set NAME journalPasswordCommand=CMD',
    ),
  'token-url-with-secret': (): Saying => ({
    what: say`${flag('--token-url')} has a user name, a query or a fragment: secrets belong in headers`,
    toDo: TOKEN_URL,
  }),
  'token-url-not-https': ({ url }: { url: string }): Saying => ({
    what: say`${flag('--token-url')}: ${url} does not begin with https: (http: only if both are on loopback)`,
    toDo: TOKEN_URL,
  }),
  'demo-beside-environment': (): Saying => ({
    what: say`WAYBILL_PROFILE=demo contradicts the address or token in the environment`,
    toDo: UNSET_ONE,
  }),
  'two-tokens': ({ variables }: { variables: readonly string[] }): Saying => ({
    what: say`${variables.join(' and ')} are both set`,
    toDo: UNSET_ONE,
  }),
  'token-without-address': ({ variable }: { variable: string }): Saying => ({
    what: say`${variable} is set, but WAYBILL_BASE_URL is not`,
    toDo: say`Set both, or name a profile that has a token: ${flag('--profile')}`,
  }),
  'address-refused': ({
    where,
    address,
    fault,
  }: {
    where: string;
    address?: string;
    fault: AddressFault;
  }): Saying => ({
    what: say`${where}: the address ${address && `${stranger(address)} `}${ADDRESS_FAULTS[fault]}`,
  }),
  'one-address-for-both': ({ address, ...change }: AddressChange & { address: string }): Saying => {
    const [production, sandbox] =
      change.change === 'environment'
        ? ['WAYBILL_BASE_URL', 'WAYBILL_SANDBOX_BASE_URL']
        : ['baseUrl', 'sandboxBaseUrl'];
    const toDo = {
      profile: say`Set another one: ${pattern(`waybill profile set ${'profile' in change ? change.profile : 'NAME'} sandboxBaseUrl=URL`)}`,
      environment: UNSET_ONE,
      input: say`Nothing was saved`,
      answer: say`Type another one, or nothing`,
    };
    return {
      what: say`production (${production}) and sandbox (${sandbox}) are one address, ${address}: ${flag('--sandbox')} would cost money`,
      toDo: toDo[change.change],
    };
  },
  'journal-address-with-password': ({ where }: { where: string }): Saying => ({
    what: say`${where} contains a password`,
    toDo: say`Use PGPASSWORD, PGPASSFILE or journalPasswordCommand`,
  }),
  'journal-address-refused': ({ where, ...fault }: JournalAddressFault & { where: string }): Saying => ({
    what: say`${where} ${journalFaultWords(fault)}`,
  }),
  'unknown-variables': ({ variables }: { variables: readonly UnknownName[] }): Saying => ({
    what: variablesText(variables),
  }),
  'unknown-settings': ({
    settings,
    profile,
  }: {
    settings: readonly UnknownName[];
    profile: string;
  }): Saying => ({
    what: settingsText(settings, profile),
  }),
  'unknown-names-refused': ({
    variables,
    settings,
    profile,
  }: {
    variables: readonly UnknownName[];
    settings: readonly UnknownName[];
    profile: string;
  }): Saying => ({
    what: joined([variablesText(variables), settingsText(settings, profile)], '; '),
    toDo: say`Correct or remove the name (a setting: ${pattern('waybill profile set NAME KEY=')})`,
  }),
};
