// What `profile add` asks for, and the test of it before anything is saved.
import { Failure } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import type { Choice } from '../../prompts/question.ts';
import { openSession, type Session } from '../../session/session.ts';
import { missingIn, type Named, type Part, type Sheet, STEPS, type Step, whole } from './steps.ts';
import { prove, wordsOf } from './test.ts';

const NOTHING_SAVED = 'nothing was saved; `waybill profile add` begins again';

/** Asks for what is missing, and tests it before it gives it. Throws `interrupted` where the person leaves. */
export async function askedFor(session: Session, begun: Sheet): Promise<Named> {
  const { interrupted } = session.host;
  try {
    return await tested(session, begun);
  } catch (error) {
    if (!isInterruption(error)) throw error;
    if (interrupted.aborted) throw interruption(interrupted, NOTHING_SAVED);
    throw new Failure('interrupted', `profile add was left; ${NOTHING_SAVED}`, {}, { cause: error });
  }
}

const isInterruption = (error: unknown): boolean => error instanceof Failure && error.code === 'interrupted';

async function tested(session: Session, begun: Sheet): Promise<Named> {
  const steps = missingIn(begun).map(part => STEPS[part](session.config));
  let made = await filled(session, begun, steps);
  for (;;) {
    const trouble = await troubleWith(session, made);
    const changed = trouble && (await mended(session, made, steps, trouble));
    if (changed === undefined) return made;
    made = changed;
  }
}

/** The answers to these steps, from one of them on; back is the step before. */
async function filled(session: Session, begun: Sheet, steps: readonly Step[], first = 0): Promise<Named> {
  let sheet = begun;
  for (let at = first; at < steps.length; ) {
    const next = await answered(session, sheet, steps[at]);
    sheet = next ?? sheet;
    at = next === undefined ? Math.max(0, at - 1) : at + 1;
  }
  return whole(sheet);
}

/** `undefined`: back. */
async function answered(session: Session, sheet: Sheet, step: Step | undefined): Promise<Sheet | undefined> {
  if (step === undefined) return undefined;
  const answer = await session.ask(step.question(sheet));
  return answer === undefined ? undefined : step.take(sheet, answer.trim());
}

/** What address and credentials come to, in words that hold no secret; `undefined` where that is nothing. */
async function troubleWith(session: Session, { name, profile }: Named): Promise<Trouble | undefined> {
  const { host, globals, printer } = session;
  const { credentials, baseUrl } = profile;
  if (credentials === undefined) {
    await printer.note('not tested, as there is no token yet');
    return undefined;
  }
  // Named as with --profile, so that nothing of the environment comes into it.
  const flags = { ...globals, profile: name, sandbox: baseUrl === undefined };
  const candidate = openSession(host, flags, { profiles: { [name]: profile } });
  try {
    const proof = await prove(candidate);
    await candidate.printer.progress('');
    await printer.note(wordsOf(proof));
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure) || isInterruption(error)) throw error;
    await candidate.printer.progress('');
    return { words: error.message, isRefusal: error.code === 'unauthorized' };
  } finally {
    await candidate.close();
  }
}

interface Trouble {
  words: string;
  /** It is the credentials that are refused. */
  isRefusal: boolean;
}

/** The profile with something changed; `undefined` where it is to be saved as it is. */
async function mended(
  session: Session,
  made: Named,
  steps: readonly Step[],
  { words, isRefusal }: Trouble,
): Promise<Named | undefined> {
  const address = made.profile.baseUrl === undefined ? 'sandboxBaseUrl' : 'baseUrl';
  const hasToken = made.profile.credentials?.kind === 'token';
  const choices: Choice[] = [
    { value: address, name: 'Change the address' },
    ...(hasToken ? [{ value: 'token', name: 'Type the token again' }] : []),
    { value: 'save', name: 'Save it all the same' },
    { value: 'leave', name: 'Leave, and save nothing' },
  ];
  for (;;) {
    const answer = await session.ask({
      kind: 'choice',
      id: 'trouble',
      message: 'What now?',
      hint: words,
      choices,
      defaultAnswer: isRefusal && hasToken ? 'token' : address,
    });
    switch (answer) {
      case undefined:
        return filled(session, made, steps, steps.length - 1);
      case 'save':
        return undefined;
      case 'leave':
        throw new Failure('interrupted', NOTHING_SAVED);
    }
    const changed = await answered(session, made, STEPS[answer as Part](session.config));
    if (changed !== undefined) return whole(changed);
  }
}
