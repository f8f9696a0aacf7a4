import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Failure } from '../../errors.ts';
import type { HttpRequest } from '../../host/http-server.ts';
import { interruption } from '../../host/signals.ts';
import { parseJson } from '../../json.ts';
import { createRedactor } from '../../mask.ts';
import type { View } from '../../output/print.ts';
import { safe, safeJson } from '../../output/text.ts';
import { timeWords } from '../../say/words.ts';
import { declare } from '../../session/command.ts';
import { flag, grouped, type OptionsOf } from '../../session/flags.ts';
import { atLeastOne, parseLength, port } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';

const BODY_LIMIT = 1024 * 1024;
/** The port is the same in each run, because the address of a subscription cannot be changed. */
const PORT = 8788;

const FLAGS = {
  ...grouped('Listening:', {
    port: flag('--port <port>', 'port of this machine; 0 takes a free one', { read: port, initial: PORT }),
  }),
  ...grouped('Ending:', {
    count: flag('--count <n>', 'end after this many deliveries', { read: atLeastOne }),
    maxWait: flag(
      '--max-wait <time>',
      'end after this long, such as 90 or 5m; exit 9 if fewer than --count (1) have come',
      { read: parseLength },
    ),
  }),
};

type ListenOptions = OptionsOf<typeof FLAGS>;

export const listen = declare({
  examples: [
    '# Receive the first status of a shipment from the emulator.',
    'waybill schema ship --example > order.json',
    "waybill emulator --port 0 -- sh -c 'waybill webhook listen --count 1 --max-wait 30 & waybill webhook create -q --url http://127.0.0.1:8788/hook --event shipment.status.updated; waybill ship -q -f order.json; wait'",
  ],
  output: {
    table: 'one line for each delivery: time, path and body',
    quiet: 'the body of each delivery',
    json: 'one line for each delivery: at, method, path, headers, body',
  },
  exits: { partial: 'fewer deliveries than --count came within --max-wait' },
  notes: {
    Notes: `It listens on this machine only. \`waybill emulator\` delivers here; that of --profile demo only while a command of it runs. A service elsewhere needs a tunnel of your own.

A delivery is answered with 200 when it has been shown, and with 413 if it is larger than 1 MiB. It is shown as it came, but values that are named like a secret (token, api-key, authorization) are masked. The service document defines no signature, so none is checked.`,
  },
  flags: FLAGS,
  run: receive,
});

async function receive(session: Session, options: ListenOptions): Promise<number | undefined> {
  const { port, count, maxWait } = options;
  const { host, printer } = session;
  if (printer.cells !== undefined)
    throw new Failure(
      'usage',
      `webhook listen cannot show ${printer.format}, because deliveries have no common columns. Use table, json, jsonl or text`,
    );
  const { serveHttp, writeResponse } = await import('../../host/http-server.ts');
  const reply = (response: ServerResponse, status: number) =>
    writeResponse(response, { status, headers: {}, body: '' });
  let begun = 0;
  let done = 0;
  // Aborted when listening ends; the reason is an error if a delivery could not be shown.
  const end = new AbortController();
  const answer = async (request: HttpRequest, response: ServerResponse) => {
    // A delivery above --count is refused: its sender may try again later.
    if (count !== undefined && begun >= count) return reply(response, 503);
    begun += 1;
    try {
      await printer.result(deliveryOf(request, host.now()), view);
      if (host.stdout.isClosed)
        throw new Failure(
          'storage',
          'webhook listen: nobody reads stdout any more, so a delivery was not answered: its sender delivers it again',
        );
    } catch (error) {
      end.abort(error);
      throw error;
    }
    await reply(response, request.body === undefined ? 413 : 200);
    done += 1;
    if (done === count) end.abort('done');
  };
  const server = { name: 'webhook listen', host: '127.0.0.1', port };
  const serving = await serveHttp({ ...server, bodyLimit: BODY_LIMIT }, answer);
  const stopWaiting =
    maxWait === undefined ? undefined : host.deadline(maxWait * 1000, () => end.abort('late'));
  try {
    await printer.note(
      `Listening on ${serving.address}; each delivery is answered with 200. Ctrl-C ends it.`,
    );
    const ended = AbortSignal.any([end.signal, host.interrupted]);
    if (!ended.aborted) await once(ended, 'abort');
    if (end.signal.reason instanceof Error) throw end.signal.reason;
  } finally {
    stopWaiting?.();
    await serving.close();
  }
  if (host.interrupted.aborted) return stoppedListening(session, done);
  const least = count ?? 1;
  if (done < least)
    throw new Failure('partial', `webhook listen: ${done} of ${deliveries(least)} came within ${maxWait} s`, {
      retry: 'same',
    });
  return undefined;
}

/** A signal ended the command: no error for a person, whose first line named Ctrl-C for that. Gives the exit code. */
async function stoppedListening(session: Session, done: number): Promise<number> {
  const { host, printer } = session;
  const stopped = interruption(host.interrupted, { kind: 'stopped-listening', deliveries: done });
  if (printer.json) throw stopped;
  await printer.note(stopped.notice ?? stopped.message);
  return stopped.exitCode;
}

const deliveries = (count: number): string => (count === 1 ? '1 delivery' : `${count} deliveries`);

const redactor = createRedactor({});

/** A delivery as it is shown: a value that is named like a secret is masked. */
function deliveryOf(request: HttpRequest, now: number) {
  const { method, path, headers, body } = request;
  // Node gives each byte of a header as one character.
  const texts = Object.entries(headers).map(([name, value]) => [
    name,
    Buffer.from(value, 'latin1').toString(),
  ]);
  const text =
    body === undefined ? `(larger than ${BODY_LIMIT} bytes; answered 413)` : redactor.body(body.toString());
  return {
    at: new Date(now).toISOString(),
    method,
    path: path.replace(
      /([?&])([^=&]+)=([^&]*)/g,
      (_, sign, name, value) => `${sign}${name}=${redactor.headers({ [name]: value })[name]}`,
    ),
    headers: redactor.headers(Object.fromEntries(texts)),
    body: parseJson(text) ?? text,
  };
}

const bodyWords = (body: unknown): string => safe(typeof body === 'string' ? body : safeJson(body));

const view: View<ReturnType<typeof deliveryOf>> = {
  streamed: true,
  essential: delivery => [bodyWords(delivery.body)],
  table: ({ at, method, path, body }) =>
    [timeWords(Date.parse(at), Date.parse(at)), `${method} ${safe(path)}`, bodyWords(body)]
      .join('  ')
      .trimEnd(),
};
