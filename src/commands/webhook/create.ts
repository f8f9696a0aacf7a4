import { closeSync, fsyncSync, lstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { answerOf } from '../../booking/answer.ts';
import { isMade } from '../../booking/booking.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt, isRecord, textAt } from '../../contract/paths.ts';
import { read, readId, readNumber, readText } from '../../contract/read.ts';
import {
  EVENTS,
  isSecret,
  RETRY_DEFAULTS,
  type RetryPolicy,
  readSecrets,
  retryPolicyOf,
  retryWindow,
  type Secrets,
  secretsIn,
} from '../../contract/subscriptions.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { createRedactor, maskFields } from '../../mask.ts';
import type { RequestCommand } from '../../order/build.ts';
import { type Desk, openDesk } from '../../order/desk.ts';
import {
  type BookingOptions,
  parseHeader,
  type RequestOptions,
  repeatedHeader,
  targetFlags,
} from '../../order/options.ts';
import type { Order } from '../../order/order.ts';
import { findObstacle, place } from '../../order/place.ts';
import type { View } from '../../output/print.ts';
import { toldTime } from '../../output/shipment.ts';
import { pairs } from '../../output/table.ts';
import { showCommand } from '../../say/booked.ts';
import { duration } from '../../say/words.ts';
import { givenOnceMissing } from '../../service/outcome.ts';
import { flag, grouped } from '../../session/flags.ts';
import { REPEATED } from '../../session/globals.ts';
import { messageOf, systemCode } from '../../system-errors.ts';
import { commandText } from '../../text.ts';
import { declareRequest, EXIT_UNKNOWN } from '../request-command.ts';

interface CreateOptions extends RequestOptions, BookingOptions {
  event?: string[];
  header?: string[];
  secretFile?: string;
}

const operation = OPERATIONS.createSubscription;

const CREATE: RequestCommand<CreateOptions> = {
  operation,
  flags: grouped('Subscription:', {
    event: flag(
      '--event <event>',
      `event to be notified of, repeatable (${Object.keys(EVENTS).join(', ')})`,
      REPEATED,
    ),
    header: flag('--header <header>', "header that deliveries carry, 'X-Name: value'; repeatable", REPEATED),
    secretFile: flag(
      '--secret-file <path>',
      'put secret and token into this new file (mode 0600) and mask them on stdout',
    ),
  }),
  fromOptions: (_, options) => ({
    ...(options.event && { events: options.event }),
    ...(options.header && { headers: headersIn(options.header) }),
  }),
  warnings: shortRetries,
};

export const create = declareRequest(
  CREATE,
  {
    async run(session, options, order) {
      const show = (id: string) => commandText([...showCommand(id, targetFlags(session)), '--show-secret']);
      const file =
        options.secretFile === undefined
          ? undefined
          : openSecretFile(absolutePath(options.secretFile, session.host), show);
      try {
        await session.service.check(operation);
        const desk = await openDesk(session, { newJournal: options.newJournal });
        await file?.requireRecorded(order, desk);
        const placed = await place(order, desk);
        const { booking, failure, isUnrecorded = false } = placed;
        const { id } = booking;
        const { body, content } = answerOf(booking);
        // The file is written only with both secret and token: a program would not notice that one is missing.
        const isWhole = isMade(booking) && givenOnceMissing(operation, content).length === 0;
        const secrets = isWhole ? read(readSecrets, content)?.data : undefined;
        const unsaved = secrets && file?.save(secrets, isUnrecorded ? undefined : id);
        // A pruned record has lost the secret, but the file that the first run wrote may still have it.
        const isKept = booking.ids.subscription !== undefined && booking.ids.subscription === file?.had;
        const isSaved = file !== undefined && (secrets === undefined ? isKept : unsaved === undefined);
        // A secret that neither the file nor the journal has is shown, because it would be lost.
        const hidden =
          file && (isSaved || !isUnrecorded)
            ? hiding(body, show(id), isSaved ? `(in ${file.path})` : undefined)
            : undefined;
        const shownFailure = failure && (hidden?.failure(failure) ?? failure);
        if (!isMade(booking)) throw shownFailure;
        const withoutSecrets = (part: unknown) => hidden?.value(part) ?? part;
        await session.printer.result(withoutSecrets(body), {
          ...subscriptionView(withoutSecrets(content), session.host.now(), order.body.value),
          record: session.bookingLines.record,
        });
        if (unsaved) throw unsaved;
        if (file && !isSaved) throw withoutFile(shownFailure ?? SECRETS_GONE, file.path);
        if (shownFailure) throw shownFailure;
      } finally {
        file?.close();
      }
    },
  },
  {
    examples: [
      '# Subscribe to each new status, with the secret in a new file.',
      'waybill webhook create --url https://shop.example.com/hooks/status --event shipment.status.updated --max-retries 9 --secret-file hook.json',
    ],
    output: {
      table: 'the subscription, and for how long deliveries are retried',
      quiet: 'the subscription id',
      json: 'the answer of the service; "data" has secret and token, masked with --secret-file',
    },
    exits: {
      storage: 'the journal or the secret file cannot be written; it says what was created',
      outcome_unknown: EXIT_UNKNOWN,
      partial: 'it was created, but the answer has no secret or no token',
    },
  },
);

/** The failure where the record of the subscription was pruned, or comes from a person who resolved the booking. */
const SECRETS_GONE = new Failure(
  'partial',
  'webhook create: the subscription was created before, and its record has no secret and no token',
  { operation: operation.command },
);

const withoutFile = (failure: Failure, path: string): Failure =>
  new Failure(
    failure.code,
    `${failure.message}. ${path} was not written: it always holds secret and token`,
    failure.facts,
  );

interface SecretFile {
  path: string;
  /** The id of the subscription whose secret the file had before. */
  had?: string;
  /** Throws `storage` if the file was there before, and is not the file of the recorded subscription that is shown again. */
  requireRecorded(order: Order, desk: Desk): Promise<void>;
  /** Writes the secrets, or gives the failure. `booking`: the booking whose record in the journal has the secret, too. */
  save(subscription: Secrets, booking: string | undefined): Failure | undefined;
  /** Removes the file if nothing was saved in it. */
  close(): void;
}

/** Gives the command that shows the secrets of a booking, as text. */
type ShowCommand = (booking: string) => string;

const secretFileFailure = (path: string, error: unknown, hint: string): Failure =>
  new Failure('storage', `the secret file ${path} cannot be written: ${messageOf(error)}`, {
    hint,
    operation: operation.command,
  });

/** The failure of a secret file that cannot be written. `booking`: the booking whose record in the journal has the secret. */
function unsavedSecret(
  path: string,
  error: unknown,
  show: ShowCommand,
  booking: string | undefined,
): Failure {
  const where = booking ? `\`${show(booking)}\` shows its secret` : 'its secret is shown here only';
  return secretFileFailure(path, error, `The subscription was created, and ${where}`);
}

/**
 * Opens a new file before anything is sent, so that there is a place for the secret; a script that runs again may name the file
 * that it wrote. Throws `storage`.
 */
function openSecretFile(path: string, show: ShowCommand): SecretFile {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    const present = systemCode(error) === 'EEXIST' ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    const kept = present?.isFile() ? secretsAt(path) : undefined;
    if (kept) return keptSecretFile(path, kept, error, show);
    const isEmpty = present?.size === 0;
    const cure = isEmpty
      ? 'It is empty: the command that made it still runs, or was killed. If it was killed, remove the file'
      : 'Name a file that does not exist yet, in a folder that does';
    throw secretFileFailure(path, error, cure);
  }
  let isSaved = false;
  return {
    path,
    async requireRecorded() {},
    save(webhook, booking) {
      const { id, secret, token } = webhook;
      try {
        writeFileSync(file, `${JSON.stringify({ id, secret, token }, null, 2)}\n`);
        fsyncSync(file);
        isSaved = true;
        return undefined;
      } catch (error) {
        return unsavedSecret(path, error, show, booking);
      }
    },
    close() {
      closeSync(file);
      if (!isSaved) rmSync(path, { force: true });
    },
  };
}

