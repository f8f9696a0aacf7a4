import type { RuleContext } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import type { FailureCode } from '../errors.ts';
import type { Host } from '../host.ts';
import { idOf, readBody } from '../http/failure.ts';
import type { SecureContexts } from '../http/tls.ts';
import { createTransport, type Transport } from '../http/transport.ts';
import { watched } from '../http/watch.ts';
import type { Booking, Scope } from '../journal/booking.ts';
import { createPrinter, type Printer } from '../output/print.ts';
import { setting } from '../profile/environment.ts';
import { stateFolder } from '../profile/folders.ts';
import { type Config, readConfig } from '../profile/store.ts';
import { resolveTarget, type Target } from '../profile/target.ts';
import { addressOf, onLoopback, scopeOf } from './address.ts';
import { type Asking, createAsking } from './ask.ts';
import { type BookingLines, createBookingLines, createWaitNote } from './booking-lines.ts';
import { certificatesOf } from './certificates.ts';
import { type Clients, createClients, retriesOf } from './client.ts';
import { createEvents, type Events } from './events.ts';
import { type Globals, preferredFormat, printSettings } from './globals.ts';
import { createJournals, type Journals } from './journal.ts';
import { type RunAndActor, runAndActor } from './run-and-actor.ts';

/** One run of a command: its options, how it prints and asks, and which service and journal it uses. */
export interface Session extends Asking, Clients, Journals, RunAndActor {
  host: Host;
  globals: Globals;
  printer: Printer;
  /** Where it is told what happens. */
  events: Events;
  /** What programs are told of the bookings of this command. */
  bookingLines: BookingLines;
  config: Config;
  /** Which service, with which credential. Throws if flags and environment contradict each other. */
  target(): Target;
  /** Ids of the carrier that the service document calls the economy carrier. */
  economyCarriers(): readonly string[];
  /** What the rules of the service document need to know of the service. */
  rules(): RuleContext;
  /** The address for messages and for people: `demo`, or a URL. */
  address(): string;
  /** Calls a read and gives its body; throws the Failure of one that went wrong. */
  read(
    operation: Operation,
    input: { parameters?: Record<string, string>; body?: unknown },
  ): Promise<unknown>;
  transport(): Transport;
  /** Those that its connections trust and show; `undefined`: the usual ones. Throws `storage`, `usage`. */
  certificates(): Promise<SecureContexts | undefined>;
  /** The address and account that own the bookings. */
  scope(): Scope;
  /** Further attempts when one is safe. */
  readonly retries: number;
  /** May a person be asked? */
  interactive: boolean;
  /** Do not wait for a booking that another process is sending: throw `BookingInProgress`. */
  noWait?: boolean;
  /** Tells the user of the wait for a booking that another process is sending. */
  noteWait(booking: Booking): void;
  /** Called when it is known what became of a booking, and just before that is recorded. */
  answered?(code: FailureCode | undefined): void;
  close(): Promise<void>;
}

/** `config` replaces what is saved, for a profile that is not saved yet. */
export function openSession(host: Host, globals: Globals, config: Config = readConfig(host)): Session {
  const { env } = host;
  // A relative one is refused by every command, and not only by the first one that writes there.
  stateFolder(host);
  let resolved: Target | undefined;
  let opened: Transport | undefined;
  let read: Promise<SecureContexts | undefined> | undefined;
  let carriers: readonly string[] | undefined;
  let owner: Scope | undefined;
  const target = () => {
    resolved ??= resolveTarget(host, config, globals);
    return resolved;
  };
  const certificates = () => {
    read ??= certificatesOf(globals, target(), host);
    return read;
  };
  const transport = () => {
    if (opened === undefined) {
      opened = createTransport(host, certificates);
      if (events.isWatched) opened = watched(opened, events.wire, host.monotonic);
    }
    return opened;
  };
  const printer = createPrinter(host, printSettings(globals, preferredFormat(globals, env, config)));
  const who = runAndActor(globals, host);
  const events = createEvents(host, globals, printer, who);
  const { close: closeClients, ...clients } = createClients(
    host,
    globals,
    target,
    { transport, certificates },
    printer,
    events,
  );
  const { close: closeJournal, ...journals } = createJournals(host, target, printer, events);
  return {
    ...createAsking(host, globals, printer),
    ...clients,
    ...journals,
    ...who,
    host,
    globals,
    printer,
    events,
    bookingLines: createBookingLines(printer),
    noteWait: createWaitNote(printer),
    config,
    target,
    transport,
    certificates,
    get retries() {
      return retriesOf(globals, env);
    },
    economyCarriers() {
      carriers ??=
        setting(env, 'WAYBILL_ECONOMY_CARRIERS')
          ?.split(',')
          .map(id => id.trim()) ??
        target().profile.economyCarriers ??
        [];
      return carriers;
    },
    rules() {
      return { economyCarriers: this.economyCarriers(), serviceOnLoopback: onLoopback(target()) };
    },
    address: () => addressOf(target()),
    scope() {
      owner ??= scopeOf(target());
      return owner;
    },
    async read(operation, input) {
      const client = await clients.client(operation);
      return readBody(operation, await client.call(operation, input), addressOf(target()), idOf(input));
    },
    interactive:
      globals.input && setting(env, 'CI') === undefined && host.stdin.isTerminal && host.stderr.isTerminal,
    async close() {
      await opened?.close();
      await closeJournal();
      await closeClients();
      await events.close();
    },
  };
}
