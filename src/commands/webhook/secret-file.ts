// `webhook create --secret-file`: secret and token, which the service gives only once, go into a new file and are shown nowhere else.
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { OPERATIONS } from '../../contract/operations.ts';
import { isRecord } from '../../contract/paths.ts';
import { isSecret, type Secrets, secretsIn } from '../../contract/subscriptions.ts';
import { Failure, messageOf } from '../../errors.ts';
import { createRedactor, maskFields } from '../../mask.ts';

export interface SecretFile {
  path: string;
  /** Gives the failure if the file cannot be written; `again`: where the secret is then. */
  save(subscription: Secrets, again: string): Failure | undefined;
  /** Removes the file if nothing was saved in it. */
  close(): void;
}

/** Opens a new file before anything is sent, so that there is a place for the secret. Throws `storage`. */
export function openSecretFile(path: string): SecretFile {
  const refuse = (error: unknown, consequence: string) =>
    new Failure('storage', `the secret file ${path} cannot be written: ${messageOf(error)}; ${consequence}`, {
      operation: OPERATIONS.createSubscription.command,
    });
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw refuse(error, 'nothing was sent. Name a file that does not exist yet, in a folder that does');
  }
  let isSaved = false;
  return {
    path,
    save({ id, secret, token }, again) {
      try {
        writeFileSync(file, `${JSON.stringify({ id, secret, token }, null, 2)}\n`);
        fsyncSync(file);
        isSaved = true;
        return undefined;
      } catch (error) {
        return refuse(error, `the subscription was created, and ${again}`);
      }
    },
    close() {
      closeSync(file);
      if (!isSaved) rmSync(path, { force: true });
    },
  };
}

/** In characters; a shorter text may occur by chance. */
const SHORTEST = 4;

/**
 * Masks the secrets of `answer`, wherever the service wrote them. `saved`: words for `secret` and `token` if the file has them;
 * all else is in the journal only.
 */
export function hiding(answer: unknown, booking: string, saved?: string) {
  const elsewhere = `(in the journal: waybill history show ${booking} --show-secret)`;
  const texts = secretsIn(answer)
    .flatMap(({ value }) => textsIn(value))
    .filter(text => text.length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
  const words = (given: string) =>
    texts.reduce((left, text) => left.replaceAll(text, saved ?? elsewhere), given);
  const value = (given: unknown): unknown => {
    // Nothing tells what a text or a list is.
    if (!isRecord(given)) return given === null ? null : elsewhere;
    const isSaved = (name: string) => saved !== undefined && ['secret', 'token'].includes(name);
    const inFile = maskFields(given, isSaved, saved, words);
    return maskFields(inFile, (name, one) => one !== saved && isSecret(name, one), elsewhere);
  };
  // A message may quote a piece of an answer that is no JSON.
  const message = (given: string) => words(createRedactor({}).body(given));
  const failure = ({ code, message: told, facts }: Failure): Failure =>
    new Failure(code, message(told), {
      ...facts,
      ...(facts.body !== undefined && { body: value(facts.body) }),
      ...(facts.issues && {
        issues: facts.issues.map(issue => ({ path: message(issue.path), message: message(issue.message) })),
      }),
    });
  return { value, failure };
}

/** Each text and number of a value. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];
