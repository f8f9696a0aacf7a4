import type { SavedCommand } from './saved.ts';

declare const WAYBILL_TREE: readonly SavedCommand[] | undefined;

/** The commands of the first level, put in by the build; tests run the sources, and read the commands themselves. */
export const TREE: readonly SavedCommand[] | undefined =
  typeof WAYBILL_TREE === 'undefined' ? undefined : WAYBILL_TREE;
