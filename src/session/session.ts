// One run of a command: everything is made when it is first asked for.
import type { RuleContext } from '../contract/operations.ts';
import type { Host } from '../host.ts';
import type { Booking, Scope } from '../journal/booking.ts';
import { createPrinter, type Printer } from '../output/print.ts';
import { setting } from '../profile/environment.ts';
import { stateFolder } from '../profile/folders.ts';
import { type Limits, readLimits } from '../profile/limits.ts';
import { type Config, readConfig } from '../profile/store.ts';
import { onLoopback, resolveTarget, type Target, targetAddress, targetScope } from '../profile/target.ts';
import { Service } from '../service/service.ts';
import { createAsking, type Questions } from './ask.ts';
import { type BookingLines, createBookingLines, createWaitNote } from './booking-lines.ts';
import { createEvents, type Events } from './events.ts';
import {
  count,
  fromEnvironment,
  type Globals,
  parseLength,
  preferredFormat,
  printSettings,
} from './globals.ts';
import { createJournals, type Journals } from './journal.ts';
import { type RunAndActor, runAndActor } from './run-and-actor.ts';
import { VERSION } from './version.ts';

/** One run of a command: its options, how it prints and asks, and which service and journal it uses. */
export interface Session extends Questions, Journals, RunAndActor {
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
  /** What limits bookings. Throws `usage` if a limit cannot be read. */
  limits(): Limits;
  /** The address for messages and for people: `demo`, or a URL. */
  address(): string;
  /** Asks nothing and sends nothing before it is called. */
  service: Service;
  /** The address and account that own the bookings. */
  scope(): Scope;
  /** May a person be asked? */
  interactive: boolean;
  /** Tells the user of the wait for a booking that another process is sending. */
  noteWait(booking: Booking): void;
  close(): Promise<void>;
}

/** `config` replaces what is saved, for a profile that is not saved yet. */
export function openSession(host: Host, globals: Globals, config: Config = readConfig(host)): Session {
  const { env } = host;
  // A relative one is refused by every command, and not only by the first one that writes there.
  stateFolder(host);
  let resolved: Target | undefined;
  let carriers: readonly string[] | undefined;
  let owner: Scope | undefined;
  let limits: Limits | undefined;
  const target = () => {
    resolved ??= resolveTarget(host, config, globals);
    return resolved;
  };
  const printer = createPrinter(host, printSettings(globals, preferredFormat(globals, env, config)));
  const who = runAndActor(globals, host);
  const events = createEvents(host, globals, printer, who);
  const service = new Service(host, {
    target,
    address: () => targetAddress(target()),
    attempts: () => ({
      retries: globals.retries ?? fromEnvironment(env, 'WAYBILL_RETRIES', count) ?? 3,
      timeout: {
        read: 1000 * (globals.timeout ?? fromEnvironment(env, 'WAYBILL_TIMEOUT', parseLength) ?? 30),
        // A short one makes unknowns, so a variable that is meant for reads must not reach a booking.
        booking: 1000 * (globals.timeout ?? 180),
      },
    }),
    cacert: globals.cacert,
    strict: globals.strict === true,
    agent: `waybill/${VERSION}`,
    startDemo: async () => (await import('./demo.ts')).startDemo(host),
    note: text => printer.note(text),
    warn: text => printer.warn(text),
    watch: events.isWatched ? events.wire : undefined,
    isVerbose: events.isVerbose,
  });
  const { close: closeJournal, ...journals } = createJournals(host, target, printer, events);
  return {
    ...createAsking(host, globals, printer),
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
    service,
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
    limits() {
      limits ??= readLimits(env, target().profile, host.stdin.isTerminal && host.stderr.isTerminal);
      return limits;
    },
    address: () => targetAddress(target()),
    scope() {
      owner ??= targetScope(target());
      return owner;
    },
    interactive:
      globals.input && setting(env, 'CI') === undefined && host.stdin.isTerminal && host.stderr.isTerminal,
    async close() {
      await service.close();
      await closeJournal();
      await events.close();
    },
  };
}
