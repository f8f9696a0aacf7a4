import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Command, InvalidArgumentError } from 'commander';
import { Failure, messageOf } from '../../errors.ts';
import { interruption } from '../../host/signals.ts';
import type { HttpRequest } from '../../http-server.ts';
import { isLoopback } from '../../loopback.ts';
import type { Act } from '../../session/command.ts';
import { atLeastOne, count, port } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { parseLength } from '../../session/time.ts';
import { deliveryView, maskedBody, maskedHeaders, maskedPath } from '../../views/delivery.ts';
import { type Forwarded, forward } from './forward.ts';

interface ListenOptions {
  port: number;
  host: string;
  forwardTo?: URL;
  status?: number;
  count?: number;
  /** Seconds. */
  maxWait?: number;
}

const BODY_LIMIT = 1024 * 1024;
const ARRIVAL_MS = 10_000;
const MOST_CONNECTIONS = 64;
/** The same in each run, because the address of a subscription cannot be changed. */
const PORT = 8788;

export function define(command: Command, act: Act): void {
  command
    .optionsGroup('Listening:')
    .option('--port <port>', 'port; 0 takes a free one', port, PORT)
    .option('--host <address>', 'address of this machine to listen on', loopback, '127.0.0.1')
    .optionsGroup('Answering:')
    .option('--forward-to <url>', 'send each delivery on to this address of this machine', localUrl)
    .option(
      '--status <code>',
      'answer each delivery with this status (default: 200, or that of --forward-to)',
      finalStatus,
    )
    .optionsGroup('Ending:')
    .option('--count <n>', 'end after this many deliveries', atLeastOne)
    .option(
      '--max-wait <time>',
      'end after this long, such as 90 or 5m; exit 9 if fewer than --count (1) have come',
      parseLength,
    )
    .addHelpText('after', ABOUT)
    .action(act<ListenOptions>(listen));
}

const ABOUT = `
Shows the deliveries of a webhook subscription as they come, one line for each.
It listens on this machine only:

- \`waybill emulator\` delivers here: create a subscription with the address
  that is shown, and ship.
- The emulator of --profile demo runs only while a command runs, such as
  \`waybill track ID --watch --profile demo\`. It delivers during that time,
  and the rest when the next command runs.
- A service elsewhere delivers to public https: addresses. Use a tunnel of your
  own from there to here.

A delivery gets its answer, without a body, when it has been shown. The status
is that of --status; else the one that --forward-to answered (502 if it did
not answer); else 200. After a status other than 2xx the emulator tries again,
as the retry policy of the subscription says. A forwarded delivery keeps its
method, its headers and the bytes of its body; path and query are those of
--forward-to. Redirects are not followed. --timeout (30) limits its time.

The service document does not define the body of a delivery. The line shows
event, shipment and status if the body has them under the names of the emulator
or under common names, else the beginning of the body. --json has at, method,
path, headers, body, answered, forwarded and error of each delivery. Values of
headers, query parameters and fields with the name of a secret (token, api-key,
authorization and others) are masked in the output, and forwarded as they are.
The document defines no signature, so none is checked.`;

function loopback(value: string): string {
  if (!isLoopback(value))
    throw new InvalidArgumentError('It must be an address of this machine: 127.0.0.1, ::1 or localhost.');
  return value.replace(/^\[|\]$/g, '');
}

/** The scheme may be left out: `localhost:3000/hook`. */
function localUrl(value: string): URL {
  const written = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || !isLoopback(url.hostname))
    throw new InvalidArgumentError(
      'It must be an address of this machine, such as http://127.0.0.1:3000/hook.',
    );
  if (url.username || url.password)
    throw new InvalidArgumentError('It must not have a user name or a password.');
  return url;
}

function finalStatus(value: string): number {
  const status = count(value);
  if (status < 200 || status > 599) throw new InvalidArgumentError('It must be a status from 200 to 599.');
  return status;
}

