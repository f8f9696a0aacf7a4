// The questions that make a profile, and what of it is missing.
import { Failure } from '../../errors.ts';
import { nameFault, takenFault } from '../../profile/names.ts';
import { SETTINGS, withSetting } from '../../profile/settings.ts';
import type { Config, Profile } from '../../profile/store.ts';
import type { Question } from '../../prompts/question.ts';

/** A profile as far as it goes. */
export interface Sheet {
  name: string | undefined;
  profile: Profile;
}

export interface Named extends Sheet {
  name: string;
}

export interface Step {
  question(sheet: Sheet): Question;
  take(sheet: Sheet, answer: string): Sheet;
}

/** Is there something to ask for? */
export const lacks = (sheet: Sheet): boolean => missingIn(sheet).length > 0;

/** Throws `usage`, naming all that is missing; credentials may be. */
export function whole({ name, profile }: Sheet): Named {
  if (name !== undefined && hasAddress(profile)) return { name, profile };
  const missing = [...(name === undefined ? ['a name'] : []), ...(hasAddress(profile) ? [] : ['an address'])];
  throw new Failure(
    'usage',
    `a profile needs ${missing.join(' and ')}: waybill profile add ${name ?? 'NAME'} --base-url URL`,
  );
}

type Address = 'baseUrl' | 'sandboxBaseUrl';
export type Part = 'name' | Address | 'token';

/** In the order in which it is asked for. */
export function missingIn({ name, profile }: Sheet): Part[] {
  return [
    ...(name === undefined ? (['name'] as const) : []),
    ...(hasAddress(profile) ? [] : (['baseUrl', 'sandboxBaseUrl'] as const)),
    ...(profile.credentials === undefined ? (['token'] as const) : []),
  ];
}

const hasAddress = ({ baseUrl, sandboxBaseUrl }: Profile): boolean =>
  baseUrl !== undefined || sandboxBaseUrl !== undefined;

export const STEPS: Readonly<Record<Part, (config: Config) => Step>> = {
  name: config => ({
    question: ({ name }) => ({
      kind: 'text',
      id: 'name',
      message: 'Name of the profile',
      ...(name !== undefined && { value: name }),
      check: text => nameFault(text.trim()) ?? takenFault(config, text.trim()),
    }),
    take: (sheet, answer) => ({ ...sheet, name: answer }),
  }),
  baseUrl: () => addressStep('baseUrl', 'Address of the service', 'sandboxBaseUrl'),
  sandboxBaseUrl: () => addressStep('sandboxBaseUrl', 'Address of its sandbox, if it has one', 'baseUrl'),
  token: () => ({
    question: ({ profile }) => ({
      kind: 'secret',
      id: 'token',
      message: `Token, hidden (Enter: ${profile.credentials === undefined ? 'none yet' : 'the one before'})`,
      check: () => undefined,
    }),
    take: (sheet, token) =>
      token === ''
        ? sheet
        : { ...sheet, profile: { ...sheet.profile, credentials: { kind: 'token', token } } },
  }),
};

/** An address may be left out where there is the other one. */
function addressStep(key: Address, message: string, other: Address): Step {
  return {
    question: ({ profile }) => ({
      kind: 'text',
      id: key,
      message,
      ...(profile[key] !== undefined && { value: profile[key] }),
      check: text =>
        text.trim() === '' && profile[other] !== undefined ? undefined : addressFault(key, text),
    }),
    take: (sheet, answer) => ({ ...sheet, profile: withSetting(sheet.profile, key, answer) }),
  };
}

function addressFault(key: Address, text: string): string | undefined {
  try {
    SETTINGS[key].read(text.trim(), key);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
