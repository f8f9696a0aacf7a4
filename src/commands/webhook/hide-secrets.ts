// What `webhook create --secret-file` shows of an answer: no secret, wherever the service wrote it.
import { isRecord } from '../../contract/paths.ts';
import { isSecret, secretsIn } from '../../contract/subscriptions.ts';
import { Failure } from '../../errors.ts';
import { createRedactor } from '../../http/redact.ts';
import { maskFields } from '../../mask.ts';

/** In characters; a shorter text may occur by chance. */
const SHORTEST = 4;

/** Masks the secrets of `answer`. `saved`: words for those that the file has; the others are in the journal only. */
export function hiding(answer: unknown, booking: string, saved?: string) {
  const elsewhere = `(in the journal: waybill history show ${booking} --show-secret)`;
  const texts = secretsIn(answer)
    .flatMap(({ value }) => textsIn(value))
    .filter(text => text.length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
  const place = saved ?? elsewhere;
  const words = (given: string) => texts.reduce((left, text) => left.replaceAll(text, place), given);
  // A message may quote a piece of an answer that is no JSON.
  const message = (given: string) => words(createRedactor({}).body(given));
  const value = (given: unknown): unknown => {
    // Nothing tells what a text or a list is.
    if (!isRecord(given)) return given === null ? null : elsewhere;
    const isSaved = (name: string) => saved !== undefined && ['secret', 'token'].includes(name);
    const inFile = maskFields(given, isSaved, saved, words);
    return maskFields(inFile, (name, one) => one !== saved && isSecret(name, one), elsewhere);
  };
  return {
    value,
    failure: ({ code, message: told, facts }: Failure): Failure =>
      new Failure(code, message(told), {
        ...facts,
        ...(facts.body !== undefined && { body: value(facts.body) }),
        ...(facts.issues && {
          issues: facts.issues.map(({ path, message: why }) => ({
            path: message(path),
            message: message(why),
          })),
        }),
      }),
  };
}

/** Each text and number of a value. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];
