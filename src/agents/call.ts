// Calls of tools: what a call may use, and which calls go on, wait in line, or stop.

import type { Leg } from '../contract/operations.ts';
import { interruption, stopIfInterrupted } from '../host/signals.ts';
import type { Plan } from '../output/schemas.ts';
import type { Message } from '../say/notices.ts';
import type { Session } from '../session/session.ts';

export interface McpOptions {
  /** May the agent book in production? */
  production?: boolean;
  /** The folder that labels are saved in. */
  download?: string;
  /** How many calls go on at one time. */
  concurrency: number;
}

/** A label that a client can read as a resource. */
export interface LabelLink {
  /** The id of the booking that made the label. */
  booking: string;
  leg: Leg;
}

/** A plan that was made for a client of this server. */
export interface MadePlan {
  plan: Plan;
  /** Shall the label be made after the booking, by the rule of the order or by the profile? */
  withLabel: boolean;
}

export interface ToolCall {
  /** A session of this call alone: it collects the call's bookings and warnings, and is interrupted when the call is to stop. */
  session: Session;
  options: McpOptions;
  /** The plans that this connection has made, by their hashes. */
  plans: Map<string, MadePlan>;
  /** Can the client ask a person? */
  canAsk: boolean;
  /** What a person answered for this very call, and about which plan. */
  said: { plan: Plan; knewTwin: boolean; isYes: boolean } | undefined;
  /** Shows a message beside the answer of the call. */
  say(message: Message): void;
  link(label: LabelLink): void;
}

/** What a person is asked to confirm. The client calls the tool again with the answer. */
export class Confirmation {
  readonly message: string;
  readonly plan: Plan;
  /** Was the person told that the same order is booked under another key? */
  readonly knewTwin: boolean;

  constructor(message: string, plan: Plan, knewTwin: boolean) {
    this.message = message;
    this.plan = plan;
    this.knewTwin = knewTwin;
  }
}

/** The most entries that a connection keeps: a client that plans for months must not fill the memory. */
const MOST_KEPT = 1000;

/** Adds an entry to what a connection keeps; if there are too many, the oldest entry is forgotten. */
export function remember<T>(kept: Map<string, T>, name: string, value: T): void {
  kept.delete(name);
  kept.set(name, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) return;
    kept.delete(oldest);
  }
}

// Which calls go on, which wait, and when they stop.

interface Underway {
  stop: AbortController;
  books: boolean;
  isWaiting: boolean;
}

/** The calls of a server: as many bookings go on at one time as in a batch, and as many reads. All other calls wait in line. */
export class Calls {
  readonly #all = new Set<Underway>();
  readonly #bookings: Line;
  readonly #reads: Line;
  #isEnded = false;
  #whenIdle: () => void = () => {};

  constructor(places: number) {
    this.#bookings = new Line(places);
    this.#reads = new Line(places);
  }

  /**
   * Runs the work of a call when it is its turn. Throws `interrupted` if the call is to stop before that. `takenBack`: aborted when the
   * client cancels the call.
   */
  async run<T>(
    call: { books: boolean; takenBack: AbortSignal },
    work: (stop: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const current: Underway = { stop: new AbortController(), books: call.books, isWaiting: true };
    const { signal } = current.stop;
    call.takenBack.addEventListener('abort', () => current.stop.abort(TAKEN_BACK));
    const line = call.books ? this.#bookings : this.#reads;
    // A read that comes after the end of the input is still answered if it need not wait: it costs nothing.
    if (this.#isEnded && (call.books || line.isFull)) current.stop.abort(ENDED);
    this.#all.add(current);
    try {
      return await line.run(signal, () => {
        current.isWaiting = false;
        return work(signal);
      });
    } finally {
      this.#all.delete(current);
      if (this.#all.size === 0) this.#whenIdle();
    }
  }

  /** The input has ended: calls that book, and calls that wait, are told to stop. */
  end(): void {
    this.#isEnded = true;
    for (const { stop, books, isWaiting } of this.#all) if (books || isWaiting) stop.abort(ENDED);
  }

  /** A signal came: all calls are told to stop. */
  stop(signal: AbortSignal): void {
    this.#isEnded = true;
    for (const { stop } of this.#all) stop.abort(signal.reason);
  }

  async ended(): Promise<void> {
    if (this.#all.size > 0)
      await new Promise<void>(resolve => {
        this.#whenIdle = resolve;
      });
  }
}

const ENDED = 'the end of the input';
const TAKEN_BACK = 'the client, which took the call back';

class Line {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(places: number) {
    this.#free = places;
  }

  get isFull(): boolean {
    return this.#free === 0;
  }

  /** Runs the work when there is a place in the line. Throws `interrupted` if the call is to stop before that. */
  async run<T>(stop: AbortSignal, work: () => Promise<T>): Promise<T> {
    stopIfInterrupted({ interrupted: stop });
    if (this.#free > 0) this.#free -= 1;
    else await this.#place(stop);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Resolves when another call gives up its place. */
  #place(stop: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = () => {
        this.#waiting.delete(take);
        stop.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(take);
        reject(interruption(stop));
      };
      this.#waiting.add(take);
      stop.addEventListener('abort', leave);
    });
  }
}