/** The file that an earlier run wrote, with the secrets in it. `error`: why no new file could be made. */
const keptSecretFile = (path: string, kept: Secrets, error: unknown, show: ShowCommand): SecretFile => ({
  path,
  had: kept.id,
  async requireRecorded(order, desk) {
    const obstacle = await findObstacle(order, desk);
    // If the file has the secret of the recorded subscription, nothing is refused here: a request without a key is refused as a twin later.
    if (obstacle?.booking.ids.subscription === kept.id) return;
    const cure = 'It has the secret of another subscription. Name a file that does not exist yet';
    throw secretFileFailure(path, error, cure);
  },
  save: (webhook, booking) =>
    webhook.id === kept.id && webhook.secret === kept.secret && webhook.token === kept.token
      ? undefined
      : unsavedSecret(path, error, show, booking),
  close() {},
});

/** What an earlier run wrote into a secret file; `undefined` if something else is there. */
function secretsAt(path: string): Secrets | undefined {
  try {
    return read(readSecrets, { data: JSON.parse(readFileSync(path, 'utf8')) })?.data;
  } catch {
    return undefined;
  }
}

/** The characters that a secret must have to be masked inside other text: a shorter one may occur there by chance. */
const SHORTEST = 4;

/**
 * Masks the secrets of `answer`, wherever the service wrote them. `saved`: words in place of `secret` and `token` if the file has them;
 * other secrets are only in the journal, and `show` is the command that shows them.
 */
