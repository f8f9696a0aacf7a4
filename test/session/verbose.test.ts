// What is said of requests and retries on stderr.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogLine } from '../../src/output/schemas.ts';
import { created, order, scriptedService } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { valuesIn } from '../rig/outputs.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';

const stdin = JSON.stringify(SHIPMENT);
const busy = () =>
  scriptedService((key, attempt) =>
    attempt === 1 ? { status: 429, headers: { 'retry-after': '2' } } : created(key),
  );
const RETRY = 'the service answered 429; trying again in 2 s (attempt 2 of 4)';

describe('--verbose', () => {
  test('with JSON output has a line for each request and each answer', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --key K --json --verbose', { stdin });
    const [request, response, ...rest] = valuesIn(ran.stderr);
    expect([request, response]).toEqual([
      {
        request: {
          ...{ operation: 'ship', attempt: 1, requestId: null },
          ...{ method: 'POST', url: `${rig.address}/v1/shipments` },
          headers: expect.objectContaining({ authorization: '••••' }),
          body: expect.objectContaining({ type: 'package' }),
        },
      },
      {
        response: {
          ...{ operation: 'ship', attempt: 1, requestId: null },
          ...{ status: 201, sent: true, fault: null },
          headers: expect.objectContaining({ 'content-type': expect.stringContaining('json') }),
          body: JSON.parse(ran.stdout),
        },
      },
    ]);
    expect(rest).toMatchObject([{ booking: { key: 'K' } }]);
  });

  test('says why there is no answer', async () => {
    const rig = await createRig();
    const env = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };
    const ran = await rig.run('track gone --json --verbose --retries 1', { env });
    const [, response, retry] = valuesIn(ran.stderr);
    expect(response).toEqual({
      response: {
        ...{ operation: 'track', attempt: 1, requestId: null },
        ...{ status: null, sent: false, fault: 'connection refused (127.0.0.1:1)' },
      },
    });
    expect(retry).toEqual({
      note: 'no answer: connection refused (127.0.0.1:1); trying again in 1 s (attempt 2 of 2)',
    });
  });
});

describe('a retry', () => {
  const { key: _, ...body } = order('A');
  const given = JSON.stringify(body);

  test('is a line on a terminal, and stays there', async () => {
    const rig = await createRig();
    const { env } = await busy();
    const ran = await rig.run('ship -f - --key A --yes', { stdin: given, env, terminal: true });
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining(`${RETRY}\n`)]);
  });

  test('after a renewed token counts the request with it, as the log does', async () => {
    const rig = await createRig({ files: { token: 'old' } });
    const { url } = await rawServer((socket, _, index) => {
      rig.file('token', 'new');
      socket.end(http([401, 503, 404][index] ?? 500, '{}'));
    });
    const env = {
      WAYBILL_BASE_URL: url.origin,
      WAYBILL_TOKEN: '',
      WAYBILL_TOKEN_FILE: join(rig.folder, 'token'),
    };
    const ran = await rig.run('track S-1 --log log.jsonl', { env, terminal: true });
    expect([ran.exitCode, ran.stderr]).toEqual([
      4,
      expect.stringContaining('the service answered 503; trying again in 1 s (attempt 3 of 5)\n'),
    ]);
    const lines = valuesIn(readFileSync(join(rig.folder, 'log.jsonl'), 'utf8')) as LogLine[];
    expect(lines.map(({ event, attempt }) => [event, attempt])).toEqual([
      ['request', 1],
      ['request', 2],
      ['retry', 3],
      ['request', 3],
      ['end', null],
    ]);
  });
});
