// One run of a command. Service, journal and the other parts are made when they are first asked for.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Intent, Scope } from '../booking/booking.ts';
import type { RuleContext } from '../contract/operations.ts';
import { PARTIES } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import { makeFolder } from '../host/folder.ts';
import type { Check, Choice, Entry, Question } from '../host/question.ts';
import { abortedAt, type Host } from '../host.ts';
import { createPrinter, type Printer } from '../output/print.ts';
import { safe, safeLines } from '../output/text.ts';
import {
  filled,
  isOn,
  isSwitchedOn,
  requiredStateFolder,
  stateFolder,
  vouchedFor,
} from '../profile/environment.ts';
import { type Limits, readLimits, settingInForce } from '../profile/settings.ts';
import {
  type Config,
  changeConfig,
  configReader,
  findSaved,
  type Profile,
  profileOrDemo,
  refuseBadName,
  SAVED_KINDS,
  type Saved,
  type SavedKind,
} from '../profile/store.ts';
import {
  isProduction,
  onLoopback,
  resolveTarget,
  type Target,
  targetAddress,
  targetScope,
} from '../profile/target.ts';
import { refuseUnknownSettings, unknownNamed } from '../profile/unknown.ts';
import { Service } from '../service/service.ts';
import { messageOf } from '../system-errors.ts';
import {
  type BookingLines,
  createBookingLines,
  createEvents,
  type Events,
  loggedPrinter,
  type RunAndActor,
} from './events.ts';
import { flagOrVariable, type Globals, LONGEST_NAME, preferredFormat, printSettings } from './globals.ts';
import { type Journals, SessionJournals } from './journal.ts';
import { once } from './once.ts';
import { VERSION } from './version.ts';

/** One run of a command: its options, how it prints and asks, and which service and journal it uses. */
export interface Session extends Journals, RunAndActor {
  host: Host;
  globals: Globals;
  printer: Printer;
  /** Tells what happens: in the log, and with --verbose. */
  events: Events;
  /** What programs are told of the bookings of this command. */
  bookingLines: BookingLines;
  config: Config;
  /** The service that is meant, with its credential. Throws if flags and environment contradict each other. */
  target(): Target;
  /** What the rules of the service document need to know of the service. */
  rules(): RuleContext;
  /** The limits of bookings, as the config says in this moment. Throws `usage` if a limit cannot be read. */
  limits(): Limits;
  /** Is an order refused that was booked under another key? Otherwise there is only a warning. */
  refusesSameOrder(): Intent['refusesSameOrder'];
  /** The address of the service for messages: `demo`, or a URL. */
  address(): string;
  /** The service, which neither reads nor sends anything before it is called. */
  service: Service;
  /** The address and account that own the bookings. */
  scope(): Scope;
  /** Does a person see what this command says? Nobody sits at the terminal of a CI system. */
  isSeen: boolean;
  /** May a person be asked? */
  interactive: boolean;
  /**
   * Asks a question on stderr, if the session is interactive. `undefined`: the person goes back to the question before, unless Esc
   * leaves this question. Throws `interrupted` when the person leaves.
   */
  ask(question: Question): Promise<Entry>;
  /** Asks for a yes. False if the person says no, or leaves. */
  confirm(message: string): Promise<boolean>;
  /** Why the session has no values from environment and config. */
  unread?: Failure;
  close(): Promise<void>;
}

