// `profile add`: from flags and a file, and on a terminal from a person, who is asked for what is missing. What a person
// gave is tested before it is saved.
import { OPERATIONS } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import type { Question } from '../../host/question.ts';
import { interruption } from '../../host/signals.ts';
import { optionWords } from '../../order/options.ts';
import { otherProfileWords } from '../../profile/environment.ts';
import { economyNote, readSetting, withSetting } from '../../profile/settings.ts';
import {
  type Config,
  changeConfig,
  nameFault,
  type Profile,
  refuseBadName,
  takenFault,
} from '../../profile/store.ts';
import { SETTINGS } from '../../profile/table.ts';
import { refuseOneAddress } from '../../profile/target.ts';
import { declare, operand, SILENT } from '../../session/command.ts';
import { readObject } from '../../session/files.ts';
import { flag, grouped, type OptionsOf } from '../../session/flags.ts';
import { openSession, type Session } from '../../session/session.ts';
import { messageOf } from '../../system-errors.ts';
import { shellWord } from '../../text.ts';
import { confirmMove } from './change-of-place.ts';
import { CREDENTIAL_FLAGS, credentialChange, parseProfile, readsStdin, withFlags } from './settings.ts';
import { UNKNOWN_ID } from './test.ts';

const FLAGS = {
  ...grouped('Profile:', {
    baseUrl: flag('--base-url <url>', SETTINGS.baseUrl.help),
    sandboxBaseUrl: flag('--sandbox-base-url <url>', SETTINGS.sandboxBaseUrl.help),
    account: flag('--account <id>', SETTINGS.account.help),
    file: flag('-f, --file <path>', 'start from what `profile export` printed; - is stdin'),
  }),
  ...CREDENTIAL_FLAGS,
};

type AddOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# A secret comes from stdin, a file, a variable or a program.',
    'echo your-token > token.txt',
    'waybill profile add outlet --base-url https://api.example.com --token-stdin < token.txt',
  ],
  output: SILENT,
  exits: { unauthorized: 'the service refused the credentials when the form tried them' },
  operands: [operand('[name]', 'its name')],
  flags: FLAGS,
  run: addProfile,
});

interface Draft {
  name: string | undefined;
  profile: Profile;
}

interface NamedProfile extends Draft {
  name: string;
}

async function addProfile(session: Session, options: AddOptions, name?: string): Promise<void> {
  const draft = await withoutCredentials(session, options, name);
  // A person who pipes something into stdin cannot answer questions there.
  const mayAsk = session.interactive && !readsStdin(options) && options.file !== '-';
  if (!mayAsk) complete(draft);
  const change = await credentialChange(options, session);
  const start = { ...draft, profile: change(draft.profile) };
  const asks = mayAsk && missingParts(start).length > 0;
  const added = asks ? await askForProfile(session, start) : complete(start);
  await confirmMove(session, 'profile add', added.name, undefined, added.profile);
  await save(session, added);
  if (asks) await session.printer.note(`to run this without questions: \`${sameCommand(options, added)}\``);
}

/** The profile that file and flags give, without credentials. Throws `usage`. */
async function withoutCredentials(
  session: Session,
  options: AddOptions,
  name: string | undefined,
): Promise<Draft> {
  const { config, host } = session;
  if (name !== undefined) {
    refuseTaken(config, name);
    refuseBadName(name, 'a profile');
  }
  const profile = options.file === undefined ? {} : parseProfile(await readObject(options.file, host), host);
  return { name, profile: withFlags(profile, options, host) };
}

/** Throws `usage` if name or address is missing, or if service and sandbox have one address. Credentials may be missing. */
function complete(draft: Draft): NamedProfile {
  const { name, profile } = draft;
  refuseOneAddress(profile.baseUrl, profile.sandboxBaseUrl, { change: 'input' });
  if (name !== undefined && hasAddress(profile)) return { name, profile };
  const missing = [...(name === undefined ? ['a name'] : []), ...(hasAddress(profile) ? [] : ['an address'])];
  throw new Failure(
    'usage',
    `a profile needs ${missing.join(' and ')}. Type \`waybill profile add ${name ?? 'NAME'} --base-url URL\``,
  );
}

const hasAddress = (profile: Profile): boolean =>
  profile.baseUrl !== undefined || profile.sandboxBaseUrl !== undefined;

/** The values that a person may be asked for. */
type Part = 'name' | 'baseUrl' | 'sandboxBaseUrl' | 'token';

const ADDRESSES: readonly Part[] = ['baseUrl', 'sandboxBaseUrl'];

/** The missing parts, in the order in which a person is asked for them. */
const missingParts = (draft: Draft): Part[] => [
  ...(draft.name === undefined ? (['name'] as const) : []),
  ...(hasAddress(draft.profile) ? [] : ADDRESSES),
  ...(draft.profile.credentials === undefined ? (['token'] as const) : []),
];

const NOTHING_SAVED = 'nothing was saved; `waybill profile add` begins again';

