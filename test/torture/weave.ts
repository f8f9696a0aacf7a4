// Runs several commands in this process, each as a process of its own. Each step of a command (a call of the journal or of the
// service, a question, a printer, a wait, a text that is shown) is held until a choice lets it go on, and then it runs alone until
// every command is held again. So the choices decide the order, and the same choices give it again. Within a transaction nothing
// is held, because other commands wait for its end there.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Operation } from '../../src/contract/operations.ts';
import type { Host } from '../../src/host.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { Service } from '../../src/service/service.ts';

/** The command, as its source has it or with code put into it. */
export interface Product {
  main(argv: readonly string[], host: Host): Promise<number>;
  Journal: typeof Journal;
  Service: typeof Service;
}

/** A step that waits to go on. */
interface Held {
  process: Process;
  step: string;
  go(): void;
}

interface Deadline {
  process: Process;
  /** By the clock that is never set. */
  at: number;
  late(): unknown;
}

/** A command that runs as if it were a process. */
export interface Process {
  name: string;
  id: number;
  state: 'running' | 'stopped' | 'killed' | 'ended';
  /** Journals that it has open. */
  journals: Set<Journal>;
}

/** What may happen beside the steps of the commands. */
export interface Event {
  name: string;
  /** It may happen now. */
  isPossible(): boolean;
  happen(): void | Promise<void>;
}

/** What goes on next: an index into what can. `together`: a step of another command goes on at one moment with it. */
export interface Choice {
  which: number;
  together: boolean;
}

interface Inside {
  weave: Weave;
  process: Process;
  /** Within a call of the journal its own calls are not held, and within one of the service the count of calls is. */
  isIn?: 'journal' | 'service';
}

const inside = new AsyncLocalStorage<Inside>();

/** Numbers that no process of the system has. */
const FIRST_PROCESS = 5_000_000;
/** Sleeps without anything else before more time passes. */
const DOZES = 4;
const DOZE_MS = 25_000;
const MOST_STEPS = 4000;
const STUCK_MS = 20_000;

const SENDING = /^(send|fence|connected|answer|recordOutcome|print|endPrints)/;

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

export class Weave {
  readonly processes: Process[] = [];
  readonly trace: string[] = [];
  /** What the clock that is never set says, and how much another one is ahead of it. */
  time = Date.parse('2026-03-02T09:00:00Z');
  ahead = 0;
  readonly #held: Held[] = [];
  #deadlines: Deadline[] = [];
  #busy = 0;
  #changes = 0;
  /** The command that went last. */
  last: Process | undefined;
  #dozes = 0;

  /** `passes`: is told how much time passes, in ms. */
  constructor(readonly passes: (ms: number) => Promise<unknown> = async () => {}) {}

  /** Starts a command; it is held before its first step. */
  start(name: string, run: (process: Process) => Promise<unknown>): Process {
    const id = FIRST_PROCESS + this.processes.length;
    const process: Process = { name, id, state: 'running', journals: new Set() };
    this.processes.push(process);
    void inside.run({ weave: this, process }, async () => {
      await this.hold(process, 'start');
      await run(process);
      if (process.state !== 'killed') process.state = 'ended';
      this.#changes += 1;
    });
    return process;
  }

