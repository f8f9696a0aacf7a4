// The form of `profile add`: it asks for what is missing, and tests the profile before it is saved.
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import type { Choice } from '../../prompts/question.ts';
import { openSession, type Session } from '../../session/session.ts';
import {
  missingParts,
  type NamedProfile,
  type Part,
  type PartialProfile,
  questionsFor,
  requireComplete,
} from './questions.ts';
import { accessWords, testAccess } from './test.ts';

const NOTHING_SAVED = 'nothing was saved; `waybill profile add` begins again';

/** Throws `interrupted` if the person leaves. */
export async function askForProfile(session: Session, start: PartialProfile): Promise<NamedProfile> {
  const { interrupted } = session.host;
  try {
    return await askAndTest(session, start);
  } catch (error) {
    if (!isInterruption(error)) throw error;
    if (interrupted.aborted) throw interruption(interrupted, NOTHING_SAVED);
    throw new Failure('interrupted', `you left profile add; ${NOTHING_SAVED}`, {}, { cause: error });
  }
}

const isInterruption = (error: unknown): boolean => error instanceof Failure && error.code === 'interrupted';

async function askAndTest(session: Session, start: PartialProfile): Promise<NamedProfile> {
  const parts = missingParts(start);
  let named = await askFor(session, start, parts);
  for (;;) {
    const problem = await testProfile(session, named);
    const changed = problem && (await askForFix(session, named, parts, problem));
    if (changed === undefined) return named;
    named = changed;
  }
}

/** Asks for these parts, beginning with one of them; back is the part before. */
async function askFor(
  session: Session,
  start: PartialProfile,
  parts: readonly Part[],
  first = 0,
): Promise<NamedProfile> {
  let current = start;
  for (let at = first; at < parts.length; ) {
    const next = await askForPart(session, current, parts[at] as Part);
    current = next ?? current;
    at = next === undefined ? Math.max(0, at - 1) : at + 1;
  }
  return requireComplete(current);
}

/** `undefined`: back. */
async function askForPart(
  session: Session,
  current: PartialProfile,
  part: Part,
): Promise<PartialProfile | undefined> {
  const { question, apply } = questionsFor(session.config)[part];
  const answer = await session.ask(question(current));
  return answer === undefined ? undefined : apply(current, answer.trim());
}

interface Problem {
  /** Without any secret. */
  message: string;
  /** The service refuses the credentials. */
  isRefusal: boolean;
}

/** Why the address or the credentials do not work; `undefined`: they do, or there are no credentials to test. */
async function testProfile(session: Session, { name, profile }: NamedProfile): Promise<Problem | undefined> {
  const { host, globals, printer } = session;
  if (profile.credentials === undefined) {
    await printer.note('not tested: there is no token yet');
    return undefined;
  }
  // Like --profile: the environment has no say in it.
  const flags = { ...globals, profile: name, sandbox: profile.baseUrl === undefined };
  const candidate = openSession(host, flags, { profiles: { [name]: profile } });
  try {
    const access = await testAccess(candidate);
    await candidate.printer.progress('');
    await printer.note(accessWords(access));
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure) || isInterruption(error)) throw error;
    await candidate.printer.progress('');
    return { message: error.message, isRefusal: error.code === 'unauthorized' };
  } finally {
    await candidate.close();
  }
}

/** The profile with a change; `undefined`: it is saved as it is. */
async function askForFix(
  session: Session,
  named: NamedProfile,
  parts: readonly Part[],
  { message, isRefusal }: Problem,
): Promise<NamedProfile | undefined> {
  const address = named.profile.baseUrl === undefined ? 'sandboxBaseUrl' : 'baseUrl';
  const hasToken = named.profile.credentials?.kind === 'token';
  const choices: Choice[] = [
    { value: address, name: 'Change the address' },
    ...(hasToken ? [{ value: 'token', name: 'Type the token again' }] : []),
    { value: 'save', name: 'Save it anyway' },
    { value: 'leave', name: 'Leave, and save nothing' },
  ];
  for (;;) {
    const answer = await session.ask({
      kind: 'choice',
      id: 'problem',
      message: 'What now?',
      hint: message,
      choices,
      defaultAnswer: isRefusal && hasToken ? 'token' : address,
    });
    switch (answer) {
      case undefined:
        return askFor(session, named, parts, parts.length - 1);
      case 'save':
        return undefined;
      case 'leave':
        throw new Failure('interrupted', NOTHING_SAVED);
    }
    const changed = await askForPart(session, named, answer as Part);
    if (changed !== undefined) return requireComplete(changed);
  }
}
