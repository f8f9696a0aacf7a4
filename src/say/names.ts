// What is said of the names of bookings: which booking a REF or a key means, and what a REF may mean that no booking has as its name.
import type { State } from '../booking/booking.ts';
import { commandName } from '../contract/operations.ts';
import { commandText, operandWords } from '../text.ts';
import { type BookedBefore, labelCommand, showCommand } from './booked.ts';
import { batchText, forOperation, type OfOperation, type Target } from './order.ts';
import {
  type CommandWords,
  command,
  flag,
  forPerson,
  type Inner,
  joinedTexts,
  next,
  pattern,
  type Saying,
  say,
  sentences,
  stranger,
  type Tell,
} from './sentence.ts';
import { codeWords, timeWords } from './words.ts';

/** A booking that a name means. */
interface NamedBooking {
  booking: string;
  operation: string;
  key: string | null;
  place: string;
  state: State;
}

const namedWords = (booking: NamedBooking): string =>
  `${booking.booking} (${booking.operation}${booking.key === null ? '' : `, key ${stranger(booking.key)}`} at ${booking.place}, ${booking.state})`;

/** An order that a name without a booking may mean. `receiver`: with `to`. `state`: in words. `at`: ISO 8601. */
type MeantOrder = Record<'name' | 'receiver' | 'at' | 'state', string>;

/** Several orders that may be meant. `action`: what is done with one, as `track`. */
interface Meant extends Target {
  ref: string;
  /** The words that find these orders. */
  search: string;
  orders: readonly MeantOrder[];
  isMore: boolean;
  action: readonly string[];
}

export const listCommand = (names: Pick<Meant, 'search' | 'flags'>): CommandWords => [
  'waybill',
  'history',
  'list',
  '--search',
  names.search,
  ...names.flags,
];

/** Orders that may be meant: none is taken, because another one may be. */
function meantSaying(meant: Meant): Saying {
  const { ref, orders, isMore, action, flags } = meant;
  const isOne = orders.length === 1;
  const lines = orders.map(order => {
    const [name, at] = [stranger(order.name), timeWords(Date.parse(order.at))];
    return forPerson(
      say`${name} ${order.receiver}, ${at}, ${order.state}`,
      say`${name}, ${at}, ${order.state}`,
    );
  });
  const take = command('waybill', ...action, ...flags, ...operandWords([orders[0]?.name ?? '']));
  const look = say`${next(...listCommand(meant))} lists ${isOne ? 'it' : 'all of them'}`;
  return {
    what: say`In the journal ${stranger(ref)} fits ${isOne ? 'this order' : 'these orders'}: ${joinedTexts([...lines, isMore ? ['and others'] : []], '; ')}`,
    // Words that others wrote may be what fits: an agent looks, and does nothing with it by itself.
    toDo: forPerson(
      sentences(say`${isOne ? 'If it is meant' : 'For the first of them'}: ${take}`, look),
      look,
    ),
  };
}

/** Why no order begins with the request of another one. */
export type NotLike =
  | { because: 'no-key' }
  | { because: 'not-found'; why: Inner }
  | { because: 'other-command'; booking: string; made: string }
  | { because: 'being-sent'; booking: string }
  | { because: 'same-key'; booking: string; key: string; state: State }
  | { because: 'pruned' | 'imported'; booking: string };

function notLike(refused: NotLike & OfOperation & Target, tell: Tell): Saying {
  const show = 'booking' in refused ? next(...showCommand(refused.booking, refused.flags)) : undefined;
  switch (refused.because) {
    case 'no-key':
      return {
        what: say`another order needs a key of its own`,
        toDo: say`Add ${flag('--key', 'KEY')}, such as its order number`,
      };
    case 'not-found':
      return tell(refused.why);
    case 'other-command':
      return {
        what: say`booking ${refused.booking} was made by ${pattern(`waybill ${commandName({ command: refused.made })}`)}, whose requests have other fields`,
      };
    case 'being-sent':
      return {
        what: say`booking ${refused.booking} is being sent at this moment`,
        toDo: say`Try again when ${show} shows what became of it`,
      };
    case 'same-key':
      return {
        what: say`${stranger(refused.key)} is the key of that order itself (${refused.booking}, ${refused.state})`,
        toDo: say`A key names one order. ${show} shows the booked one`,
      };
    default:
      return {
        what: say`the journal has no request of booking ${refused.booking}, because it was ${refused.because === 'pruned' ? 'pruned' : 'imported from a results file'}`,
        toDo: say`Give the order as a file: ${command('waybill', 'schema', refused.operation, '--example')} prints one`,
      };
  }
}

/** The order with which another one begins. `receiver`: with `to`. */
interface Begun extends Target {
  booking: string;
  key: string | null;
  state: State;
  /** ISO 8601 */
  at: string;
  /** The address of that booking, if it is another one. */
  address?: string | undefined;
  receiver: string;
}

