import type { Page, Pages } from './page.ts';

/** The file with the pages of a command and of those below it. */
const FILES: Readonly<Record<string, () => Promise<{ PAGES: Pages }>>> = {
  quote: () => import('./pages/booking.ts'),
  rates: () => import('./pages/booking.ts'),
  ship: () => import('./pages/booking.ts'),
  'ship-dual': () => import('./pages/booking.ts'),
  label: () => import('./pages/booking.ts'),
  batch: () => import('./pages/batch.ts'),
  track: () => import('./pages/following.ts'),
  webhook: () => import('./pages/following.ts'),
  history: () => import('./pages/history.ts'),
  profile: () => import('./pages/profile.ts'),
  emulator: () => import('./pages/emulator.ts'),
  schema: () => import('./pages/tools.ts'),
  completion: () => import('./pages/tools.ts'),
  help: () => import('./pages/tools.ts'),
};

/** The page of `waybill` itself; the only one that needs nothing of the contract. */
export const FIRST_PAGE: Page = {
  description: 'Quote, book, label and track shipments, and never book one twice by a retry.',
  examples: [
    '# With nothing set up: the built-in emulator answers.',
    'waybill quote --profile demo --from TR --to DE --package 2x1.5kg@30x20x10cm',
    '# With your service; on a terminal it asks for the token, and does not show it.',
    'waybill profile add live --base-url https://api.example.com',
  ],
};

/** The page of a command, by its words without `waybill`; `undefined` where it has none. */
export async function findPage(words: readonly string[]): Promise<Page | undefined> {
  const [first] = words;
  if (first === undefined) return FIRST_PAGE;
  const file = Object.hasOwn(FILES, first) ? await FILES[first]?.() : undefined;
  return file?.PAGES[words.join(' ')];
}
