// What several pages of help say.
import type { Page } from '../shell/pages.ts';

/** What exit 8 means on the page of each command that books. */
export const EXIT_UNKNOWN =
  'it was sent, but no clear answer came: it may exist. `waybill history resolve REF` settles it';

/** The output of a command that only writes. */
export const SILENT: Page['output'] & object = { table: 'nothing; a note on stderr says what was done' };
