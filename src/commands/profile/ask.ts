// The form of `profile add`: it asks for what is missing, and tests the profile before it is saved.
import { OPERATIONS } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import { nameFault, takenFault } from '../../profile/names.ts';
import { SETTINGS, withSetting } from '../../profile/settings.ts';
import type { Config, Profile } from '../../profile/store.ts';
import type { Question } from '../../prompts/question.ts';
import { openSession, type Session } from '../../session/session.ts';
import { NO_ID } from './test.ts';

export interface PartialProfile {
  name: string | undefined;
  profile: Profile;
}

export interface NamedProfile extends PartialProfile {
  name: string;
}

/** What the form can ask for. */
type Part = 'name' | 'baseUrl' | 'sandboxBaseUrl' | 'token';

const NOTHING_SAVED = 'nothing was saved; `waybill profile add` begins again';

/** Throws `usage`, naming everything that is missing. A profile may lack credentials. */
export function requireComplete({ name, profile }: PartialProfile): NamedProfile {
  if (name !== undefined && hasAddress(profile)) return { name, profile };
  const missing = [...(name === undefined ? ['a name'] : []), ...(hasAddress(profile) ? [] : ['an address'])];
  throw new Failure(
    'usage',
    `a profile needs ${missing.join(' and ')}. Type \`waybill profile add ${name ?? 'NAME'} --base-url URL\``,
  );
}

/** In the order in which they are asked for. */
export function missingParts({ name, profile }: PartialProfile): Part[] {
  return [
    ...(name === undefined ? (['name'] as const) : []),
    ...(hasAddress(profile) ? [] : (['baseUrl', 'sandboxBaseUrl'] as const)),
    ...(profile.credentials === undefined ? (['token'] as const) : []),
  ];
}

const hasAddress = ({ baseUrl, sandboxBaseUrl }: Profile): boolean =>
  baseUrl !== undefined || sandboxBaseUrl !== undefined;

/** Throws `interrupted` if the person leaves. */
export async function askForProfile(session: Session, start: PartialProfile): Promise<NamedProfile> {
  const { interrupted } = session.host;
  let parts = missingParts(start);
  let current = start;
  try {
    for (;;) {
      for (let at = 0; at < parts.length; ) {
        const next = await askForPart(session, current, parts[at] as Part, at > 0 ? 'back' : 'leave');
        current = next ?? current;
        at += next === undefined ? -1 : 1;
      }
      const named = requireComplete(current);
      const problem = await testProfile(session, named);
      if (problem === undefined || (await isSavedAnyway(session, problem))) return named;
      const hasToken = named.profile.credentials?.kind === 'token';
      parts = ['baseUrl', 'sandboxBaseUrl', ...(hasToken ? (['token'] as const) : [])];
    }
  } catch (error) {
    if (!isInterruption(error)) throw error;
    if (interrupted.aborted) throw interruption(interrupted, NOTHING_SAVED);
    throw new Failure('interrupted', `you left profile add; ${NOTHING_SAVED}`, {}, { cause: error });
  }
}

const isInterruption = (error: unknown): boolean => error instanceof Failure && error.code === 'interrupted';

/** False: the person types address and token again. Throws `interrupted` if they leave. */
async function isSavedAnyway(session: Session, { message }: Failure): Promise<boolean> {
  const answer = await session.ask({
    kind: 'choice',
    id: 'problem',
    message: 'What now?',
    hint: message,
    choices: [
      { value: 'again', name: 'Type address and token again' },
      { value: 'save', name: 'Save it anyway' },
    ],
    esc: 'leave',
  });
  return answer === 'save';
}

/** The profile with the answer; `undefined`: back. */
async function askForPart(
  session: Session,
  current: PartialProfile,
  part: Part,
  esc: Question['esc'],
): Promise<PartialProfile | undefined> {
  const answer = (await session.ask({ ...questionFor(session.config, current, part), esc }))?.trim();
  if (answer === undefined) return undefined;
  const { name, profile } = current;
  if (part === 'name') return { name: answer, profile };
  if (part !== 'token') return { name, profile: withSetting(profile, part, answer) };
  return answer === ''
    ? current
    : { name, profile: { ...profile, credentials: { kind: 'token', token: answer } } };
}

function questionFor(config: Config, { name, profile }: PartialProfile, part: Part): Question {
  switch (part) {
    case 'name':
      return {
        kind: 'text',
        id: part,
        message: 'Name of the profile',
        value: name,
        check: text => nameFault(text.trim()) ?? takenFault(config, text.trim()),
      };
    case 'token':
      return {
        kind: 'secret',
        id: part,
        message: `Token, hidden (Enter: ${profile.credentials === undefined ? 'none yet' : 'the one before'})`,
        check: () => undefined,
      };
    default: {
      // An address may be left out if the profile has the other one.
      const isOptional = profile[part === 'baseUrl' ? 'sandboxBaseUrl' : 'baseUrl'] !== undefined;
      return {
        kind: 'text',
        id: part,
        message: part === 'baseUrl' ? 'Address of the service' : 'Address of its sandbox, if it has one',
        value: profile[part],
        check: text => (isOptional && text.trim() === '' ? undefined : addressFault(part, text.trim())),
      };
    }
  }
}

function addressFault(key: 'baseUrl' | 'sandboxBaseUrl', text: string): string | undefined {
  try {
    SETTINGS[key].read(text, key);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** Why the address or the credentials do not work; `undefined`: they do, or there are no credentials to test. */
async function testProfile(session: Session, { name, profile }: NamedProfile): Promise<Failure | undefined> {
  const { host, globals, printer } = session;
  if (profile.credentials === undefined) {
    await printer.note('the profile was not tested, because it has no token yet');
    return undefined;
  }
  // Like --profile: the environment has no say in it.
  const flags = { ...globals, profile: name, sandbox: profile.baseUrl === undefined };
  const candidate = openSession(host, flags, { profiles: { [name]: profile } });
  try {
    await candidate.read(OPERATIONS.getShipment, { parameters: { shipmentId: NO_ID } });
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
