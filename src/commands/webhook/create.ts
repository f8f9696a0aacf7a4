import type { Command } from 'commander';
import { OPERATIONS } from '../../contract/operations.ts';
import { textAt } from '../../contract/paths.ts';
import { read } from '../../contract/read.ts';
import { EVENTS, readSecrets } from '../../contract/subscriptions.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../folder.ts';
import { defineRequest } from '../../forms/define-request.ts';
import { isMade } from '../../journal/booking.ts';
import { Json } from '../../json.ts';
import { bookOnce } from '../../orders/book-once.ts';
import type { BookingOptions, RequestOptions } from '../../orders/flags.ts';
import type { RequestCommand } from '../../orders/request-command.ts';
import { parseHeader } from '../../request/specs.ts';
import type { Act } from '../../session/command.ts';
import { collect } from '../../session/globals.ts';
import { addPage } from '../../session/page.ts';
import { shortRetries, subscriptionView } from '../../views/subscription.ts';
import { hiding, openSecretFile } from './secret-file.ts';

interface CreateOptions extends RequestOptions, BookingOptions {
  event?: string[];
  header?: string[];
  secretFile?: string;
}

const operation = OPERATIONS.createSubscription;

const RETRIES = 'Retries of deliveries:';

const CREATE: RequestCommand<CreateOptions> = {
  operation,
  flags: [
    { flag: '--url <url>', path: 'url', group: 'Subscription:' },
    { flag: '--max-retries <n>', path: 'retryPolicy.maxRetries', group: RETRIES },
    { flag: '--initial-delay-ms <ms>', path: 'retryPolicy.initialDelayMs', group: RETRIES },
    { flag: '--backoff-multiplier <factor>', path: 'retryPolicy.backoffMultiplier', group: RETRIES },
    { flag: '--max-delay-ms <ms>', path: 'retryPolicy.maxDelayMs', group: RETRIES },
  ],
  options: command =>
    command
      .optionsGroup('Subscription:')
      .option(
        '--event <type>',
        `event to be notified of, repeatable (${Object.keys(EVENTS).join(', ')})`,
        collect,
      )
      .option('--header <header>', "header that deliveries carry, 'X-Name: value'; repeatable", collect)
      .option(
        '--secret-file <path>',
        'put secret and token into this new file (mode 0600) and mask them on stdout',
      ),
  fromOptions: (_, { event, header }) => ({
    ...(event && { events: event }),
    ...(header && { headers: headersIn(header) }),
  }),
  warnings: shortRetries,
};

export function define(command: Command, act: Act): void {
  defineRequest(command, act, CREATE, {
    loadForm: async () => (await import('../../forms/webhook.ts')).webhookForm,
    async run(session, { secretFile }, { body, identity }) {
      const file =
        secretFile === undefined ? undefined : openSecretFile(absolutePath(secretFile, session.host));
      try {
        await session.client(operation);
        const { booked, failure } = await bookOnce(session, operation, identity, {
          body: new Json(body),
          summary: () => `subscription of ${textAt(body, ['url'])}`,
        });
        const { outcome, id, unrecorded } = booked;
        // With only one of them there is no file, because a program would take it for whole.
        const isWhole = isMade(outcome) && outcome.missing.length === 0;
        const secrets = isWhole ? read(readSecrets, outcome.content)?.data : undefined;
        const again = unrecorded
          ? 'its secret is shown here only'
          : `\`waybill history show ${id} --show-secret\` shows its secret`;
        const unsaved = secrets && file?.save(secrets, again);
        const isSaved = file !== undefined && secrets !== undefined && !unsaved;
        // What neither the file nor the journal has must not be lost: it is shown.
        const isHidden = file !== undefined && (isSaved || !unrecorded);
        const hidden = isHidden
          ? hiding(outcome.body, id, isSaved ? `(in ${file.path})` : undefined)
          : undefined;
        const told = failure && (hidden?.failure(failure) ?? failure);
        if (!isMade(outcome)) throw told;
        const shown = (given: unknown) => hidden?.value(given) ?? given;
        await session.printer.result(
          shown(outcome.body),
          subscriptionView({ content: shown(outcome.content), request: body }),
        );
        if (unsaved) throw unsaved;
        if (file && !isSaved) throw withoutFile(told ?? SECRETS_GONE, file.path);
        if (told) throw told;
      } finally {
        file?.close();
      }
    },
  });
  addPage(command, {
    examples: [
      '# Subscribe to each new status, and write the secret, which is given only once, into a new file.',
      'waybill webhook create --url https://shop.example.com/hooks/status --event shipment.status.updated --max-retries 9 --secret-file hook.json',
    ],
    output: {
      table: 'the subscription, and for how long deliveries are retried',
      quiet: 'the subscription id',
      json: 'the answer of the service; "data" has secret and token, masked with --secret-file',
    },
    asks: ['createSubscription'],
    exits: {
      storage: 'the journal or the secret file cannot be written; the message says what was created',
      partial: 'it was created, but the answer has no secret or no token; the message says what to do',
    },
  });
}

/** It was pruned, or a person resolved it. */
const SECRETS_GONE = new Failure(
  'partial',
  'webhook create: the subscription was created before, and its record has no secret and no token',
  { operation: operation.command },
);

const withoutFile = ({ code, message, facts }: Failure, path: string): Failure =>
  new Failure(code, `${message}. ${path} was not written: it always holds secret and token`, facts);

function headersIn(specs: readonly string[]): Record<string, string> {
  const headers = specs.map(parseHeader);
  const names = headers.map(([name]) => name.toLowerCase());
  const twice = headers.find(([name], index) => names.indexOf(name.toLowerCase()) !== index);
  if (twice !== undefined)
    throw new Failure('usage', `--header ${twice[0]} is given twice; a delivery has a header once`);
  return Object.fromEntries(headers);
}