  /** Resolves when a choice lets this step go on; never for a process that was killed. */
  hold(process: Process, step: string): Promise<void> {
    this.#changes += 1;
    if (process.state === 'killed') return new Promise(() => {});
    return new Promise(go => void this.#held.push({ process, step, go }));
  }

  /** Holds a step before it is done, and until it is done no other one goes on. `then`: it is held after it, too. */
  async step<T>(process: Process, step: string, work: () => Promise<T>, then?: string): Promise<T> {
    // The call of the service of which it is a part waits, too.
    const isPart = inside.getStore()?.isIn === 'service';
    if (isPart) this.#busy -= 1;
    try {
      await this.hold(process, step);
      const done = await this.#alone(work);
      if (then !== undefined) await this.hold(process, then);
      return done;
    } finally {
      if (isPart) this.#busy += 1;
    }
  }

  async #alone<T>(work: () => Promise<T> | T): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#changes += 1;
    }
  }

  deadline(process: Process, ms: number, late: () => unknown): () => void {
    const one = { process, at: this.time + ms, late };
    this.#deadlines.push(one);
    // A pause, and no limit.
    if (ms < 1000) void this.hold(process, 'pause').then(() => this.#fire(one));
    return () => {
      this.#deadlines = this.#deadlines.filter(other => other !== one);
    };
  }

  async #fire(one: Deadline): Promise<void> {
    if (!this.#deadlines.includes(one)) return;
    this.#deadlines = this.#deadlines.filter(other => other !== one);
    await this.#alone(one.late as () => Promise<void>);
  }

  /** Time passes for all, and deadlines end in their order; those of a process that is stopped end when it goes on. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    let from = this.time;
    for (let due = this.#due(end); due !== undefined; due = this.#due(end)) {
      this.time = Math.max(this.time, due.at);
      await this.passes(this.time - from);
      from = this.time;
      await this.#fire(due);
    }
    this.time = end;
    await this.passes(end - from);
  }

  #due(until: number): Deadline | undefined {
    return this.#deadlines
      .filter(({ at, process }) => at <= until && process.state === 'running')
      .sort((one, other) => one.at - other.at)[0];
  }

  /** Is a step of it held that books or prints? Its lease runs. */
  isSending = (process: Process): boolean =>
    this.#held.some(one => one.process === process && SENDING.test(one.step));

  kill(process: Process): void {
    process.state = 'killed';
    this.#deadlines = this.#deadlines.filter(one => one.process !== process);
    for (let at = this.#held.length; at-- > 0; )
      if (this.#held[at]?.process === process) this.#held.splice(at, 1);
    this.#changes += 1;
  }

  /**
   * Runs all to their ends. Each choice is an index into what can go on: first the command that went last, in the end the events.
   * After the last choice no command is interrupted by another one.
   */
  async run(choices: readonly Choice[], events: readonly Event[], check: () => Promise<void>): Promise<void> {
    for (let count = 0; ; count += 1) {
      await this.#idle();
      const alive = this.processes.filter(({ state }) => state === 'running' || state === 'stopped');
      if (alive.length === 0) return;
      if (count > MOST_STEPS) throw new Error(`there is no end: ${this.trace.slice(-40).join('; ')}`);
      const steps = this.#inOrder();
      const possible = events.filter(event => event.isPossible());
      const { which = 0, together = false } = choices[count] ?? {};
      const isLast = count >= choices.length;
      const at = which % (steps.length + (isLast ? 0 : possible.length) || 1);
      const step = steps[at];
      const event = possible[at - steps.length];
      if (step === undefined && event !== undefined && !isLast) await this.#happen(event);
      else if (step === undefined || (step.step === 'sleep' && this.#dozes >= DOZES))
        await this.#nothingElse(step);
      else {
        const other = together ? steps.find(({ process }) => process !== step.process) : undefined;
        this.#goOn(step);
        if (other) this.#goOn(other);
      }
      await this.#idle();
      await check();
    }
  }

  async #happen(event: Event): Promise<void> {
    this.trace.push(`(${event.name})`);
    await this.#alone(() => event.happen());
  }

  #goOn(held: Held): void {
    const { process, step, go } = held;
    this.#held.splice(this.#held.indexOf(held), 1);
    this.#dozes = step === 'sleep' ? this.#dozes + 1 : 0;
    this.trace.push(`${process.name}: ${step}`);
    this.last = process;
    go();
  }

  /** All wait: a process that is stopped goes on, or so much time passes that a lease may end. */
  async #nothingElse(step: Held | undefined): Promise<void> {
    const stopped = this.processes.find(({ state }) => state === 'stopped');
    if (stopped) return void this.resume(stopped);
    const due = this.#deadlines.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    if (step === undefined && due === Number.POSITIVE_INFINITY)
      throw new Error(`nothing goes on: ${this.trace.slice(-40).join('; ')}`);
    this.trace.push('(time passes)');
    await this.pass(step === undefined ? Math.max(0, due - this.time) : DOZE_MS);
    this.#dozes = DOZES / 2;
  }

  resume(process: Process): void {
    this.trace.push(`(${process.name} goes on)`);
    process.state = 'running';
    this.#changes += 1;
  }

  /** What can go on: the command that went last, then the others, and those that only wait, the longest wait first. */
  #inOrder(): Held[] {
    const rank = ({ process, step }: Held) =>
      step === 'sleep' || step === 'pause'
        ? 1000
        : process === this.last
          ? 0
          : process.id - FIRST_PROCESS + 1;
    return this.#held
      .filter(({ process }) => process.state === 'running')
      .map((held, index) => ({ held, index }))
      .sort((one, other) => rank(one.held) - rank(other.held) || one.index - other.index)
      .map(({ held }) => held);
  }

  /** Resolves when every command is held, has ended or is killed, and nothing is under way. */
  async #idle(): Promise<void> {
    // By the time that this process had: on a busy machine another one may have the processor for seconds.
    const start = process.cpuUsage();
    const elapsed = () => {
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    };
    let quiet = 0;
    for (let seen = -1; quiet < 3; ) {
      await turn();
      const isBusy =
        this.#busy > 0 ||
        seen !== this.#changes ||
        isReading() ||
        this.processes.some(one => this.#runs(one));
      quiet = isBusy ? 0 : quiet + 1;
      seen = this.#changes;
      const waited = elapsed();
      if (waited > STUCK_MS) throw new Error(`a step does not end: ${this.trace.slice(-40).join('; ')}`);
      // It waits for a deadline.
      if (waited > 2000 && this.#busy === 0) return;
    }
  }

  #runs(process: Process): boolean {
    return (
      (process.state === 'running' || process.state === 'stopped') &&
      !this.#held.some(held => held.process === process)
    );
  }

  /** Closes what killed processes have left open. */
  async close(): Promise<void> {
    for (const { journals } of this.processes)
      for (const journal of journals)
        await Reflect.get(journal, 'database')
          .close()
          .catch(() => {});
  }
}

