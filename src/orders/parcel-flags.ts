import type { Command } from 'commander';
import { Failure } from '../errors.ts';
import { type Parcel, parsePackage, parsePreset } from '../request/specs.ts';
import { amount, collect } from '../session/globals.ts';
import { findSaved } from '../session/saved.ts';
import type { Session } from '../session/session.ts';

export interface ParcelOptions {
  package?: string[];
  weight?: number;
  length?: number;
  width?: number;
  height?: number;
  quantity?: number;
}

export const parcelOptions = (command: Command): Command =>
  command
    .optionsGroup('Packages:')
    .option(
      '--package <spec>',
      'packages, as 2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H), or @NAME and 3x@NAME of a parcel saved in the profile; repeatable',
      collect,
    );

/** The plain flags of a single package. */
export const singleParcelOptions = (command: Command): Command =>
  command
    .optionsGroup('Packages:')
    .option('--weight <kg>', 'weight of a single package', amount)
    .option('--length <cm>', 'its length', amount)
    .option('--width <cm>', 'its width', amount)
    .option('--height <cm>', 'its height', amount)
    .option('--quantity <n>', 'how many of them (default: 1)', amount);

const NEEDED = ['weight', 'length', 'width', 'height'] as const;
/** The options of a single package. */
export const SINGLE = [...NEEDED, 'quantity'] as const;

/** The parcel of a SPEC, or of `@small` and `3x@small` from the profile. Throws `usage`. */
export function parcelOf(session: Session, spec: string): Parcel {
  const preset = parsePreset(spec);
  if (preset === undefined) return parsePackage(spec);
  const { times, name } = preset;
  const saved = findSaved(session.target(), 'parcels', name, `--package ${spec.trim()}: `);
  const parcel = parsePackage(saved, `--package ${spec.trim()}: the saved parcel`);
  return { ...parcel, quantity: times * parcel.quantity };
}

/** The packages that the flags give; `undefined` if they give none. Throws `usage`. */
export function parcelsOf(session: Session, options: ParcelOptions): Parcel[] | undefined {
  const single = SINGLE.filter(name => options[name] !== undefined);
  if (options.package !== undefined) {
    if (single.length > 0)
      throw new Failure(
        'usage',
        `--package and --${single[0]} both describe packages; give one or the other. Nothing was sent`,
      );
    return options.package.map(spec => parcelOf(session, spec));
  }
  if (single.length === 0) return undefined;
  const missing = NEEDED.filter(name => options[name] === undefined).map(name => `--${name}`);
  // A form asks for what is missing.
  if (missing.length > 0 && !session.interactive)
    throw new Failure(
      'usage',
      `--${single[0]} describes a package, but ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; nothing was sent. Or give everything at once: --package 1.5kg@30x20x10cm`,
    );
  const { weight, length, width, height, quantity = 1 } = options;
  return [{ quantity, weight, length, width, height } as Parcel];
}
