import type { Option } from 'commander';
import type { Field } from './contract/fields.ts';

/** The field of the contract that an option sets: completion offers its values. */
export const fieldOfOption = new WeakMap<Option, Field>();
