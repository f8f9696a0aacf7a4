import type { ErrorStatus, Issue, Leg } from '../contract/operation.ts';
import type { HttpResponse } from '../http-server.ts';

/** The two addresses of the document (§4, §9). Each has data of its own. */
export type World = 'production' | 'sandbox';

/** A request without its socket. */
export interface EmulatorRequest {
  method: string;
  /** As on the request line, with `/sandbox` in front for the sandbox; a query is ignored. */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The beginning of label links: `http://127.0.0.1:8787`. */
  origin: string;
  /** Legs whose label is not made, because of a fault. */
  failLabels?: ReadonlySet<Leg>;
}

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

const CODES: Readonly<Record<ErrorStatus, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  422: 'validation_failed',
  429: 'too_many_requests',
  500: 'internal_error',
};

/**
 * An error. The document does not show its body (§7). This is ours:
 * `{"success":false,"error":{"code","message","details":[{"path","message"}]}}`.
 */
export const failure = (
  status: ErrorStatus,
  message: string,
  details: readonly Issue[] = [],
  headers: Readonly<Record<string, string>> = {},
): HttpResponse =>
  json(status, { success: false, error: { code: CODES[status], message, details } }, headers);
