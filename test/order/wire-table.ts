// The rows of the table: what a service may answer to each booking (service document §4), and what the network may do to
// it. The expected results are written by hand from the promises (interface §4, §5), and not taken from the product.
import type net from 'node:net';
import { DUAL, SHIPMENT } from '../rig/service.ts';
import { http } from '../rig/sockets.ts';
import { abroad, abroadPdf, inland, leg, refusedLabel } from './answers.ts';

/** The expected result of a booking. */
export interface End {
  exit: number;
  code: string | null;
  /** The state of the booking in the journal. */
  state: 'created' | 'partial' | 'rejected' | 'not_sent' | 'unknown';
  /** Complete requests that reached the service. */
  arrived: number;
  /** Complete requests of a second attempt, which has the same exit code if the service behaves as before. */
  again: number;
}

const created: End = { exit: 0, code: null, state: 'created', arrived: 1, again: 0 };
const partial: End = { exit: 9, code: 'partial', state: 'partial', arrived: 1, again: 0 };
const refused = (exit: number, code: string): End => ({
  exit,
  code,
  state: 'rejected',
  arrived: 1,
  again: 1,
});
export const unknown: End = { exit: 8, code: 'outcome_unknown', state: 'unknown', arrived: 1, again: 0 };
export const notSent: End = { exit: 7, code: 'unavailable', state: 'not_sent', arrived: 0, again: 0 };

interface AnswerRow {
  name: string;
  status: number;
  body: unknown;
  /** If the response is complete. */
  end: End;
}

export interface BookingRow {
  argv: string;
  request: Record<string, unknown>;
  /** Padding, to make it longer than one read of a socket. */
  long: Record<string, unknown>;
  answers: AnswerRow[];
}

const refusal = { success: false, message: 'no' };
const row = (name: string, status: number, body: unknown, end: End): AnswerRow => ({
  name,
  status,
  body,
  end,
});

/** Statuses that mean the same for every booking. */
const STATUSES: AnswerRow[] = [
  row('204', 204, '', unknown),
  row('302', 302, '', unknown),
  row('307', 307, '', unknown),
  row('400', 400, { message: 'bad' }, refused(5, 'rejected')),
  row('401', 401, { message: 'who?' }, refused(3, 'unauthorized')),
  row('403', 403, '', refused(3, 'unauthorized')),
  row('404', 404, {}, refused(4, 'not_found')),
  row('408', 408, '', unknown),
  row('409', 409, {}, refused(5, 'rejected')),
  row('422', 422, { message: 'not valid' }, refused(5, 'rejected')),
  // Not processed: it is sent again up to three times.
  row('429', 429, '', { ...refused(6, 'rate_limited'), arrived: 4, again: 4 }),
  row('500', 500, { message: 'oops' }, unknown),
  row('502', 502, '', unknown),
  row('503', 503, '<html>', unknown),
  row('a 2xx of HTML', 200, '<html>', unknown),
  row('an empty 2xx', 201, '', unknown),
];

const outer = { success: true, international: leg('I1', abroadPdf) };
const bare = { international: { id: 1, label: abroadPdf }, domestic: { id: 2, label: inland } };

const LONG = 'x'.repeat(500_000);
const sender = { ...(SHIPMENT.sender as object), companyName: LONG };

