// The file that `webhook create --secret-file` puts secret and token into: the service gives them only once.
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OPERATIONS } from '../../contract/operations.ts';
import type { Secrets } from '../../contract/subscriptions.ts';
import { Failure, messageOf, systemCode } from '../../errors.ts';

// More than any secret and token need.
const SECRET_BYTES = 16 * 1024;

export interface SecretFile {
  path: string;
  /** The whole file appears, or none. Gives the failure if that is impossible; `again`: where the secret is then. */
  save(subscription: Secrets, again: string): Failure | undefined;
  /** Removes what was reserved. */
  close(): void;
}

/** Its space is reserved beside it before the call, so that there is a place for the secret. Throws `storage`. */
export function openSecretFile(path: string, unique: number): SecretFile {
  const refuse = (error: unknown, consequence: string) =>
    new Failure('storage', `the secret file ${path} cannot be written: ${messageOf(error)}; ${consequence}`, {
      operation: OPERATIONS.createSubscription.command,
    });
  const reserved = join(dirname(path), `.${basename(path)}-${unique}.part`);
  let file: number;
  try {
    refuseExisting(path);
    file = openSync(reserved, 'wx', 0o600);
  } catch (error) {
    throw refuse(error, 'nothing was sent. Name a file that does not exist yet, in a folder that does');
  }
  const close = () => {
    closeSync(file);
    rmSync(reserved, { force: true });
  };
  try {
    // Overwriting needs no more.
    writeSync(file, Buffer.alloc(SECRET_BYTES, '\n'));
  } catch (error) {
    close();
    throw refuse(error, 'nothing was sent');
  }
  return {
    path,
    save({ id, secret, token }, again) {
      try {
        const text = Buffer.from(`${JSON.stringify({ id, secret, token }, null, 2)}\n`);
        for (let done = 0; done < text.length; ) done += writeSync(file, text, done, null, done);
        ftruncateSync(file, text.length);
        fsyncSync(file);
        giveName(reserved, path);
        return undefined;
      } catch (error) {
        return refuse(error, `the subscription was created, and ${again}`);
      }
    },
    close,
  };
}

function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Error('there is a file with this name');
}

/** In one step, and never over another file. */
function giveName(reserved: string, path: string): void {
  try {
    linkSync(reserved, path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw error;
    // The file system has no links.
    refuseExisting(path);
    renameSync(reserved, path);
  }
}
