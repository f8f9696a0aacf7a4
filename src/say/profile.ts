// What is said of profiles and their config file.
import { didYouMean, meantWords } from '../nearest.ts';
import { commandText, shellWord, someOf } from '../text.ts';
import { flag, joinedTexts, next, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

interface ConfigFile {
  path: string;
}

/** What to do about a folder that cannot be used. `variable`: the name of the variable for another folder. */
export const otherFolder = (variable: string): Text => say`To use another folder, set ${variable}`;

const OTHER_CONFIG_FOLDER = otherFolder('WAYBILL_CONFIG_DIR');

/** Why a secret cannot be used, without the secret itself. */
export type SecretFault =
  /** The secret has characters that a header cannot have. */
  | { fault: 'letters' }
  | { fault: 'empty' }
  | { fault: 'unreadable'; why: string }
  | { fault: 'variable-unset'; variable: string }
  /** This and the next two: a program that was to print the secret failed. */
  | { fault: 'unstartable'; why: string }
  | { fault: 'ended'; exitCode: number; said?: string }
  | { fault: 'printed-nothing' };

/** Why a secret cannot be used; `secret`: what is said to contain it. */
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

/** Stands in place of the name of a file, if that name may be the token itself. */
export const HIDDEN_FILE = 'a file (name not shown: it may be the token)';

/** What to change if production and the sandbox have the same address. */
export type AddressChange =
  | { change: 'profile'; profile: string }
  | { change: 'environment' }
  /** What was typed is to be changed: nothing was saved. */
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

/** A name that waybill does not know, and the known name that is probably meant. */
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

/** Says that a program, which the profile names to print a secret, gave none. */
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

/** The rule for names of profiles, and for the names of what a profile saves. */
export const NAME_RULE = 'a name has up to 64 letters, digits and . _ - @';

export const PROFILE = {
  'no-home-folder': (notice: { holds: 'journal' | 'config'; variable: string }): Saying => ({
    what: say`there is no home folder (HOME) for the ${notice.holds}`,
    toDo: say`Set ${notice.variable} to a writable folder (absolute path)`,
  }),
  'folder-is-relative': (notice: Record<'variable' | 'value' | 'example', string>): Saying => ({
    what: say`${notice.variable} is ${stranger(notice.value)}, a relative path: each folder would have its own journal, and book again`,
    toDo: say`Set ${notice.variable}=${notice.example}`,
  }),
  'vouched-in-other-words': (notice: Record<'where' | 'value' | 'allowed', string>): Saying => ({
    what: say`${notice.where} must be ${notice.allowed} or unset, not ${stranger(notice.value)}`,
    toDo: say`${next('waybill', 'help', 'journal')} says what it vouches for`,
  }),
  'config-unreadable': (notice: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${notice.path} cannot be read: ${notice.why}`,
    toDo: OTHER_CONFIG_FOLDER,
  }),
  'config-unwritable': (notice: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${notice.path} cannot be written: ${notice.why}; nothing was saved`,
    toDo: OTHER_CONFIG_FOLDER,
  }),
  'config-is-no-file': (notice: ConfigFile): Saying => ({
    what: say`the config ${notice.path} is not a plain file (is it a link?)`,
    toDo: say`Put the file itself there, or set WAYBILL_CONFIG_DIR`,
  }),
  'config-of-other-user': (notice: ConfigFile & { owner: number; user: number }): Saying => ({
    what: say`the config ${notice.path} belongs to another user (id ${notice.owner})`,
    toDo: say`${CHECK_CONTENTS} ${pattern(`chown ${notice.user} ${shellWord(notice.path)}`)}`,
  }),
  'config-open-to-all': (notice: ConfigFile & { mode: string }): Saying => ({
    what: say`the config ${notice.path} can be written by every user (mode ${notice.mode})`,
    toDo: say`${CHECK_CONTENTS} ${pattern(`chmod 600 ${shellWord(notice.path)}`)}`,
  }),
  'config-shows-secrets': (notice: ConfigFile & { mode: string }): Saying => ({
    what: say`the config ${notice.path} has secrets that other users can read (mode ${notice.mode}): ${pattern(`chmod 600 ${shellWord(notice.path)}`)}`,
  }),
  'config-damaged': (notice: ConfigFile & { why: string }): Saying => ({
    what: say`the config ${notice.path} is damaged and was not changed: ${notice.why}`,
    toDo: say`Repair it, or move it away`,
  }),
  'name-not-allowed': (notice: { name: string; noun: string }): Saying => ({
    what: say`${stranger(notice.name)} is no name for ${notice.noun}: ${NAME_RULE}`,
  }),
  'demo-is-built-in': (): Saying => ({ what: say`the profile demo is built in: nothing is saved in it` }),
  'profile-unknown': (notice: { name: string; namedBy?: string; names: readonly string[] }): Saying => ({
    what: say`there is no profile ${stranger(notice.name)}${notice.namedBy && ` (named by ${notice.namedBy})`}; there are ${someOf(notice.names)}`,
    toDo: say`${next('waybill', 'profile', 'list')} shows them`,
  }),
  'saved-unknown': (notice: {
    saved: keyof typeof SAVED;
    profile: string;
    name: string;
    names: readonly string[];
    askedBy: string;
  }): Saying => ({
    what: say`${notice.askedBy}the profile ${notice.profile} has no ${SAVED[notice.saved].noun} ${stranger(notice.name)}${didYouMean(notice.name, notice.names)}; it has ${someOf(notice.names) || 'none'}`,
    toDo: say`Add one: ${pattern(SAVED[notice.saved].add)}`,
  }),
  'value-not-allowed': (notice: { where: string; value: string; allowed: string }): Saying => ({
    what: say`${notice.where} must be ${notice.allowed}, not ${stranger(notice.value)}`,
  }),
  'amounts-unreadable': (notice: { where: string; value: string }): Saying => ({
    what: say`${notice.where} must be amounts with currencies, such as 20EUR or 500EUR,300USD, not ${stranger(notice.value)}`,
  }),
  'amount-too-large': (notice: { where: string; value: string; most: number }): Saying => ({
    what: say`${notice.where} is ${stranger(notice.value)}, but at most ${notice.most} is allowed`,
  }),
  'currency-twice': (notice: Record<'where' | 'value' | 'currency', string>): Saying => ({
    what: say`${notice.where} has ${notice.currency} twice: ${stranger(notice.value)}`,
  }),
  'kept-for-terminal': (notice: Record<'command' | 'reserved', string>): Saying => ({
    what: say`${notice.command} needs a person at a terminal: the profile says policy.${notice.reserved}=terminal`,
  }),
  'too-many-bytes': (notice: { where: string; bytes: number; most: number }): Saying => ({
    what: say`${notice.where} has ${notice.bytes} bytes, but at most ${notice.most} are allowed`,
  }),
  'token-with-scheme': (notice: { scheme: string }): Saying => ({
    what: say`the token begins with ${stranger(`${notice.scheme} `)}, which is sent anyway: leave it out, or set authScheme (WAYBILL_AUTH_SCHEME) to none`,
  }),
  'token-file-unusable': (notice: SecretFault & { file?: string }): Saying => ({
    what: say`WAYBILL_TOKEN_FILE names ${notice.file ?? HIDDEN_FILE}, but ${secretFaultWords('its text', notice)}`,
    toDo: say`Write the token there, or set WAYBILL_TOKEN`,
  }),
  'header-name-not-allowed': (notice: { name: string }): Saying => ({
    what: say`${stranger(notice.name)} is no header: letters, digits and hyphens, such as X-Api-Key`,
  }),
  'header-without-credential': (notice: { name: string; option?: string }): Saying => ({
    what: say`${notice.option && `${notice.option}: `}the header ${notice.name} cannot carry a credential`,
  }),
  'header-credential-unusable': (notice: SecretFault & { name: string; file?: string }): Saying => {
    const credential = `the credential for the header ${notice.name}`;
    const inFile = notice.file === undefined ? '' : `the file ${notice.file} cannot be used: `;
    return {
      what:
        notice.fault === 'letters'
          ? secretFaultWords(credential, notice)
          : say`${credential}: ${inFile}${secretFaultWords('it', notice)}`,
    };
  },
  'secret-file-missing': (notice: { file: string }): Saying => ({
    what: say`the file ${notice.file} does not exist yet`,
  }),
  'secret-file-open-to-others': (notice: { file: string }): Saying => ({
    what: say`the file ${notice.file} can be read by other users: ${pattern(`chmod 600 ${shellWord(notice.file)}`)}`,
  }),
  'secret-source-unknown': (notice: { option: string }): Saying => ({
    what: say`${notice.option} accepts NAME=@env:VARIABLE, NAME=@FILE or NAME=@- (stdin), never the secret itself`,
  }),
  'secret-of-several-lines': (): Saying => ({
    what: say`stdin has several lines, but a secret is one line`,
  }),
  'secret-on-stdin-missing': (): Saying => ({ what: say`no secret: stdin is empty` }),
  'secret-on-stdin-unusable': (fault: SecretFault): Saying => ({
    what: secretFaultWords('the secret on stdin', fault),
  }),
  'program-unreadable': (notice: { option: string; unended?: string }): Saying => ({
    what: say`${notice.option} takes a program, such as 'pass show waybill': ${
      notice.unended === undefined ? 'it names no program' : `${notice.unended} does not end`
    }`,
    toDo: say`No shell runs it: $ * ; | are plain characters`,
  }),
  'token-command-failed': (notice: SecretFault & { profile: string; program: readonly string[] }): Saying =>
    programSaying(
      `the token command of profile ${notice.profile} failed`,
      notice.program,
      notice,
      `waybill profile set ${notice.profile} --token-command CMD`,
    ),
  'journal-password-command-failed': (notice: SecretFault & { program: readonly string[] }): Saying =>
    programSaying(
      'the password command of the journal failed',
      notice.program,
      notice,
      'waybill profile set NAME journalPasswordCommand=CMD',
    ),
  'token-url-with-secret': (): Saying => ({
    what: say`${flag('--token-url')} has a user name, a query or a fragment: secrets belong in headers`,
    toDo: TOKEN_URL,
  }),
  'token-url-not-https': (notice: { url: string }): Saying => ({
    what: say`${flag('--token-url')}: ${notice.url} does not begin with https: (http: only if both are on loopback)`,
    toDo: TOKEN_URL,
  }),
  'demo-beside-environment': (): Saying => ({
    what: say`WAYBILL_PROFILE=demo contradicts the address or token in the environment`,
    toDo: UNSET_ONE,
  }),
  'two-tokens': (notice: { variables: readonly string[] }): Saying => ({
    what: say`${notice.variables.join(' and ')} are both set`,
    toDo: UNSET_ONE,
  }),
  'token-without-address': (notice: { variable: string }): Saying => ({
    what: say`${notice.variable} is set, but WAYBILL_BASE_URL is not`,
    toDo: say`Set both, or name a profile that has a token: ${flag('--profile')}`,
  }),
  'address-refused': (notice: { where: string; address?: string; fault: AddressFault }): Saying => ({
    what: say`${notice.where}: the address ${notice.address && `${stranger(notice.address)} `}${ADDRESS_FAULTS[notice.fault]}`,
  }),
  'one-address-for-both': (notice: AddressChange & { address: string }): Saying => {
    const [production, sandbox] =
      notice.change === 'environment'
        ? ['WAYBILL_BASE_URL', 'WAYBILL_SANDBOX_BASE_URL']
        : ['baseUrl', 'sandboxBaseUrl'];
    const toDo = {
      profile: say`Set another one: ${pattern(`waybill profile set ${'profile' in notice ? notice.profile : 'NAME'} sandboxBaseUrl=URL`)}`,
      environment: UNSET_ONE,
      input: say`Nothing was saved`,
      answer: say`Type another one, or nothing`,
    };
    return {
      what: say`production (${production}) and sandbox (${sandbox}) are one address, ${notice.address}: ${flag('--sandbox')} would cost money`,
      toDo: toDo[notice.change],
    };
  },
  'journal-address-with-password': (notice: { where: string }): Saying => ({
    what: say`${notice.where} contains a password`,
    toDo: say`Use PGPASSWORD, PGPASSFILE or journalPasswordCommand`,
  }),
  'journal-address-refused': (notice: JournalAddressFault & { where: string }): Saying => ({
    what: say`${notice.where} ${journalFaultWords(notice)}`,
  }),
  'unknown-variables': (notice: { variables: readonly UnknownName[] }): Saying => ({
    what: variablesText(notice.variables),
  }),
  'unknown-settings': (notice: { settings: readonly UnknownName[]; profile: string }): Saying => ({
    what: settingsText(notice.settings, notice.profile),
  }),
  'unknown-names-refused': (notice: {
    variables: readonly UnknownName[];
    settings: readonly UnknownName[];
    profile: string;
  }): Saying => ({
    what: joinedTexts([variablesText(notice.variables), settingsText(notice.settings, notice.profile)], '; '),
    toDo: say`Correct or remove the name (a setting: ${pattern('waybill profile set NAME KEY=')})`,
  }),
};
