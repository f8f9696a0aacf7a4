// A verdict on a client: what it booked or labelled more than once, and what it sent again although the first request had its effect.
// Orders are known by their content, because the service has no field for a client's own name of an order.
import { createHash } from 'node:crypto';
import { LEGS, type Operation, type OperationCommand } from '../contract/operations.ts';
import { partyOf } from '../contract/parties.ts';
import { getAt, isRecord, listAt, textAt } from '../contract/paths.ts';
import { folded } from '../text.ts';
import type { Exchange } from './server.ts';
import { operationAt } from './service.ts';
import { TAKE_THE_ANSWER } from './settings.ts';
import { isoDate, type World } from './world.ts';

/** The file of `--audit`. All its lists are empty if the client made no mistake. */
export interface AuditReport {
  /** Orders that were booked more than once, each with the requests that did it. */
  booked: (Audited & { requests: AuditedRequest[] })[];
  /**
   * What was sent again although it had its effect, because the client got no answer: the first request, and the request that repeats it.
   * `fault`: the fault that took the answer; `null`: the client left. `afterMs`: from the loss to the next request.
   */
  repeated: (Audited & { fault: string | null; afterMs: number; requests: AuditedRequest[] })[];
  /** Shipments for which a label was made more than once, each with the requests that did it. */
  labels: (Audited & { trackingNumbers: string[]; requests: AuditedRequest[] })[];
}

interface Audited {
  /** `null` for a subscription, and for a shipment that was not booked in this run. */
  receiver: Receiver | null;
  shipmentIds: string[];
}

export interface Receiver {
  name: string | null;
  city: string | null;
  country: string | null;
}

export interface AuditedRequest {
  time: string;
  operation: OperationCommand;
  /** The status that the client got; `null`: it got no whole answer. */
  status: number | null;
}

/** What happened to an order and its labels, or to a label or a subscription alone. */
export interface Story {
  kind: Thing['kind'];
  receiver: Receiver | null;
  /** Of a label whose order was not booked in this run, the shipment; of a subscription, its address. */
  name: string;
  /** `booked`: how often it was booked or subscribed. `labelled`: how often its shipments got a label. */
  booked: number;
  labelled: number;
  isLabelledTwice: boolean;
  /** The attempts in their order. `repeatsAfterMs`: the time since the answer to an earlier attempt was lost, which had its effect. */
  attempts: (Attempt & { repeatsAfterMs: number | null })[];
}

export interface Verdict {
  report: AuditReport;
  stories: Story[];
  /** How many requests had their effect without an answer that the client got. */
  lost: number;
}

/** A request that books. */
export interface Attempt extends Pick<Exchange, 'begun' | 'ended' | 'isLost' | 'status'> {
  operation: Operation;
  /** The fault that took the answer, or delayed it until the client left. */
  fault: string | null;
  /** The things that the request asks for. */
  wants: readonly Thing[];
  /** The things that the request made. `ids`: of shipments or a subscription; of a label, its tracking number. */
  made: readonly (Thing & { ids: readonly string[] })[];
}

interface Thing {
  kind: 'order' | 'label' | 'subscription';
  /** The same for two requests that ask for the same thing. */
  identity: string;
  /** Of a label, its shipment; of a subscription, its address. */
  name: string;
  receiver: Receiver | null;
}

export function createAudit() {
  const attempts: Attempt[] = [];
  return {
    see(exchange: Exchange): void {
      const attempt = attemptOf(exchange);
      if (attempt) attempts.push(attempt);
    },
    /** Gives the verdict. To be called when no request is in flight. */
    verdict: (): Verdict => verdictOf(attempts.toSorted((a, b) => a.begun.number - b.begun.number)),
  };
}

// Requests

