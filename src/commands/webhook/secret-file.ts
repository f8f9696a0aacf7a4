// The file that `webhook create --secret-file` puts secret and token into: the service gives them only once.
import { closeSync, fsyncSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt, setAt } from '../../contract/paths.ts';
import { Failure, messageOf } from '../../errors.ts';

const SECRETS = ['secret', 'token'];

// More than any secret and token need.
const SECRET_BYTES = 16 * 1024;

export interface SecretFile {
  path: string;
  /** Gives the failure if that is impossible. */
  save(body: unknown): Failure | undefined;
  /** Removes a file that holds no secret. */
  close(): void;
}

/** Created before the call, so that there is a place for the secret. Throws `storage`. */
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
  let isWritten = false;
  try {
    // Reserves the space now: overwriting needs no more.
    writeSync(file, Buffer.alloc(SECRET_BYTES, '\n'));
  } catch (error) {
    closeSync(file);
    unlinkSync(path);
    throw refuse(error, 'nothing was sent');
  }
  return {
    path,
    save(body) {
      const data = getAt(body, ['data']);
      const secrets = Object.fromEntries(['id', ...SECRETS].map(name => [name, getAt(data, [name])]));
      try {
        const text = Buffer.from(`${JSON.stringify(secrets, null, 2)}\n`);
        for (let done = 0; done < text.length; ) done += writeSync(file, text, done, null, done);
        ftruncateSync(file, text.length);
        fsyncSync(file);
        isWritten = true;
        return undefined;
      } catch (error) {
        return refuse(error, 'the subscription was created, and its secret is on stdout');
      }
    },
    close() {
      closeSync(file);
      if (!isWritten) unlinkSync(path);
    },
  };
}

export const maskSecrets = (body: unknown, mask: string): unknown =>
  SECRETS.reduce(
    (masked, name) =>
      getAt(masked, ['data', name]) === undefined ? masked : setAt(masked, ['data', name], mask),
    body,
  );
