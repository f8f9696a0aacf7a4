import type { Leg, Operation } from '../contract/operation.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import type { FailureCode } from '../errors.ts';
import type { Answer, Exchange } from '../http/transport.ts';
import { bodyOf, codeOf, explain, isSuccess } from '../http/verdict.ts';
import { wordsOf } from '../http/words.ts';

/** A label as either operation tells it. */
export interface Label {
  made: boolean;
  trackingNumber?: string;
  /** Address of the PDF; domestic legs have none. */
  link?: string;
}

export type Ids = Partial<Record<'shipment' | 'international' | 'domestic' | 'subscription', string>>;

/**
 * What became of a booking. `created`: all that was asked for. `partial`: some of it. `rejected`: the service
 * said no. `not_sent`: it never reached the service. `unknown`: it may exist.
 */
export interface Outcome {
  state: 'created' | 'partial' | 'rejected' | 'not_sent' | 'unknown';
  /** For all but `created` and `partial`: the failure that it is. */
  code: FailureCode;
  /** What the service answered or the wire did, for people. */
  why: string;
  httpStatus: number | null;
  /** The answer as received; `null` where there was none. */
  body: unknown;
  ids: Ids;
  labels: Partial<Record<Leg, Label>>;
  /** Legs whose label was asked for and is not there. */
  unlabelled: Leg[];
}

/** Reads the outcome of a booking off the wire: the only place that decides it (service document §4, §7). */
export function readOutcome(operation: Operation, request: unknown, exchange: Exchange): Outcome {
  const bare = { httpStatus: null, body: null, ids: {}, labels: {}, unlabelled: [] };
  if (exchange.kind === 'none')
    return exchange.sent
      ? { ...bare, state: 'unknown', code: 'outcome_unknown', why: exchange.fault }
      : { ...bare, state: 'not_sent', code: 'unavailable', why: exchange.fault };
  const answered = { ...bare, httpStatus: exchange.status, body: bodyOf(exchange) };
  if (isSuccess(exchange.status)) return { ...answered, ...readSuccess(operation, request, exchange) };
  const why = `the service answered ${explain(operation, exchange)}`;
  const code = codeOf(exchange.status);
  return code === 'unavailable'
    ? { ...answered, state: 'unknown', code: 'outcome_unknown', why }
    : { ...answered, state: 'rejected', code, why };
}

type Reading = Pick<Outcome, 'state' | 'code' | 'why' | 'ids' | 'labels' | 'unlabelled'>;

function readSuccess(operation: Operation, request: unknown, exchange: Answer): Reading {
  const text = exchange.body.toString('utf8');
  const body = bodyOf(exchange);
  const ids = readIds(operation, body);
  const { labels, unlabelled } = readLabels(operation, request, body);
  const reading = { ids, labels, unlabelled };
  const refused = getAt(body, ['success']) === false;

  const wanted = Object.keys(operation.made.ids).length;
  const found = Object.keys(ids).length;
  const labelled = Object.values(labels).some(label => label.made);
  const unknown = { ...reading, state: 'unknown', code: 'outcome_unknown' } as const;
  if (exchange.fault !== undefined || !isRecord(body))
    return {
      ...unknown,
      why: `the service answered ${exchange.status}, but the answer cannot be read: ${exchange.fault ?? 'it is not a JSON object'}`,
    };
  if (found === 0 && !labelled) {
    const saidNo = refused || (wanted === 0 && allSaidNo(operation, unlabelled, body));
    return saidNo
      ? { ...reading, state: 'rejected', code: 'rejected', why: `the service said no: ${wordsOf(text)}` }
      : { ...unknown, why: `the service answered ${exchange.status} without saying what it made` };
  }
  if (found < wanted)
    return { ...reading, state: 'partial', code: 'partial', why: 'only one of two shipments was made' };
  if (unlabelled.length > 0)
    return {
      ...reading,
      state: 'partial',
      code: 'partial',
      why: `no label for the ${unlabelled.join(' and ')} leg`,
    };
  if (refused)
    return { ...reading, state: 'partial', code: 'partial', why: 'the answer also says success: false' };
  return { ...reading, state: 'created', code: 'internal', why: '' };
}

function readIds(operation: Operation, body: unknown): Ids {
  const ids: Ids = {};
  for (const [name, path] of Object.entries(operation.made.ids)) {
    const id = getAt(body, path);
    if ((typeof id === 'string' && id !== '') || typeof id === 'number') ids[name as keyof Ids] = String(id);
  }
  return ids;
}

function readLabels(
  operation: Operation,
  request: unknown,
  body: unknown,
): Pick<Outcome, 'labels' | 'unlabelled'> {
  const labels: Outcome['labels'] = {};
  const unlabelled: Leg[] = [];
  for (const leg of legsOf(operation)) {
    const { at, asked } = operation.made.labels[leg] ?? { at: '', asked: '' };
    const label = readLabel(getAt(body, at));
    if (label !== undefined) labels[leg] = label;
    if (getAt(request, asked) && label?.made !== true) unlabelled.push(leg);
  }
  return { labels, unlabelled };
}

const legsOf = (operation: Operation) => Object.keys(operation.made.labels) as Leg[];

function readLabel(value: unknown): Label | undefined {
  if (!isRecord(value)) return undefined;
  const { success, trackingNumber } = value;
  // The same link has two names in the service document.
  const link = [value.labelPdf, value.label].find(found => typeof found === 'string' && found !== '');
  const number = typeof trackingNumber === 'string' && trackingNumber !== '' ? trackingNumber : undefined;
  return {
    made: success !== false && (success === true || number !== undefined || link !== undefined),
    ...(number !== undefined && { trackingNumber: number }),
    ...(typeof link === 'string' && { link }),
  };
}

const allSaidNo = (operation: Operation, asked: readonly Leg[], body: unknown): boolean =>
  asked.length > 0 &&
  asked.every(leg => getAt(getAt(body, operation.made.labels[leg]?.at ?? ''), ['success']) === false);