/** Opens a session. `knownConfig` replaces the saved config, for an unsaved profile. `isLooking`: the command writes nothing. */
export function openSession(host: Host, globals: Globals, knownConfig?: Config, isLooking = false): Session {
  const { env } = host;
  const currentConfig = knownConfig ? () => knownConfig : configReader(host);
  const config = currentConfig();
  // A relative folder, or another word than `trusted`, is refused by every command, and not only by a command that books.
  stateFolder(host);
  vouchedFor(env, 'stateDisk');
  let known: Target | undefined;
  const target = once(() => {
    known = resolveTarget(host, config, globals);
    return known;
  });
  const address = () => targetAddress(target());
  const plain = createPrinter(host, printSettings(globals, preferredFormat(globals, env, config)));
  const who = runAndActor(globals, host);
  const events = createEvents(host, globals, plain, who, () => known);
  const printer = events.logName === undefined ? plain : loggedPrinter(plain, events);
  const service = new Service(host, {
    target,
    address,
    attempts: () => ({
      retries: flagOrVariable(globals, env, 'retries') ?? 3,
      timeout: {
        read: 1000 * (flagOrVariable(globals, env, 'timeout') ?? 30),
        // A short timeout leaves bookings unknown, so the variable, which is meant for reads, does not apply to bookings.
        booking: 1000 * (globals.timeout ?? 180),
      },
    }),
    cacert: globals.cacert,
    strict: globals.strict === true,
    isLooking,
    unknownVariables: () => unknownNamed(env, config),
    agent: `waybill/${VERSION}`,
    startDemo: () => startDemo(host),
    note: text => printer.note(text),
    warn: text => printer.warn(text),
    watch: events.isWatched ? events.wire : undefined,
    isVerbose: events.isVerbose,
  });
  const journals = new SessionJournals(host, target, printer, events);
  const isSeen = host.stderr.isTerminal && !isOn(env, 'CI');
  const isAtTerminal = isSeen && host.stdin.isTerminal;
  const limits = limitsReader(config, currentConfig, target, env, isAtTerminal);
  return {
    openJournal: journals.openJournal,
    examineJournal: journals.examineJournal,
    closeJournal: journals.closeJournal,
    refuseUnfit: journals.refuseUnfit,
    sharesJournal: journals.sharesJournal,
    journalName: journals.journalName,
    ...who,
    host,
    globals,
    printer,
    events,
    bookingLines: createBookingLines(printer),
    config,
    target,
    service,
    address,
    ...questionsTo(host, globals, printer),
    rules: () => ({
      economyCarriers: settingInForce('economyCarriers', env, target().profile) ?? [],
      serviceOnLoopback: onLoopback(target()) && !isProduction(target()),
      numberLimits: target().profile,
    }),
    limits,
    refusesSameOrder: () => globals.strict === true || limits().refused.has('allowDuplicate'),
    scope: once(() => targetScope(target())),
    isSeen,
    interactive: globals.input !== false && isAtTerminal,
    async close() {
      await service.close();
      await journals.closeJournal();
      events.close();
    },
  };
}

/** The limits of bookings, read from the config each time: a person may lower the limits while a command runs, to stop the command. */
function limitsReader(
  configBefore: Config,
  currentConfig: () => Config,
  target: () => Target,
  env: Host['env'],
  isAtTerminal: boolean,
): () => Limits {
  let read: { config: Config; limits: Limits } | undefined;
  return () => {
    const config = currentConfig();
    const { name } = target();
    if (config !== configBefore) refuseUnknownSettings(config, name);
    if (read?.config !== config) {
      const profile = name === undefined ? {} : profileOrDemo({ config }, name);
      read = { config, limits: readLimits(env, profile, isAtTerminal) };
    }
    return read.limits;
  };
}

/** How a person is asked. Screen readers and dumb terminals get plain questions. */
function questionsTo(host: Host, globals: Globals, printer: Printer): Pick<Session, 'ask' | 'confirm'> {
  const { env, interrupted } = host;
  const isPlain =
    !globals.color || env.TERM === 'dumb' || isOn(env, 'NO_COLOR') || isOn(env, 'WAYBILL_ACCESSIBLE');
  const ask = async (question: Question): Promise<Entry> => {
    await printer.progress('');
    const answer = await host.ask(safeQuestion(question), isPlain ? 'plain' : 'drawn');
    if (answer === undefined && question.esc === 'leave') throw abortedAt(question);
    return answer;
  };
  return {
    ask,
    async confirm(message) {
      try {
        return (await ask({ kind: 'confirm', id: 'confirm', message })) === 'yes';
      } catch (error) {
        const isLeft = error instanceof Failure && error.code === 'interrupted';
        // Leaving the question is a no, but a signal from elsewhere is no answer.
        if (!isLeft || (interrupted.aborted && interrupted.reason !== 'SIGINT')) throw error;
        return false;
      }
    },
  };
}

/**
 * A session of a command that looks at the set-up and writes nothing: also where the config or a variable makes every other command fail.
 * That session has neither config nor variables, and `unread` says why.
 */
export function openToExamine(host: Host, globals: Globals): Session {
  try {
    return openSession(host, globals, undefined, true);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { profile: _, ...rest } = globals;
    const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => !name.startsWith('WAYBILL_')));
    return { ...openSession({ ...host, env }, rest, { profiles: {} }, true), host, unread: error };
  }
}

