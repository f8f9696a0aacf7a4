// A command that builds a request, and what one run of it knows of that request.

import type { Command } from 'commander';
import type { Bounds } from '../carriers/choose.ts';
import type { Path } from '../contract/paths.ts';
import type { Checked } from '../order/check.ts';
import type { Order } from '../order/order.ts';
import type { Parcel } from '../request/specs.ts';
import type { Session } from '../session/session.ts';

/** What is the same in every request of a command. */
export interface RequestKind extends Omit<Checked, 'record' | 'allowUnknown'> {
  /** Warnings about a body, beside those that hold for every command. */
  warnings?(body: unknown): string[];
}

/** A command that builds a request. Its batch is made of the same. `O`: its options. */
export interface RequestCommand<O> extends RequestKind {
  /** The path of the packages, and the shape of one. */
  packages?: { path: Path; entry(parcel: Parcel): unknown };
  /** Can it begin with the request of an earlier order (`--like`)? Not in a batch, whose records are the orders. */
  takesLike?: true;
  /** Adds the options that are no fields of their own. */
  options(command: Command): Command;
  /** The part of the body that these options give. Throws `usage`. */
  fromOptions?(session: Session, options: O): unknown;
  /** By default, that of what the user gave. */
  fingerprint?(given: unknown, options: O): string;
  /** How far the order may go, and what follows it. */
  terms?(options: O): Pick<Order, 'bounds' | 'thenLabel'>;
  /** Has a proposal to fill in something, or to keep a bound? */
  needsProposal?(body: unknown, bounds: Bounds): boolean;
  /** Refuses options that contradict each other, or the body once it is built. Throws `usage`. */
  check?(options: O, body?: unknown): void;
}

/** What one run knows of its request before the body is completed and checked. */
export interface RequestParts extends RequestKind {
  layers: Layers;
  /** What `fromOptions` gave. */
  extra: unknown;
  /** The values of `--set`. */
  sets: readonly string[];
  /** The given options that say nothing of the body, by their names in code. */
  otherOptions: Readonly<Record<string, unknown>>;
  allowUnknown: boolean;
  dryRun: boolean;
  /** `--draft`: the request goes on from a draft. */
  isResumed: boolean;
  /** `--like`: it begins with the request of an earlier order, and the profile adds nothing. */
  isLike: boolean;
  /** A record of a batch. */
  record?: unknown;
}

export interface Layers {
  /** From the profile; none with `--like`. */
  defaults: unknown;
  /** From everything else. */
  given: unknown;
  full: unknown;
}

export interface Request {
  parts: RequestParts;
  body: unknown;
  /** The part that the user gave, without the profile: two requests with the same one are the same order. */
  given: unknown;
}
