// The key of a command line.
import { keyFault } from '../contract/key.ts';
import { Failure } from '../errors.ts';
import { shown } from '../text.ts';

/** Refuses what can be no key. Throws `usage`. */
export function checkKey(key: string | undefined): void {
  if (key?.trim() === '')
    throw new Failure('usage', '--key is empty; give it a name of your own, such as an order number');
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault !== undefined) throw new Failure('usage', `--key ${shown(key ?? '')} ${fault}; nothing was sent`);
}