/** Throws `interrupted` if the person leaves. */
async function askForProfile(session: Session, start: Draft): Promise<NamedProfile> {
  const { interrupted } = session.host;
  let draft = start;
  let parts = missingParts(start);
  try {
    for (;;) {
      for (let at = 0; at < parts.length; ) {
        const part = parts[at] as Part;
        const question = questionFor(session.config, draft, part);
        const answer = await session.ask({ ...question, esc: at > 0 ? 'back' : 'leave' });
        if (answer !== undefined) draft = withAnswer(draft, part, answer.trim());
        at += answer === undefined ? -1 : 1;
      }
      const named = complete(draft);
      const problem = await testProfile(session, named);
      if (problem === undefined || (await session.ask(whatNow(problem))) === 'save') return named;
      parts = named.profile.credentials?.kind === 'token' ? [...ADDRESSES, 'token'] : [...ADDRESSES];
    }
  } catch (error) {
    if (!isInterruption(error)) throw error;
    if (interrupted.aborted) throw interruption(interrupted, { kind: 'stopped-adding-profile' });
    throw new Failure('interrupted', `you left profile add; ${NOTHING_SAVED}`, {}, { cause: error });
  }
}

const isInterruption = (error: unknown): boolean => error instanceof Failure && error.code === 'interrupted';

function questionFor(config: Config, draft: Draft, part: Part): Question {
  const textFor = (
    message: string,
    value: string | undefined,
    fault: (text: string) => string | undefined,
  ): Question => ({ kind: 'text', id: part, message, value, check: text => fault(text.trim()) });
  if (part === 'name')
    return textFor('Name of the profile', draft.name, text => nameFault(text) ?? takenFault(config, text));
  if (part === 'token') {
    const enter = draft.profile.credentials === undefined ? 'none yet' : 'the one before';
    return { kind: 'secret', id: part, message: `Token, hidden (Enter: ${enter})`, check: () => undefined };
  }
  // An address may be left out if the profile has the other one.
  const second = draft.profile[part === 'baseUrl' ? 'sandboxBaseUrl' : 'baseUrl'];
  const message = part === 'baseUrl' ? 'Address of the service' : 'Address of its sandbox, if it has one';
  return textFor(message, draft.profile[part], text => {
    try {
      if (text !== '' || second === undefined) readSetting(part, text);
      refuseOneAddress(text, second, { change: 'answer' });
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  });
}

function withAnswer(draft: Draft, part: Part, answer: string): Draft {
  if (part === 'name') return { ...draft, name: answer };
  if (part !== 'token') return { ...draft, profile: withSetting(draft.profile, part, answer) };
  if (answer === '') return draft;
  return { ...draft, profile: { ...draft.profile, credentials: { kind: 'token', token: answer } } };
}

const whatNow = (failure: Failure): Question => ({
  kind: 'choice',
  id: 'problem',
  message: 'What now?',
  hint: failure.message,
  choices: [
    { value: 'again', name: 'Type address and token again' },
    { value: 'save', name: 'Save it anyway' },
  ],
  esc: 'leave',
});

/** Calls the service. Gives why address or credentials do not work; `undefined`: both work, or there are no credentials to test. */
async function testProfile(session: Session, named: NamedProfile): Promise<Failure | undefined> {
  const { host, globals, printer } = session;
  if (named.profile.credentials === undefined) {
    await printer.note('the profile was not tested, because it has no token yet');
    return undefined;
  }
  // Flags win over the environment: so the new profile is tested, and nothing else.
  const flags = { ...globals, profile: named.name, sandbox: named.profile.baseUrl === undefined };
  const candidate = openSession(host, flags, { profiles: { [named.name]: named.profile } });
  try {
    await candidate.service.read(OPERATIONS.getShipment, { parameters: { shipmentId: UNKNOWN_ID } });
  } catch (error) {
    if (!(error instanceof Failure) || isInterruption(error)) throw error;
    if (error.code !== 'not_found') return error;
  } finally {
    await candidate.printer.progress('');
    await candidate.close();
  }
  await printer.note(`ok: ${candidate.address()} accepts the credentials`);
  return undefined;
}

async function save(session: Session, named: NamedProfile): Promise<void> {
  const { host, printer } = session;
  const { name, profile } = named;
  let isCurrent = false;
  await changeConfig(host, now => {
    refuseTaken(now, name);
    // Another command may have added a profile while a person was asked.
    isCurrent = now.current === undefined;
    return { current: now.current ?? name, profiles: { ...now.profiles, [name]: profile } };
  });
  await printer.note(
    `profile ${name} saved${isCurrent ? '. It is the current one from now on' : `; \`waybill profile use ${name}\` makes it the current one`}${otherProfileWords(host.env, name)}`,
  );
  if (profile.credentials === undefined && profile.clientCert === undefined)
    await printer.note(
      `it has no credentials yet; \`waybill profile set ${name} --token-stdin\` reads a token`,
    );
  if (profile.economyCarriers === undefined)
    await printer.note(economyNote(`waybill profile set ${name} economyCarriers=ID`));
}

function refuseTaken(config: Config, name: string): void {
  const fault = takenFault(config, name);
  if (fault) throw new Failure('usage', fault);
}

/** The command that adds this profile without questions. The token is read from a file: a secret does not belong on a command line. */
function sameCommand(options: AddOptions, named: NamedProfile): string {
  const { baseUrl, sandboxBaseUrl, credentials } = named.profile;
  const typed = Object.entries({ ...options, baseUrl, sandboxBaseUrl });
  return [
    `waybill profile add ${shellWord(named.name)}`,
    ...typed.flatMap(([option, value]) => optionWords(option, value)),
    ...(credentials?.kind === 'token' ? ['--token-stdin < token.txt'] : []),
  ].join(' ');
}
