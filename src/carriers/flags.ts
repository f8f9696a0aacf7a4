import type { Command } from 'commander';
import { CURRENCIES } from '../contract/currencies.ts';
import { Failure } from '../errors.ts';
import { count } from '../session/globals.ts';
import type { Bounds } from './choose.ts';

export interface CarrierOptions extends Bounds {
  /** A carrier id, `cheapest` or `fastest`. */
  carrier?: string;
}

export const carrierOptions = (command: Command): Command =>
  command
    .optionsGroup('Carrier:')
    .option('--carrier <id>', 'carrier id, or cheapest or fastest of the valid proposals')
    .option('--service <type>', 'only a proposal of this service type (any word; case does not matter)')
    .option('--max-price <price>', 'no proposal above this, such as 20EUR', parsePrice)
    .option('--max-days <n>', 'no proposal that may take more days', count);

function parsePrice(written: string): { amount: string; currency: string } {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]{3})\s*$/.exec(written);
  const [, amount, currency] = match?.map(part => part.toUpperCase()) ?? [];
  if (amount === undefined || currency === undefined || !CURRENCIES.has(currency))
    throw new Failure(
      'usage',
      `--max-price ${JSON.stringify(written)} is not an amount with a currency, such as 20EUR; nothing was sent`,
    );
  return { amount, currency };
}
