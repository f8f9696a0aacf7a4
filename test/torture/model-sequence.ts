// Who takes part in a sequence of the model test: processes, the service, and the journal with its model.
import type { Entry, Model, Process } from './model.ts';
import type { World } from './model-world.ts';

/** What the service does with a request; `busy`: it may be sent again. `unknown`: no answer comes, and it is made. */
export type Effect = 'created' | 'partial' | 'unknown' | 'rejected' | 'busy';

/** A booking as its process and the service know it. */
export interface Sending {
  entry: Entry;
  step: 'claimed' | 'asked' | 'in flight' | 'over';
  maySend: () => boolean;
  /** Was the journal asked before, since it was opened? */
  isAttempted: boolean;
  /** When the claim was last confirmed, by both clocks of its process. */
  confirmed: { wall: number; steady: number };
  answer: Exclude<Effect, 'busy'>;
  /** The shipment that was made, and whether a person said since that there is none. */
  made?: string;
  isDenied: boolean;
}

/** The journal, its model, and those who use it. */
export class Sequence {
  readonly sendings: Sending[] = [];
  readonly processes: Process[] = [
    { number: 1, space: 'here', gone: false, ahead: 0 },
    { number: 2, space: 'here', gone: false, ahead: 0 },
    { number: 3, gone: false, ahead: 0 },
  ];
  imports = 0;
  /** The time that passed, in ms. */
  elapsed = 0;
  readonly model: Model;
  readonly world: World;

  constructor(model: Model, world: World) {
    this.model = model;
    this.world = world;
  }

  process = (slot: number): Process => this.processes[slot % this.processes.length] as Process;

  /** The bookings of running processes at one of these steps. */
  at = (...steps: Sending['step'][]): Sending[] =>
    this.sendings.filter(({ entry, step }) => !entry.by.gone && steps.includes(step));

  /** What a person may want to settle: mostly what is unknown to that process. */
  settleable(reader: Process, all: boolean): Entry[] {
    const { entries } = this.model;
    const isUnknown = (entry: Entry) => entry.state === 'unknown' || this.model.isLost(entry, reader);
    return all ? entries : entries.filter(isUnknown);
  }

  /** What a person may want to take back. */
  settled = (all: boolean): Entry[] =>
    this.model.entries.filter(({ before, state }) => all || before !== undefined || state === 'cancelled');

  clocks = ({ ahead }: Process) => ({ wall: this.model.now + ahead, steady: this.elapsed });

  /** The ms since the claim was confirmed. */
  since({ entry, confirmed }: Sending): number {
    const { wall, steady } = this.clocks(entry.by);
    return Math.max(Math.abs(wall - confirmed.wall), steady - confirmed.steady);
  }
}
