// What several pages of help say.

/** What exit 8 means on the page of each command that books. */
export const EXIT_UNKNOWN =
  'it was sent, but no clear answer came: it may exist. `waybill history resolve REF` settles it';