function attemptOf({ request, made, struck, ...exchange }: Exchange): Attempt | undefined {
  const place = operationAt(request);
  const body = parsedJson(request.body);
  if (!place?.operation.books || !isRecord(body)) return undefined;
  const { operation, world } = place;
  const fault = [...TAKE_THE_ANSWER, 'delay'].find(kind => struck.has(kind)) ?? null;
  const wants = thingsWanted(operation, world, body);
  const isDone = made?.status === operation.success.status;
  const answer = isDone ? parsedJson(String(made.body)) : undefined;
  return {
    operation,
    fault,
    wants,
    ...exchange,
    made: isDone
      ? [...thingsBooked(operation, wants, answer), ...thingsLabelled(operation, world, body, answer)]
      : [],
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function thingsWanted(operation: Operation, world: World, body: Record<string, unknown>): Thing[] {
  switch (operation.keySpace) {
    case 'shipment': {
      const { receiver, items, packages } = body;
      const { person, company, city, country } = partyOf(receiver);
      return [
        {
          kind: 'order',
          identity: `${world} ${createHash('sha256')
            .update(contentText([receiver, items, packages]))
            .digest('base64')}`,
          name: '',
          receiver: { name: person || company || null, city: city || null, country: country || null },
        },
      ];
    }
    case 'subscription': {
      const name = textAt(body, 'url') ?? '';
      const identity = contentText([name, listAt(body, 'events').map(String).toSorted()]);
      return [{ kind: 'subscription', identity, name, receiver: null }];
    }
    case null:
      return LEGS.flatMap(leg => {
        const shipment = textAt(body, leg);
        return shipment === undefined ? [] : [labelThing(world, shipment)];
      });
  }
}

const labelThing = (world: World, shipment: string): Thing => ({
  kind: 'label',
  identity: `label ${world} ${shipment}`,
  name: shipment,
  receiver: null,
});

/** The content of a value as text: the same for another case, other marks or blanks, and another order of fields. */
function contentText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(folded(value).replace(/\s+/g, ' ').trim());
  if (Array.isArray(value)) return `[${value.map(contentText).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value).toSorted();
  return `{${fields.map(field => `${JSON.stringify(field)}:${contentText(value[field])}`).join()}}`;
}

/** The orders and subscriptions that an answer names. */
const thingsBooked = (operation: Operation, wants: readonly Thing[], answer: unknown): Attempt['made'] => {
  const ids = Object.values(operation.made.ids).flatMap(path => textAt(answer, path) ?? []);
  return ids.length === 0 ? [] : wants.map(thing => ({ ...thing, ids }));
};

/** The labels that an answer names, for the shipments of the request, or for shipments that the same answer names. */
const thingsLabelled = (
  operation: Operation,
  world: World,
  body: unknown,
  answer: unknown,
): Attempt['made'] =>
  LEGS.flatMap(leg => {
    const { at } = operation.made.labels[leg] ?? {};
    const tracking = at && textAt(getAt(answer, at), 'trackingNumber');
    const shipment = textAt(answer, operation.made.ids[leg] ?? '') ?? textAt(body, leg);
    return tracking && shipment ? [{ ...labelThing(world, shipment), ids: [tracking] }] : [];
  });

// The verdict

/** A thing, with the requests that asked for it, and the requests that made it. */
interface Told extends Thing {
  wantedBy: Attempt[];
  madeBy: { attempt: Attempt; ids: readonly string[] }[];
}

function verdictOf(attempts: readonly Attempt[]): Verdict {
  const things = new Map<string, Told>();
  const recorded = (thing: Thing): Told => {
    const known = things.get(thing.identity) ?? { ...thing, wantedBy: [], madeBy: [] };
    things.set(thing.identity, known);
    return known;
  };
  for (const attempt of attempts) {
    for (const thing of attempt.wants) recorded(thing).wantedBy.push(attempt);
    for (const { ids, ...thing } of attempt.made) recorded(thing).madeBy.push({ attempt, ids });
  }
  const allThings = [...things.values()];
  // The receiver of a label is that of its order, found by the shipment.
  const orders = new Map(
    allThings.flatMap(thing =>
      thing.kind === 'order' ? thing.madeBy.flatMap(({ ids }) => ids.map(id => [id, thing] as const)) : [],
    ),
  );
  const repetitions = repetitionsIn(allThings);
  const receiverOf = (thing: Thing) => thing.receiver ?? orders.get(thing.name)?.receiver ?? null;
  const twice = (kind: Thing['kind']) =>
    allThings.filter(thing => thing.kind === kind && thing.madeBy.length > 1);
  const report: AuditReport = {
    booked: twice('order').map(thing => ({
      receiver: receiverOf(thing),
      shipmentIds: thing.madeBy.flatMap(({ ids }) => ids),
      requests: thing.madeBy.map(({ attempt }) => requestOf(attempt)),
    })),
    repeated: repetitions.map(({ things: repeated, first, again }) => ({
      receiver: repeated.map(receiverOf).find(receiver => receiver !== null) ?? null,
      shipmentIds: repeated.flatMap(thing => shipmentsMade(thing, [first, again])),
      fault: first.fault,
      afterMs: afterMs({ first, again }),
      requests: [first, again].map(requestOf),
    })),
    labels: twice('label').map(thing => ({
      receiver: receiverOf(thing),
      shipmentIds: [thing.name],
      trackingNumbers: thing.madeBy.flatMap(({ ids }) => ids),
      requests: thing.madeBy.map(({ attempt }) => requestOf(attempt)),
    })),
  };
  const lost = attempts.filter(({ isLost, made }) => isLost && made.length > 0).length;
  return { report, lost, stories: storiesOf(allThings, orders, repetitions) };
}

/** The time between both requests. At least 0, because the clock may have been set back. */
const afterMs = (repetition: Pick<Repetition, 'first' | 'again'>): number =>
  Math.max(0, repetition.again.begun.ms - repetition.first.ended.ms);

const requestOf = (attempt: Attempt): AuditedRequest => ({
  time: isoDate(attempt.begun.ms),
  operation: attempt.operation.command,
  status: attempt.status,
});

function shipmentsMade(thing: Told, attempts: readonly Attempt[]): string[] {
  const { kind, name, madeBy } = thing;
  if (kind === 'label') return [name];
  if (kind === 'subscription') return [];
  return madeBy.flatMap(({ attempt, ids }) => (attempts.includes(attempt) ? ids : []));
}

interface Repetition {
  /** The repeated things: several if a request asks for the labels of both legs. */
  things: Told[];
  first: Attempt;
  again: Attempt;
}

function repetitionsIn(things: readonly Told[]): Repetition[] {
  const pairs = new Map<string, Repetition>();
  for (const thing of things)
    for (const { first, again } of repetitionsOf(thing)) {
      const pair = `${first.begun.number} ${again.begun.number}`;
      const known = pairs.get(pair);
      if (known) known.things.push(thing);
      else pairs.set(pair, { things: [thing], first, again });
    }
  return [...pairs.values()].toSorted((a, b) => a.again.begun.number - b.again.begun.number);
}

/**
 * The requests for a thing that came after an earlier one had its effect and lost its answer. A request from before the loss repeats
 * nothing: another process sent it. Once the client has the answer to a repetition, another request with the same content may be a new
 * order.
 */
function repetitionsOf(thing: Told): { first: Attempt; again: Attempt }[] {
  const makers = new Set(thing.madeBy.map(({ attempt }) => attempt));
  const moments = thing.wantedBy
    .flatMap(attempt => [
      { moment: attempt.begun, attempt, isEnd: false },
      ...(makers.has(attempt) ? [{ moment: attempt.ended, attempt, isEnd: true }] : []),
    ])
    .toSorted((a, b) => a.moment.number - b.moment.number);
  const repetitions: { first: Attempt; again: Attempt }[] = [];
  let lost: Attempt | undefined;
  for (const { attempt, isEnd } of moments) {
    if (!isEnd && lost) repetitions.push({ first: lost, again: attempt });
    if (isEnd && attempt.isLost) lost = attempt;
    else if (isEnd && lost && attempt.begun.number > lost.ended.number) lost = undefined;
  }
  return repetitions;
}

function storiesOf(
  things: readonly Told[],
  orders: ReadonlyMap<string, Told>,
  repetitions: readonly Repetition[],
): Story[] {
  const repeating = new Map(repetitions.map(repetition => [repetition.again, afterMs(repetition)]));
  const chapters = new Map<Told, Told[]>();
  for (const thing of things) {
    // A label is told with its order.
    const head = (thing.kind === 'label' && orders.get(thing.name)) || thing;
    chapters.set(head, [...(chapters.get(head) ?? []), thing]);
  }
  return [...chapters].map(([{ kind, receiver, name, madeBy }, parts]) => {
    const labels = parts.filter(part => part.kind === 'label');
    const attempts = new Set(
      parts.flatMap(part => [...part.wantedBy, ...part.madeBy.map(({ attempt }) => attempt)]),
    );
    return {
      kind,
      receiver,
      name,
      booked: kind === 'label' ? 0 : madeBy.length,
      labelled: labels.reduce((sum, label) => sum + label.madeBy.length, 0),
      isLabelledTwice: labels.some(label => label.madeBy.length > 1),
      attempts: [...attempts]
        .toSorted((a, b) => a.begun.number - b.begun.number)
        .map(attempt => ({ ...attempt, repeatsAfterMs: repeating.get(attempt) ?? null })),
    };
  });
}
