import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, setAt, textAt } from '../contract/paths.ts';
import { EVENTS } from '../contract/subscriptions.ts';
import { Failure, messageOf } from '../errors.ts';
import { parseHeader } from '../request/specs.ts';
import type { Act } from './act.ts';
import { bookOnce, failureFor } from './booking.ts';
import { collect } from './globals.ts';
import { buildBody, type RequestOptions, requestOptions } from './request.ts';
import type { Session } from './session.ts';
import { showDryRun } from './show.ts';
import { subscriptionView } from './subscription.ts';

interface CreateOptions extends RequestOptions {
  event?: string[];
  header?: string[];
  secretFile?: string;
}

const operation = OPERATIONS.createSubscription;

const FLAGS = [
  { flag: '--url <url>', path: 'url' },
  { flag: '--max-retries <n>', path: 'retryPolicy.maxRetries' },
  { flag: '--initial-delay-ms <ms>', path: 'retryPolicy.initialDelayMs' },
  { flag: '--backoff-multiplier <factor>', path: 'retryPolicy.backoffMultiplier' },
  { flag: '--max-delay-ms <ms>', path: 'retryPolicy.maxDelayMs' },
];

export function define(command: Command, act: Act): void {
  requestOptions(command, operation, FLAGS)
    .addOption(
      new Option(
        '--event <type>',
        `event to be told of, repeatable (${Object.keys(EVENTS).join(', ')})`,
      ).argParser(collect),
    )
    .option('--header <header>', "header that deliveries carry, 'X-Name: value'; repeatable", collect)
    .option(
      '--secret-file <path>',
      'put secret and token into this new file (mode 0600) and mask them on stdout',
    )
    .action(act<CreateOptions>(create));
}

async function create(session: Session, options: CreateOptions): Promise<void> {
  const { event, header, secretFile } = options;
  const headers = header && Object.fromEntries(header.map(parseHeader));
  const extra = { ...(event && { events: event }), ...(headers && { headers }) };
  const body = await buildBody(session, { operation, options, flags: FLAGS, extra });
  if (options.dryRun) return showDryRun(session, operation, body);
  const keep = secretFile === undefined ? undefined : openSecretFile(resolve(session.host.cwd, secretFile));
  try {
    const booking = { operation, body };
    const outcome = await bookOnce(session, booking, `subscription of ${textAt(body, ['url'])}`);
    const failure = failureFor(session, booking, outcome);
    if (failure) throw failure;
    const shown = keep ? keep.write(outcome.body) : outcome.body;
    await session.printer.result(shown, subscriptionView(getAt(shown, ['data'])));
  } finally {
    keep?.close();
  }
}

/** Made before the call, so that what is given only once is never without a place. Throws `storage`. */
function openSecretFile(path: string): { write(body: unknown): unknown; close(): void } {
  const refuse = (error: unknown, sent: string) =>
    new Failure('storage', `the secret file ${path} cannot be written: ${messageOf(error)}; ${sent}`);
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw refuse(error, 'nothing was sent');
  }
  let written = false;
  return {
    write(body) {
      const data = getAt(body, ['data']);
      const kept = {
        id: textAt(data, ['id']),
        secret: textAt(data, ['secret']),
        token: textAt(data, ['token']),
      };
      try {
        writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
        written = true;
      } catch {
        // Better on stdout than lost.
        return body;
      }
      const mask = `(in ${path})`;
      return setAt(setAt(body, ['data', 'secret'], mask), ['data', 'token'], mask);
    },
    close() {
      closeSync(file);
      if (!written) unlinkSync(path);
    },
  };
}