function hiding(answer: unknown, show: string, saved?: string) {
  const elsewhere = `(in the journal: ${show})`;
  const texts = secretsIn(answer)
    .flatMap(({ value }) => scalarTexts(value))
    .filter(text => text.length >= SHORTEST)
    .sort((first, second) => second.length - first.length);
  const withoutTexts = (words: string) =>
    texts.reduce((left, text) => left.replaceAll(text, saved ?? elsewhere), words);
  const value = (body: unknown): unknown => {
    // Nothing tells which parts of a text or a list are secret: all of it is masked.
    if (!isRecord(body)) return body === null ? null : elsewhere;
    const isSaved = (name: string) => saved !== undefined && ['secret', 'token'].includes(name);
    const inFile = maskFields(body, isSaved, saved, withoutTexts);
    return maskFields(inFile, (name, field) => field !== saved && isSecret(name, field), elsewhere);
  };
  // A message may quote a piece of an answer that is no JSON.
  const message = (words: string) => withoutTexts(createRedactor({}).body(words));
  const failure = (refusal: Failure): Failure => {
    const { code, facts } = refusal;
    return new Failure(code, message(refusal.message), {
      ...facts,
      ...(facts.body !== undefined && { body: value(facts.body) }),
      ...(facts.issues && {
        issues: facts.issues.map(issue => ({ path: message(issue.path), message: message(issue.message) })),
      }),
    });
  };
  return { value, failure };
}

/** Each text and number of a value. */
const scalarTexts = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(scalarTexts) : [String(value)];

function headersIn(specs: readonly string[]): Record<string, string> {
  const headers = specs.map(parseHeader);
  const twice = repeatedHeader(headers);
  if (twice !== undefined)
    throw new Failure('usage', `--header ${twice} is given twice; a delivery has a header once`);
  return Object.fromEntries(headers);
}

// How a subscription is shown.

const SECRETS = ['secret', 'token'];

/**
 * How a response that has a subscription is shown (service document §2.4). What the response does not say is taken from the request, if
 * there is one; nothing is assumed.
 */
export function subscriptionView(content: unknown, now: number, request?: unknown): View<unknown> {
  const data = getAt(content, ['data']);
  const fieldOf = (name: string): unknown => getAt(data, [name]) ?? getAt(request, [name]);
  const textOf = (name: string) => read(readText, fieldOf(name));
  const events = fieldOf('events');
  const isActive = getAt(data, ['isActive']);
  const active = isActive === true ? 'yes' : 'no';
  const retryPolicy = { ...partOf(request, 'retryPolicy'), ...partOf(data, 'retryPolicy') };
  const fields = (values: object, title: string) =>
    Object.entries(values).map(([key, value]) => [`${title} ${key}`, String(value)] as const);
  return {
    items: () => [data],
    essential: () => [read(readId, getAt(data, ['id']))],
    table: (_, look) =>
      pairs(look, [
        ['Subscription', read(readId, getAt(data, ['id']))],
        ['URL', textOf('url')],
        ['Events', Array.isArray(events) ? events.join(', ') : undefined],
        ['Active', typeof isActive === 'boolean' ? active : undefined],
        ...fields(fieldOf('headers') ?? {}, 'Header'),
        ...fields(retryPolicy, 'Retry'),
        ['Retries', retryWords(retryPolicy)],
        ...SECRETS.flatMap(name => {
          const value = read(readText, getAt(data, [name]));
          return value === undefined ? [] : [[`${name} (given only once)`, value] as const];
        }),
        ['Created', toldTime(textAt(data, ['createdAt']), now)],
        ['Updated', toldTime(textAt(data, ['updatedAt']), now)],
      ]),
  };
}

function partOf(value: unknown, name: string): object {
  const part = getAt(value, [name]);
  return isRecord(part) ? part : {};
}

/** How long the policy retries: a receiver that is down for longer loses the event. `undefined` if a part of the policy is not known. */
function retryWords(policy: unknown): string | undefined {
  const known = Object.keys(RETRY_DEFAULTS).map(
    name => [name, read(readNumber, getAt(policy, [name]))] as const,
  );
  if (known.some(([, value]) => value === undefined)) return undefined;
  const retry = Object.fromEntries(known) as unknown as RetryPolicy;
  return `${retry.maxRetries}, covers ${duration(retryWindow(retry))}`;
}

const HOUR = 3_600_000;

/** Warns of retries that last less than an hour: any receiver is down for an hour sooner or later, and then loses the event. */
function shortRetries(body: unknown): string[] {
  const retry = retryPolicyOf(getAt(body, ['retryPolicy']));
  const window = retryWindow(retry);
  if (window >= HOUR) return [];
  const enough = Array.from({ length: 100 }, (_, count) => ({ ...retry, maxRetries: count })).find(
    longer => retryWindow(longer) >= HOUR,
  );
  const cure = enough
    ? `--max-retries ${enough.maxRetries} covers ${duration(retryWindow(enough))}`
    : 'a longer initialDelayMs or a larger backoffMultiplier covers more';
  return [
    `the retry policy covers ${duration(window)}: an event is lost if the receiver is away for longer; ${cure}`,
  ];
}