/** A day of the demo passes in ten seconds, so that a person sees a shipment arrive. */
const DEMO_SPEED = 24 * 60 * 6;

/** The service as an OpenAPI document, for the emulator. */
export const loadOpenapi = async () => (await import('waybill:schemas')).schemas.openapi;

/** The emulator of the `demo` profile: on a free loopback port, with its data in the state folder. */
async function startDemo(host: Host) {
  const folder = requiredStateFolder(host);
  try {
    makeFolder(folder, 0o700);
    const { startEmulator } = await import('../emulator/server.ts');
    return await startEmulator({
      data: join(folder, 'demo.db'),
      speed: DEMO_SPEED,
      now: host.now,
      random: host.random,
      loadOpenapi,
    });
  } catch (error) {
    throw new Failure('storage', { kind: 'demo-unwritable', folder, why: messageOf(error) });
  }
}

// Questions for a person: without control characters. The answer is not changed.

function safeQuestion(question: Question): Question {
  const { message, hint } = question;
  const asked = { ...question, message: safe(message), hint: hint && safeLines(hint) };
  switch (asked.kind) {
    case 'confirm':
      return asked;
    case 'secret':
      return { ...asked, check: safeCheck(asked.check) };
    case 'text': {
      const { defaultAnswer, value, check } = asked;
      return {
        ...asked,
        // The screen shows both texts as they are.
        defaultAnswer: defaultAnswer && safe(defaultAnswer),
        value: value && safe(value),
        check: safeCheck(check),
      };
    }
    case 'choice':
    case 'several':
      return { ...asked, choices: asked.choices.map(safeChoice) };
    case 'search':
      return { ...asked, find: async term => (await asked.find(term)).map(safeChoice) };
  }
}

const safeChoice = ({ name, disabled, ...rest }: Choice): Choice => ({
  ...rest,
  name: safe(name),
  ...(disabled !== undefined && { disabled: safe(disabled) }),
});

const safeCheck =
  (check: Check): Check =>
  async text =>
    safe((await check(text)) ?? '') || undefined;

// The run that books, and who runs it: as flags or variables say, else as the CI system says, else this user on this machine.

/** Throws `usage` if the text of one of the variables cannot be recorded. */
function runAndActor(globals: Globals, host: Host): RunAndActor {
  const { env, process } = host;
  const [runOfCI, actorOfCI] = systemsOf(env).find(([named]) => named) ?? [];
  // A CI system must not stop a booking by the name that it gives a run: the name is cut to what can be recorded.
  const fitting = (name = '') =>
    [...name.replace(/\p{Cc}/gu, '')].slice(0, LONGEST_NAME).join('') || undefined;
  const who = fitting(actorOfCI) ?? `${process.user ?? 'somebody'}@${process.host}`;
  const agent = agentIn(env);
  return {
    run: flagOrVariable(globals, env, 'run') ?? fitting(runOfCI) ?? null,
    actor: flagOrVariable(globals, env, 'actor') ?? fitting(agent ? `${who} via ${agent}` : who) ?? who,
  };
}

/** Variables that agents set for the commands that they run, and the names of the agents. */
const AGENT_BY_VARIABLE: Readonly<Record<string, string>> = {
  CLAUDECODE: 'claude-code',
  CODEX_SANDBOX: 'codex',
  CURSOR_AGENT: 'cursor',
  GEMINI_CLI: 'gemini-cli',
  OPENCODE: 'opencode',
  CLINE_ACTIVE: 'cline',
  AUGMENT_AGENT: 'augment',
  GOOSE_TERMINAL: 'goose',
};

/** The name of the agent that runs the command, if a variable tells it; AI_AGENT has the name itself. */
function agentIn(env: Host['env']): string | undefined {
  const named = filled(env.AI_AGENT);
  if (named !== undefined && isSwitchedOn(named)) return /^(1|true)$/i.test(named) ? 'an agent' : named;
  return Object.entries(AGENT_BY_VARIABLE).find(([variable]) => isSwitchedOn(env[variable]))?.[1];
}

