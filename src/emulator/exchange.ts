import type { ServerResponse } from 'node:http';
import { LEGS } from '../contract/operation.ts';
import { type HttpResponse, writeResponse } from '../http-server.ts';
import type { Emulator } from './emulator.ts';
import { drawFaults, type Fault } from './faults.ts';
import { isLabelPath } from './label-link.ts';
import { locate } from './routes.ts';
import { type EmulatorRequest, failure, json, type Leg } from './wire.ts';

/** A request as the server saw it, and how it was answered: a status, or a connection that broke. */
export interface SeenRequest extends Pick<EmulatorRequest, 'method' | 'path' | 'headers' | 'body'> {
  answered: number | 'reset' | 'truncated';
}

export interface Exchange {
  emulator: Emulator;
  faults: readonly Fault[];
  /** Milliseconds before each answer. */
  latency: number;
  random(): number;
  sleep(ms: number): Promise<unknown>;
  onRequest(seen: SeenRequest): void;
}

/** Answers one request, as well as its faults let it. Resolves when the answer has left. */
export async function exchange(
  setting: Exchange,
  request: EmulatorRequest,
  response: ServerResponse,
): Promise<void> {
  const { emulator, random, sleep, onRequest } = setting;
  const struck = drawFaults(isSpared(request.path) ? [] : setting.faults, random);
  const wait = setting.latency + (struck.has('delay') ? 1000 + 4000 * random() : 0);
  if (wait > 0) await sleep(wait);

  const { method, path, headers, body } = request;
  const seen = (answered: SeenRequest['answered']) => onRequest({ method, path, headers, body, answered });
  const reset = () => {
    seen('reset');
    response.socket?.resetAndDestroy();
  };
  if (struck.has('reset-before')) return reset();
  const status = [...struck].find(kind => typeof kind === 'number');
  const answer = status === undefined ? handled(emulator, request, failedLegs(struck)) : injected(status);
  if (struck.has('reset-after')) return reset();
  if (struck.has('truncate')) {
    seen('truncated');
    return truncate(response, answer);
  }
  seen(answer.status);
  return writeResponse(response, struck.has('html') ? page(answer.status) : answer);
}

// The document of the service and the labels are not operations of it.
const isSpared = (path: string): boolean => path === '/openapi.json' || isLabelPath(locate(path).path);

const failedLegs = (struck: ReadonlySet<string | number>): ReadonlySet<Leg> =>
  new Set(LEGS.filter(leg => struck.has(`label-${leg}`)));

function handled(emulator: Emulator, request: EmulatorRequest, failLabels: ReadonlySet<Leg>): HttpResponse {
  try {
    return emulator.handle({ ...request, failLabels });
  } catch (error) {
    return failure(500, error instanceof Error ? error.message : String(error));
  }
}

function injected(status: number): HttpResponse {
  const body = {
    success: false,
    error: { code: 'injected_fault', message: `injected: ${status}`, details: [] },
  };
  if (status === 429) return json(status, body, { 'retry-after': '1' });
  if (status >= 300 && status < 400) return json(status, body, { location: '/moved' });
  return json(status, body);
}

const page = (status: number): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Hold on</title><p>The service is being looked after.</p>',
});

function truncate(response: ServerResponse, { status, headers, body }: HttpResponse): Promise<void> {
  return new Promise(resolve => {
    if (response.destroyed) return resolve();
    response.once('close', resolve);
    const whole = Buffer.from(body);
    response.writeHead(status, { ...headers, 'content-length': Math.max(2, whole.length) });
    response.write(whole.subarray(0, Math.max(1, whole.length >> 1)), () => response.socket?.destroy());
  });
}
