// What is said of the names of bookings: which booking a REF or a key means, or may mean if no booking has that name.
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

/** An order that may be meant by a name which no booking has. `receiver`: such as `to Anna`. `state`: in words. `at`: ISO 8601. */
type MeantOrder = Record<'name' | 'receiver' | 'at' | 'state', string>;

/** Several orders that may be meant. `action`: the command that was to be done with one of them, such as `track`. */
interface Meant extends Target {
  ref: string;
  /** The words with which `history list --search` finds these orders. */
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

/** Says which orders may be meant. None of them is taken, because another one may be meant. */
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
    // The name may fit only because of words that others wrote: an agent is told to look, and to do nothing more by itself.
    toDo: forPerson(
      sentences(say`${isOne ? 'If it is meant' : 'For the first of them'}: ${take}`, look),
      look,
    ),
  };
}

/** Why an order cannot begin as a copy of an earlier order. */
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

/** The earlier order of which another order is begun as a copy. `receiver`: such as `to Anna`. */
interface Begun extends Target {
  booking: string;
  key: string | null;
  state: State;
  /** When the earlier order was booked, in ISO 8601. */
  at: string;
  /** The address of the service that has the earlier booking, if it is another service. */
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
  /** `isFile`, `isOrderNumber`: the REF looks like the name of a file, or like an order number, rather than the id of a shipment. */
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
  /** `attempt`: the booking with that key, which made no shipment. `isDenied`: a person said that it does not exist. */
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
  /** The REF is the key or the id of a booking that was sent to another place. */
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
  /** `isMade`: the earlier booking exists. */
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
  /** `sender`: the receiver of the way there. `payer`: who got the invoice of the way there. */
  'way-back-begun': (begun: Begun & { sender: string; payer: string }): Saying => ({
    what: say`${begunWords(begun)} is sent back: from ${begun.sender}, without customs numbers, and the invoice still goes to ${begun.payer}`,
  }),
  'like-unknown': (begun: Begun): Saying => ({
    what: say`${begunWords(begun)} may exist, although no answer said so: this books another one`,
    toDo: say`${next(...showCommand(begun.booking, begun.flags))} shows how to resolve it`,
  }),
};