async function listen(session: Session, options: ListenOptions): Promise<number | undefined> {
  const { host, printer } = session;
  const { count: wanted = Number.POSITIVE_INFINITY, maxWait } = options;
  if (printer.format === 'csv')
    throw new Failure(
      'usage',
      'webhook listen cannot show csv, because deliveries have no common columns. Use table, json, jsonl or text',
    );
  const { serveHttp, writeResponse } = await import('../../http-server.ts');
  const reply = (response: ServerResponse, status: number) =>
    writeResponse(response, { status, headers: {}, body: '' });
  let begun = 0;
  let done = 0;
  // Its reason is an error if a delivery could not be shown.
  const end = new AbortController();
  const answer = async (request: HttpRequest, response: ServerResponse) => {
    // More than --count: the sender may try again later.
    if (begun >= wanted) return reply(response, 503);
    begun += 1;
    try {
      await reply(response, await received(session, options, request));
    } catch (error) {
      end.abort(error);
      throw error;
    }
    done += 1;
    if (done >= wanted) end.abort('done');
  };
  const limits = { bodyLimit: BODY_LIMIT, arrivalTimeout: ARRIVAL_MS, maxConnections: MOST_CONNECTIONS };
  const place = { name: 'webhook listen', host: options.host, port: options.port };
  const serving = await serveHttp({ ...place, ...limits }, answer).catch((error: unknown) => {
    throw new Failure('storage', messageOf(error));
  });
  const stopWaiting =
    maxWait === undefined ? undefined : host.deadline(maxWait * 1000, () => end.abort('late'));
  try {
    refuseCircle(serving.address, options);
    await printer.note(readyLine(serving.address, options));
    if (host.interrupted.aborted) end.abort('stopped');
    host.interrupted.addEventListener('abort', () => end.abort('stopped'), { signal: end.signal });
    if (!end.signal.aborted) await once(end.signal, 'abort');
    if (end.signal.reason instanceof Error) throw end.signal.reason;
  } finally {
    stopWaiting?.();
    await serving.close();
  }
  if (host.interrupted.aborted) {
    const stopped = interruption(host.interrupted, `${deliveries(done)} came`);
    if (printer.json) throw stopped;
    // The first line says that Ctrl-C ends it: that is no error.
    await printer.note(stopped.message);
    return stopped.exitCode;
  }
  const least = options.count ?? 1;
  if (done < least)
    throw new Failure('partial', `webhook listen: ${done} of ${deliveries(least)} came within ${maxWait} s`);
  return undefined;
}

const deliveries = (count: number): string => (count === 1 ? '1 delivery' : `${count} deliveries`);

/** A delivery that is forwarded to this command would come again without end. */
function refuseCircle(address: string, { forwardTo }: ListenOptions): void {
  if (forwardTo && new URL(address).port === forwardTo.port)
    throw new Failure(
      'usage',
      `--forward-to ${forwardTo.href} has the port that webhook listen uses. Give another --port`,
    );
}

function readyLine(address: string, { forwardTo, status }: ListenOptions): string {
  const way = forwardTo ? `is forwarded to ${forwardTo.href} and ` : '';
  const answer = status ?? (forwardTo ? 'the status of its answer' : 200);
  return `Listening on ${address}; each delivery ${way}is answered with ${answer}. Ctrl-C ends it.`;
}

/** Forwards a delivery and shows it. Gives the status of the answer. Throws if the delivery cannot be shown. */
async function received(
  session: Session,
  { forwardTo, status }: ListenOptions,
  request: HttpRequest,
): Promise<number> {
  const { method, path, headers, body } = request;
  const at = new Date(session.host.now()).toISOString();
  const sent: Forwarded =
    body === undefined
      ? { status: null, error: `the body is larger than ${BODY_LIMIT} bytes` }
      : forwardTo
        ? await forward(session, forwardTo, request, body)
        : NOT_FORWARDED;
  const answered = body === undefined ? 413 : (status ?? sent.status ?? (sent.error === null ? 200 : 502));
  await session.printer.result(
    {
      at,
      method,
      path: maskedPath(path),
      headers: maskedHeaders(headers),
      body: body === undefined ? null : maskedBody(body),
      answered,
      forwarded: sent.status,
      error: sent.error,
    },
    deliveryView,
  );
  return answered;
}

const NOT_FORWARDED: Forwarded = { status: null, error: null };
