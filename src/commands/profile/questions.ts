// The questions that make a profile, and which of them are still open.
import { Failure } from '../../errors.ts';
import { nameFault, takenFault } from '../../profile/names.ts';
import { SETTINGS, withSetting } from '../../profile/settings.ts';
import type { Config, Profile } from '../../profile/store.ts';
import type { Question } from '../../prompts/question.ts';

export interface PartialProfile {
  name: string | undefined;
  profile: Profile;
}

export interface NamedProfile extends PartialProfile {
  name: string;
}

export interface ProfileQuestion {
  question(current: PartialProfile): Question;
  /** The profile with the answer. */
  apply(current: PartialProfile, answer: string): PartialProfile;
}

type AddressSetting = 'baseUrl' | 'sandboxBaseUrl';
export type Part = 'name' | AddressSetting | 'token';

/** Throws `usage`, naming everything that is missing. A profile may lack credentials. */
export function requireComplete({ name, profile }: PartialProfile): NamedProfile {
  if (name !== undefined && hasAddress(profile)) return { name, profile };
  const missing = [...(name === undefined ? ['a name'] : []), ...(hasAddress(profile) ? [] : ['an address'])];
  throw new Failure(
    'usage',
    `a profile needs ${missing.join(' and ')}: waybill profile add ${name ?? 'NAME'} --base-url URL`,
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

export const questionsFor = (config: Config): Readonly<Record<Part, ProfileQuestion>> => ({
  name: {
    question: ({ name }) => ({
      kind: 'text',
      id: 'name',
      message: 'Name of the profile',
      ...(name !== undefined && { value: name }),
      check: text => nameFault(text.trim()) ?? takenFault(config, text.trim()),
    }),
    apply: (current, name) => ({ ...current, name }),
  },
  baseUrl: addressQuestion('baseUrl', 'Address of the service', 'sandboxBaseUrl'),
  sandboxBaseUrl: addressQuestion('sandboxBaseUrl', 'Address of its sandbox, if it has one', 'baseUrl'),
  token: {
    question: ({ profile }) => ({
      kind: 'secret',
      id: 'token',
      message: `Token, hidden (Enter: ${profile.credentials === undefined ? 'none yet' : 'the one before'})`,
      check: () => undefined,
    }),
    apply: ({ name, profile }, token) => ({
      name,
      profile: token === '' ? profile : { ...profile, credentials: { kind: 'token', token } },
    }),
  },
});

/** An address may be left out if the profile has the other one. */
const addressQuestion = (key: AddressSetting, message: string, other: AddressSetting): ProfileQuestion => ({
  question: ({ profile }) => ({
    kind: 'text',
    id: key,
    message,
    ...(profile[key] !== undefined && { value: profile[key] }),
    check: text => (text.trim() === '' && profile[other] !== undefined ? undefined : addressFault(key, text)),
  }),
  apply: ({ name, profile }, answer) => ({ name, profile: withSetting(profile, key, answer) }),
});

function addressFault(key: AddressSetting, text: string): string | undefined {
  try {
    SETTINGS[key].read(text.trim(), key);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