/** Is a file being read, or a module loaded? */
const isReading = (): boolean =>
  process.getActiveResourcesInfo().some(name => name.startsWith('FSReq') || name === 'GetAddrInfoReqWrap');

type Method = (this: object, ...args: unknown[]) => unknown;

/** Makes every call of the journal and of the service a step, for commands of a weave and no other ones. Gives what undoes that. */
export function withSteps({ Journal, Service }: Pick<Product, 'Journal' | 'Service'>): () => void {
  const undo: (() => void)[] = [];
  const wrap = (owner: object, name: string, make: (original: Method) => Method) => {
    const original = Object.getOwnPropertyDescriptor(owner, name);
    if (typeof original?.value !== 'function') return;
    Object.defineProperty(owner, name, { ...original, value: make(original.value) });
    undo.push(() => Object.defineProperty(owner, name, original));
  };
  for (const owner of [Journal.prototype, Object.getPrototypeOf(Journal.prototype)] as object[])
    for (const name of Object.getOwnPropertyNames(owner))
      if (name !== 'constructor') wrap(owner, name, original => journalStep(name, original));
  wrap(Service.prototype, 'call', serviceStep);
  wrap(Service.prototype, 'download', original => otherStep('download', original));
  return () => {
    for (const one of undo) one();
  };
}

const journalStep = (name: string, original: Method): Method =>
  function (...args) {
    const now = inside.getStore();
    const work = () => original.apply(this, args) as Promise<unknown>;
    if (now === undefined || now.isIn === 'journal') return work();
    const { weave, process } = now;
    const journal = this as Journal;
    if (name === 'close') process.journals.delete(journal);
    else process.journals.add(journal);
    // Between the question of the fence and the first byte others may go on.
    const then = name === 'fence' ? 'connected' : undefined;
    return weave.step(process, name, () => inside.run({ ...now, isIn: 'journal' }, work), then);
  };

/** An answer of a booking may come late. */
const serviceStep = (original: Method): Method =>
  function (...args) {
    const now = inside.getStore();
    const work = () => original.apply(this, args) as Promise<unknown>;
    if (now === undefined) return work();
    const { weave, process } = now;
    const { command, books } = args[0] as Operation;
    const then = books ? 'answer' : undefined;
    return weave.step(process, `send ${command}`, () => inside.run({ ...now, isIn: 'service' }, work), then);
  };

const otherStep = (name: string, original: Method): Method =>
  function (...args) {
    const now = inside.getStore();
    const work = () => original.apply(this, args) as Promise<unknown>;
    return now === undefined ? work() : now.weave.step(now.process, name, work);
  };