/** For each CI system, from its variables: the run, and who started the run. Both are `undefined` outside that system. */
function systemsOf(env: Host['env']): [run: string | undefined, actor: string | undefined][] {
  const given = (name: string) => filled(env[name]);
  const server = given('GITHUB_SERVER_URL') ?? 'https://github.com';
  const [repository, id] = [given('GITHUB_REPOSITORY'), given('GITHUB_RUN_ID')];
  const attempt = given('GITHUB_RUN_ATTEMPT') ?? '1';
  const again = attempt === '1' ? '' : `/attempts/${attempt}`;
  const azure = given('SYSTEM_COLLECTIONURI')?.replace(/\/+$/, '');
  const [project, build] = [given('SYSTEM_TEAMPROJECT'), given('BUILD_BUILDID')];
  return [
    [
      repository && id && `${server}/${encodeURI(repository)}/actions/runs/${id}${again}`,
      // The person who runs a workflow again counts, and not the person who started it first.
      given('GITHUB_TRIGGERING_ACTOR') ?? given('GITHUB_ACTOR'),
    ],
    [given('CI_JOB_URL'), given('GITLAB_USER_LOGIN')],
    [given('CIRCLE_BUILD_URL'), given('CIRCLE_USERNAME')],
    [given('BUILDKITE_BUILD_URL'), given('BUILDKITE_BUILD_CREATOR')],
    [
      azure && project && build && `${azure}/${encodeURI(project)}/_build/results?buildId=${build}`,
      given('BUILD_REQUESTEDFOR'),
    ],
    // Jenkins. Other systems use the names of these variables, too.
    [given('BUILD_URL'), given('BUILD_USER_ID')],
  ];
}

// Parties and parcels that a profile saves by name.

/** The profile in which parties and parcels are saved. Throws `usage`. */
export function owningProfile(session: Session, kind: SavedKind): { name: string; profile: Profile } {
  const { name } = session.target();
  if (name === undefined) throw new Failure('usage', { kind: 'no-profile-to-save-in', saved: kind });
  return { name, profile: profileOrDemo(session, name) };
}

/** Throws `usage` if there is no profile in which to save a thing of this kind, or the name cannot be used. */
export function refuseToSave(session: Session, kind: SavedKind, name: string): void {
  refuseBadName(name, `a ${SAVED_KINDS[kind].one}`);
  owningProfile(session, kind);
}

/** Saves a party or a parcel under a name, and replaces what has the name. Throws `usage`, `storage`. */
export async function saveByName<K extends SavedKind>(
  session: Session,
  kind: K,
  name: string,
  value: Saved<K>[string],
): Promise<void> {
  refuseToSave(session, kind, name);
  await changeSaved(session, kind, saved => ({ ...saved, [name]: value }));
  await session.printer.note({ kind: 'saved', saved: kind, name });
}

/** Saves all of these parties, or none. Throws `usage` for names that are taken, unless these are to be replaced; `storage`. */
export async function saveParties(
  session: Session,
  parties: Saved<'parties'>,
  isReplacing: boolean,
): Promise<void> {
  await changeSaved(session, 'parties', saved => {
    const taken = Object.keys(parties).filter(name => Object.hasOwn(saved, name));
    if (taken.length === 0 || isReplacing) return { ...saved, ...parties };
    throw new Failure('usage', { kind: 'parties-saved-already', names: taken });
  });
}

/** Removes a saved party or parcel. Throws `usage` if nothing has that name. */
export async function removeSaved(session: Session, kind: SavedKind, name: string): Promise<void> {
  findSaved(owningProfile(session, kind), kind, name);
  await changeSaved(session, kind, ({ [name]: _, ...rest }) => rest);
  await session.printer.note({ kind: 'saved-removed', saved: kind, name });
}

async function changeSaved(
  session: Session,
  kind: SavedKind,
  changed: (saved: Saved<SavedKind>) => Saved<SavedKind>,
): Promise<void> {
  const { name } = owningProfile(session, kind);
  let copies: [role: string, party: string][] = [];
  await changeConfig(session.host, config => {
    const profile = profileOrDemo({ config }, name);
    const [before, after] = [profile[kind] ?? {}, changed(profile[kind] ?? {})];
    copies = PARTIES.flatMap(role =>
      Object.entries(before).flatMap(([party, old]): [string, string][] =>
        isDeepStrictEqual(old, profile[role]) && !isDeepStrictEqual(old, after[party] ?? old)
          ? [[role, party]]
          : [],
      ),
    );
    const next = { ...profile, [kind]: after } as Profile;
    return { ...config, profiles: { ...config.profiles, [name]: next } };
  });
  for (const [role, party] of copies)
    await session.printer.warn({ kind: 'party-copy-kept', role, profile: name, party });
}