export const BOOKINGS: BookingRow[] = [
  {
    argv: 'ship -f - --key K',
    request: SHIPMENT,
    long: { sender },
    answers: [
      row('the shipment', 201, { id: 'S1', carrier: { id: 'EXP' } }, created),
      row('a shipment with unknown fields', 201, { id: 'S1', more: [{ a: 1 }] }, created),
      row('a shipment in an envelope', 201, { success: true, data: { id: 'S1' } }, created),
      row('an id that is a number', 201, { id: 42 }, created),
      row('ids in two envelopes', 201, { data: { id: 'S1' }, result: { id: 'S2' } }, unknown),
      row('success: false and an id in an envelope', 200, { success: false, data: { id: 'S1' } }, partial),
      row('success: false and an id elsewhere', 200, { success: false, shipmentId: 'S1' }, unknown),
      row('a shipment without its id', 201, { carrier: { id: 'EXP' } }, unknown),
      row('success: false', 200, refusal, refused(5, 'rejected')),
      ...STATUSES,
    ],
  },
  {
    argv: 'ship-dual -f - --key K',
    request: { ...DUAL, label: true },
    long: { sender },
    answers: [
      row('both shipments and both labels', 201, { ...outer, domestic: leg('D1', inland) }, created),
      row('a leg without its label', 201, { ...outer, domestic: leg('D1', refusedLabel) }, partial),
      row('both shipments without the object around them, in an envelope', 201, { result: bare }, created),
      row('one shipment of the two', 201, outer, partial),
      row('shipments without their ids', 201, { success: true, international: {}, domestic: {} }, unknown),
      row('success: false', 200, refusal, refused(5, 'rejected')),
      ...STATUSES,
    ],
  },
  {
    argv: 'label -f -',
    request: { international: 'I1', domestic: 'D1' },
    long: { international: LONG },
    answers: [
      row('both labels', 200, { success: true, international: abroad, domestic: inland }, created),
      // Only the missing label is requested again.
      row(
        'one label',
        200,
        { success: true, international: abroad, domestic: refusedLabel },
        { ...partial, again: 1 },
      ),
      row('both labels in an envelope', 200, { data: { international: abroad, domestic: inland } }, created),
      row('no label, and no word of why', 200, { success: true }, unknown),
      row('success: false', 200, refusal, refused(5, 'rejected')),
      ...STATUSES,
    ],
  },
  {
    argv: 'webhook create -f - --key K',
    request: { url: 'https://shop.example.test/hook', events: ['shipment.status.updated'] },
    long: { headers: { 'X-Long': LONG } },
    answers: [
      row('the subscription', 201, { success: true, data: { id: 'W1', secret: 's', token: 't' } }, created),
      row('a subscription in an envelope', 201, { result: { id: 1, secret: 's', token: 2 } }, created),
      row('a subscription without its token', 201, { data: { id: 'W1', secret: 's' } }, partial),
      row('a subscription without its id', 201, { success: true, data: { secret: 's' } }, unknown),
      row('success: false', 200, refusal, refused(5, 'rejected')),
      ...STATUSES,
    ],
  },
];

/** What the network does to a response. */
export interface WireRow {
  name: string;
  send(socket: net.Socket, status: number, body: string): void;
  /** Is the received part shorter than the response? */
  cut: boolean;
}

const whole = (status: number, body: string) => http(status, body, { location: 'http://127.0.0.1:1/' });

// Nine more blanks, so that an empty body is cut, too.
const longer = (status: number, body: string) => whole(status, `${body}${' '.repeat(9)}`);

export const headOf = (status: number, body: string) =>
  `${longer(status, body).split('\r\n\r\n')[0]}\r\n\r\n`;

export const halfOf = (status: number, body: string) =>
  longer(status, body).slice(0, -9 - Math.ceil(body.length / 2));

/** Resets after the data has reached the other end, so that it can be read. */
const thenReset = (socket: net.Socket, text: string) =>
  void socket.write(text, () => socket.resetAndDestroy());

export const WIRES: WireRow[] = [
  {
    name: 'that arrives complete',
    cut: false,
    send: (socket, status, body) => void socket.write(whole(status, body)),
  },
  {
    name: 'complete, and then a reset',
    cut: false,
    send: (socket, status, body) => thenReset(socket, whole(status, body)),
  },
  {
    name: 'its head, and then a reset',
    cut: true,
    send: (socket, status, body) => thenReset(socket, headOf(status, body)),
  },
  {
    name: 'half of its body, and then a reset',
    cut: true,
    send: (socket, status, body) => thenReset(socket, halfOf(status, body)),
  },
];

/** The result if the response is cut: a status alone can reject, but never confirm. */
export const endOf = ({ status, end }: AnswerRow, { cut }: WireRow): End =>
  cut && status < 300 ? unknown : end;
