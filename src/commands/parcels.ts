import type { Command } from 'commander';
import { Failure } from '../errors.ts';
import { type Parcel, parsePackage } from '../request/specs.ts';
import { amount, collect } from './globals.ts';

export interface ParcelOptions {
  package?: string[];
  weight?: number;
  length?: number;
  width?: number;
  height?: number;
  quantity?: number;
}

export const parcelOptions = (command: Command): Command =>
  command.option(
    '--package <spec>',
    'packages, as 2x1.5kg@30x20x10cm (pieces x weight each @ L x W x H); repeatable',
    collect,
  );

/** For a single package there are plain flags too. */
export const singleParcelOptions = (command: Command): Command =>
  command
    .option('--weight <kg>', 'weight of a single package', amount)
    .option('--length <cm>', 'its length', amount)
    .option('--width <cm>', 'its width', amount)
    .option('--height <cm>', 'its height', amount)
    .option('--quantity <n>', 'how many of it (default: 1)', amount);

const NEEDED = ['weight', 'length', 'width', 'height'] as const;
const SINGLE = [...NEEDED, 'quantity'] as const;

/** What the flags say of packages, shaped by `shape`; `undefined` where they say nothing. Throws `usage`. */
export function parcelsOf(options: ParcelOptions, shape: (parcels: Parcel[]) => unknown): unknown {
  const single = SINGLE.filter(name => options[name] !== undefined);
  if (options.package !== undefined) {
    if (single.length > 0)
      throw new Failure(
        'usage',
        `--package and --${single[0]} both describe packages; give one or the other. Nothing was sent`,
      );
    return shape(options.package.map(parsePackage));
  }
  if (single.length === 0) return undefined;
  const { weight, length, width, height, quantity = 1 } = options;
  if (weight === undefined || length === undefined || width === undefined || height === undefined) {
    const missing = NEEDED.filter(name => options[name] === undefined).map(name => `--${name}`);
    throw new Failure(
      'usage',
      `--${single[0]} describes a package, of which ${missing.join(', ')} is missing; nothing was sent. Or give all at once: --package 1.5kg@30x20x10cm`,
    );
  }
  return shape([{ quantity, weight, length, width, height }]);
}