const begunWords = ({ booking, key, address, at, receiver }: Begun): string =>
  `${key === null ? `booking ${booking}` : `${JSON.stringify(key)} (${booking})`}${address === undefined ? '' : ` at ${address}`} of ${timeWords(Date.parse(at))} ${receiver}`;

export const NAMES = {
  'orders-meant': meantSaying,
  'booking-not-found': (notice: { ref: string }): Saying => ({
    what: say`the journal has no booking with the id, key, shipment or tracking number ${JSON.stringify(notice.ref)}`,
    toDo: say`${next('waybill', 'history', 'list')} lists the bookings`,
  }),
  'ref-names-several': (notice: { ref: string; bookings: readonly NamedBooking[] }): Saying => ({
    what: say`${JSON.stringify(notice.ref)} names ${notice.bookings.length} orders`,
    toDo: say`Give the id of the one that you mean in its place: ${notice.bookings.map(namedWords).join(', ')}`,
  }),
  /** `isFile`, `isOrderNumber`: what it looks like, which is rather no id of a shipment. */
  'shipment-unknown': (name: Target & { ref: string; isFile: boolean; isOrderNumber: boolean }): Saying => {
    const { ref, flags, isFile, isOrderNumber } = name;
    const label = (leg: 'international' | 'domestic') => command(...labelCommand({ [leg]: ref }, flags));
    const elsewhere = isOrderNumber
      ? say`A shipment that was booked elsewhere is named by the id that the service gave it: ${pattern('waybill label --international SHIPMENT_ID')}`
      : say`If it is a shipment that was booked elsewhere, name its leg: ${label('international')}, or ${label('domestic')}`;
    return {
      what: say`no booking here has ${stranger(ref)} as its key, its id, a shipment or a tracking number`,
      toDo: isFile
        ? batchText('label', ref, flags)
        : forPerson(elsewhere, say`Only a person can name a shipment that was booked elsewhere`),
    };
  },
  /** `attempt`: what was booked with the key, and is no shipment. `isDenied`: a person said so. */
  'key-without-shipment': (
    named: Target & { key: string; address: string; attempt?: BookedBefore & { isDenied: boolean } },
  ): Saying => {
    const { key, address, attempt, flags } = named;
    if (attempt === undefined)
      return {
        what: say`the journal has no booking with the key ${JSON.stringify(key)} at ${address}`,
        toDo: say`${next('waybill', 'history', 'list', '--key', key, ...flags)} looks for it`,
      };
    const { booking, at, state, isDenied } = attempt;
    return {
      what: say`${JSON.stringify(key)} has no shipment: its booking of ${timeWords(Date.parse(at))} (${booking}) ${state === 'pending' ? 'is' : 'was'} ${isDenied ? 'not created' : codeWords(state)}`,
      toDo: say`${next(...showCommand(booking, flags))} shows it`,
    };
  },
  /** A key that was booked at another place, or an id in the journal of such a booking. */
  'sent-elsewhere': (
    sent: Target & { ref: string; booking: string; place: string; here: string },
  ): Saying => ({
    what: say`${stranger(sent.ref)} went to ${sent.place}, not to ${sent.here}`,
    toDo: say`${next(...showCommand(sent.booking, sent.flags))} shows it`,
  }),

  'like-refused': (refused: NotLike & OfOperation & Target & { ref: string }, tell: Tell): Saying => {
    const { what, toDo = [] } = notLike(refused, tell);
    return { what: forOperation(refused, say`${flag('--like', stranger(refused.ref))}: ${what}`), toDo };
  },
  /** `isMade`: it exists. */
  'like-begun': (begun: Begun & { isMade: boolean }): Saying => {
    const { booking, state, flags, isMade } = begun;
    const cancelled = pattern(
      commandText(['waybill', 'history', 'cancelled', booking, ...flags, '--reason', 'TEXT']),
    );
    return isMade
      ? {
          what: say`starts from ${begunWords(begun)}, which stays booked`,
          toDo: say`If this order replaces it, have the provider cancel it, and record that with ${cancelled}`,
        }
      : { what: say`starts from ${begunWords(begun)} (${state})` };
  },
  /** `sender`: who received it. `payer`: to whom the invoice of the way there went. */
  'way-back-begun': (begun: Begun & { sender: string; payer: string }): Saying => ({
    what: say`${begunWords(begun)} is sent back: from ${begun.sender}, without customs numbers, and the invoice still goes to ${begun.payer}`,
  }),
  'like-unknown': (begun: Begun): Saying => ({
    what: say`${begunWords(begun)} may exist, although no answer said so: this books another one`,
    toDo: say`${next(...showCommand(begun.booking, begun.flags))} shows how to resolve it`,
  }),
};
