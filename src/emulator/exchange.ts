import type { ServerResponse } from 'node:http';
import { LEGS, type Leg } from '../contract/operation.ts';
import { type HttpResponse, writeResponse } from '../http-server.ts';
import type { Emulator } from './emulator.ts';
import { drawFaults, type Fault } from './faults.ts';
import { isLabelPath } from './label-link.ts';
import { locate } from './routes.ts';
import { type EmulatorRequest, failure, json } from './wire.ts';

/** A request as the server got it, and how it was answered: with a status, or by breaking the connection. */
export interface SeenRequest extends Pick<EmulatorRequest, 'method' | 'path' | 'headers' | 'body'> {
  answered: number | 'reset' | 'truncated';
}

export interface ExchangeOptions {
  emulator: Emulator;
  faults: readonly Fault[];
  /** Milliseconds before each answer. */
  latency: number;
  random(): number;
  sleep(ms: number): Promise<unknown>;
  onRequest(seen: SeenRequest): void;
}

/** Answers one request, with the faults that apply to it. Resolves when the answer is sent. */
export async function exchange(
  setting: ExchangeOptions,
  request: EmulatorRequest,
  response: ServerResponse,
): Promise<void> {
  const { emulator, random, sleep, onRequest } = setting;
  const faults = drawFaults(hasNoFaults(request.path) ? [] : setting.faults, random);
  const wait = setting.latency + (faults.has('delay') ? 1000 + 4000 * random() : 0);
  if (wait > 0) await sleep(wait);

  const { method, path, headers, body } = request;
  const seen = (answered: SeenRequest['answered']) => onRequest({ method, path, headers, body, answered });
  const reset = () => {
    seen('reset');
    response.socket?.resetAndDestroy();
  };
  if (faults.has('reset-before')) return reset();
  const status = [...faults].find(kind => typeof kind === 'number');
  const answer =
    status === undefined ? await handled(emulator, request, failedLegs(faults)) : injected(status);
  if (faults.has('reset-after')) return reset();
  if (faults.has('truncate')) {
    seen('truncated');
    return truncate(response, answer);
  }
  seen(answer.status);
  return writeResponse(response, faults.has('html') ? htmlPage(answer.status) : answer);
}

// The OpenAPI document and the labels are not operations of the service.
const hasNoFaults = (path: string): boolean => path === '/openapi.json' || isLabelPath(locate(path).path);

const failedLegs = (struck: ReadonlySet<string | number>): ReadonlySet<Leg> =>
  new Set(LEGS.filter(leg => struck.has(`label-${leg}`)));

async function handled(
  emulator: Emulator,
  request: EmulatorRequest,
  failLabels: ReadonlySet<Leg>,
): Promise<HttpResponse> {
  try {
    return await emulator.handle({ ...request, failLabels });
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

const htmlPage = (status: number): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Maintenance</title><p>The service is under maintenance.</p>',
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
