// A simulated agent: no model, but rules that a hasty one follows. It knows an order of a shop, and of the tools only what the
// list, the schemas and the answers say. What it may do wrong it does: it copies what it has, tries again, and at last with
// another key.
import { getAt, isRecord, parsePath, setAt } from '../../src/contract/paths.ts';
import type { Agent, Answered } from './agent.ts';
import { fixture } from './service.ts';
import { http, type Raw, type Reply, rawServer } from './sockets.ts';

export interface Told {
  /** All calls of tools. */
  calls: number;
  /** Those that failed although the order was right by then: what the agent was shown misled it. */
  wrongTurns: number;
  /** What it tells its person. */
  report: string;
  /** The names of its calls, with what came. */
  way: string[];
}

/** What the agent knows of the order: `mended` is what its person says when the service refuses it. */
export interface Task {
  key: string;
  request: Record<string, unknown>;
  mended?: Record<string, unknown>;
}

/** It gives up after so many calls. */
const PATIENCE = 14;

export async function bookAs({ call }: Pick<Agent, 'call'>, task: Task): Promise<Told> {
  const told: Told = { calls: 0, wrongTurns: 0, report: 'it gave up', way: [] };
  const use = async (tool: string, args: object): Promise<Answered | undefined> => {
    told.calls += 1;
    try {
      const answer = await call(tool, args);
      told.way.push(`${tool}: ${answer.isError ? (answer.result?.error?.code ?? 'an error') : 'fine'}`);
      return answer;
    } catch (error) {
      // A client that cannot read the answer shows its agent this alone.
      told.way.push(`${tool}: ${String(error).slice(0, 60)}`);
      return undefined;
    }
  };

  // The price first: it reads the schema of a quote and fills it in with what the order has.
  const { schema } = (await use('order_schema', { operation: 'quote' }))?.result ?? {};
  let quote = filledFrom(task.request, schema);
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = await use('quote', { request: quote });
    if (answer && !answer.isError) break;
    told.wrongTurns += 1;
    for (const { path } of answer?.result?.error?.issues ?? []) quote = without(quote, path);
  }

  let { request } = task;
  let key = task.key;
  for (let again = 0; told.calls < PATIENCE; ) {
    const planned = await use('plan', { key, request, carrier: 'fastest', maxPrice: '200USD' });
    const isBooked = planned?.isError === false && planned.result.state !== undefined;
    const hash: unknown = planned?.isError === false ? planned.result.hash : undefined;
    const shipped = hash === undefined ? planned : await use('ship', { plan: hash });
    if (shipped?.isError === false && (isBooked || hash !== undefined)) {
      const labelled = await use('label', { refs: [key] });
      const number = labelled?.isError === false ? labelled.result.trackingNumbers : 'not known';
      told.report = `booked as ${shipped.result.shipmentIds}, tracking number ${number}`;
      return told;
    }
    const error = shipped?.result?.error;
    if (error && error.created !== false) {
      told.report = `a person must look: ${error.message}`;
      return told;
    }
    if (error?.code === 'rejected' && task.mended !== undefined && request !== task.mended) {
      request = task.mended;
      continue;
    }
    told.wrongTurns += 1;
    // Nothing was said that helps: once more, and then as another order.
    again += 1;
    if (again % 2 === 0) key = `${task.key}-${again}`;
  }
  return told;
}

/** The fields that a schema has, with what the order knows of each. */
function filledFrom(order: Record<string, unknown>, schema: unknown): Record<string, unknown> {
  const address = (party: string, field: string) => getAt(order, `${party}.address.${field}`);
  const known: Record<string, unknown> = {
    ...order,
    originCountry: address('sender', 'country.code'),
    destinationCountry: address('receiver', 'country.code'),
    postalCode: address('receiver', 'zipCode'),
  };
  const names = Object.keys((getAt(schema, ['properties']) ?? {}) as object);
  return Object.fromEntries(names.flatMap(name => (known[name] === undefined ? [] : [[name, known[name]]])));
}

function without(request: Record<string, unknown>, path: string): Record<string, unknown> {
  const steps = parsePath(path) ?? [];
  const [last] = steps.slice(-1);
  const outer = getAt(request, steps.slice(0, -1));
  if (last === undefined || !isRecord(outer)) return request;
  const { [last]: _, ...rest } = outer;
  return steps.length === 1 ? rest : (setAt(request, steps.slice(0, -1), rest) as Record<string, unknown>);
}

/** A service with one carrier, on a bare socket. `book` answers a booking; `bodies` are those that arrived, in their order. */
export async function carrierService(
  book: Reply = booked,
): Promise<{ raw: Raw; bodies(): Record<string, unknown>[] }> {
  const isBooking = (request: string) => request.startsWith('POST /v1/shipments ');
  let bookings = 0;
  const raw = await rawServer((socket, request) => {
    if (isBooking(request)) {
      bookings += 1;
      return book(socket, request, bookings - 1);
    }
    const answer = request.startsWith('POST /v1/carriers/proposal ')
      ? fixture('v1/carriers/proposal/POST/full.201.json')
      : fixture('v2/carriers/create/POST/minimal.200.json');
    return socket.write(http(200, JSON.stringify(answer)));
  });
  return {
    raw,
    bodies: () =>
      raw.requests.filter(isBooking).map(request => JSON.parse(request.slice(request.indexOf('\r\n\r\n')))),
  };
}

/** A shipment with an id of its own. */
export const booked: Reply = (socket, _, index) => {
  const carrier = { id: 'EXP', name: 'Example Express', price: 97, currency: 'USD' };
  const shipment = { ...fixture('v1/shipments/POST/minimal.201.json'), id: `S-${index + 1}`, carrier };
  socket.write(http(201, JSON.stringify(shipment)));
};
