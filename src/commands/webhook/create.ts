import { closeSync, fsyncSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { fingerprint } from '../../booking/fingerprint.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt, setAt, textAt } from '../../contract/paths.ts';
import { EVENTS } from '../../contract/subscriptions.ts';
import { Failure, messageOf } from '../../errors.ts';
import { withForm } from '../../forms/with-form.ts';
import {
  type BookingOptions,
  bookedBefore,
  bookingOptions,
  bookNew,
  failureFor,
  orderFor,
  refuseTakenKey,
} from '../../orders/book-once.ts';
import { showDryRun } from '../../orders/dry-run.ts';
import {
  buildRequest,
  type RequestOptions,
  type RequestParts,
  requestOptions,
} from '../../orders/request.ts';
import { parseHeader } from '../../request/specs.ts';
import type { Act } from '../../session/command.ts';
import { collect } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { shortRetries, subscriptionView } from '../../views/subscription.ts';

interface CreateOptions extends RequestOptions, BookingOptions {
  event?: string[];
  header?: string[];
  secretFile?: string;
}

const operation = OPERATIONS.createSubscription;

const RETRIES = 'Retries of deliveries:';
const FLAGS = [
  { flag: '--url <url>', path: 'url', group: 'Subscription:' },
  { flag: '--max-retries <n>', path: 'retryPolicy.maxRetries', group: RETRIES },
  { flag: '--initial-delay-ms <ms>', path: 'retryPolicy.initialDelayMs', group: RETRIES },
  { flag: '--backoff-multiplier <factor>', path: 'retryPolicy.backoffMultiplier', group: RETRIES },
  { flag: '--max-delay-ms <ms>', path: 'retryPolicy.maxDelayMs', group: RETRIES },
];

export function define(command: Command, act: Act): void {
  bookingOptions(requestOptions(command, operation, FLAGS), operation)
    .optionsGroup('Subscription:')
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
  const parts = partsOf(options);
  await withForm(
    session,
    options,
    {
      parts: async () => parts,
      interview: async () => (await import('../../forms/webhook.ts')).webhookInterview,
      before: () => refuseTakenKey(session, operation, options),
    },
    answers => createOnce(session, options, answers ? { ...parts, gathered: answers.gathered } : parts),
  );
}

function partsOf(options: CreateOptions): RequestParts {
  const { event, header } = options;
  const extra = { ...(event && { events: event }), ...(header && { headers: headersIn(header) }) };
  return { operation, options, flags: FLAGS, extra, doubtsIn: shortRetries };
}

async function createOnce(session: Session, options: CreateOptions, parts: RequestParts): Promise<void> {
  const { secretFile } = options;
  const { body, given } = await buildRequest(session, parts);
  if (options.dryRun) return showDryRun(session, operation, body);
  const file = secretFile === undefined ? undefined : openSecretFile(resolve(session.host.cwd, secretFile));
  try {
    await session.client(operation);
    const { order, booked: before } = await bookedBefore(
      session,
      orderFor(session, operation, fingerprint(given), options),
      options,
    );
    const booked =
      before ?? (await bookNew(session, order, body, `subscription of ${textAt(body, ['url'])}`));
    const { outcome } = booked;
    const failure = failureFor(session, order, booked);
    if (outcome.state !== 'created' && outcome.state !== 'partial') throw failure;
    const unkept = file?.keep(outcome.body);
    // What could not be put into the file is better on stdout than lost.
    const shown = file && !unkept ? maskSecrets(outcome.body, `(in ${file.path})`) : outcome.body;
    await session.printer.result(shown, subscriptionView(getAt(shown, ['data'])));
    if (unkept ?? failure) throw unkept ?? failure;
  } finally {
    file?.close();
  }
}

function headersIn(specs: readonly string[]): Record<string, string> {
  const headers = specs.map(parseHeader);
  const names = headers.map(([name]) => name.toLowerCase());
  const twice = headers.find(([name], index) => names.indexOf(name.toLowerCase()) !== index);
  if (twice !== undefined)
    throw new Failure('usage', `--header ${twice[0]} is given twice; a delivery carries a header once`);
  return Object.fromEntries(headers);
}

const SECRETS = ['secret', 'token'];

const maskSecrets = (body: unknown, mask: string): unknown =>
  SECRETS.reduce(
    (masked, name) =>
      getAt(masked, ['data', name]) === undefined ? masked : setAt(masked, ['data', name], mask),
    body,
  );

interface SecretFile {
  path: string;
  /** Gives the failure where that is impossible. */
  keep(body: unknown): Failure | undefined;
  /** Leaves no empty file. */
  close(): void;
}

// More than any secret and token need.
const SECRET_BYTES = 16 * 1024;

/** Made before the call, so that what is given only once is never without a place. Throws `storage`. */
function openSecretFile(path: string): SecretFile {
  const refuse = (error: unknown, what: string) =>
    new Failure('storage', `the secret file ${path} cannot be written: ${messageOf(error)}; ${what}`, {
      operation: operation.command,
    });
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw refuse(error, 'nothing was sent. Name a file that does not exist yet, in a folder that does');
  }
  let written = false;
  try {
    // Room is made sure of now: overwriting needs no more of it.
    writeSync(file, Buffer.alloc(SECRET_BYTES, '\n'));
  } catch (error) {
    closeSync(file);
    unlinkSync(path);
    throw refuse(error, 'nothing was sent');
  }
  return {
    path,
    keep(body) {
      const data = getAt(body, ['data']);
      const kept = Object.fromEntries(['id', ...SECRETS].map(name => [name, getAt(data, [name])]));
      try {
        const text = Buffer.from(`${JSON.stringify(kept, null, 2)}\n`);
        for (let done = 0; done < text.length; ) done += writeSync(file, text, done, null, done);
        ftruncateSync(file, text.length);
        fsyncSync(file);
        written = true;
        return undefined;
      } catch (error) {
        return refuse(error, 'the subscription was created, and its secret is on stdout');
      }
    },
    close() {
      closeSync(file);
      if (!written) unlinkSync(path);
    },
  };
}
