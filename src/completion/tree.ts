import type { SavedCommand } from './saved.ts';

/** JSON. */
declare const WAYBILL_TREE: string | undefined;

/** The commands of the first level, put in by the build. Without a build the commands themselves are read. */
export const TREE: readonly SavedCommand[] | undefined =
  typeof WAYBILL_TREE === 'undefined' ? undefined : JSON.parse(WAYBILL_TREE);
