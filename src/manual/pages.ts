import type { Page, Pages } from './page.ts';

/** The page of `waybill` itself; the only one that needs nothing of the contract. */
export const FIRST_PAGE: Page = {
  description: 'Quote, book, label and track shipments. A retry never books a shipment twice.',
  examples: [
    '# Nothing is set up: the built-in emulator answers.',
    'waybill quote --profile demo --from TR --to DE --package 2x1.5kg@30x20x10cm',
    '# With your service: waybill asks for the token, and does not show it.',
    'waybill profile add live --base-url https://api.example.com',
  ],
};

/** The page of a command, by its words without `waybill`; a command and those below it share a file with its name. */
export async function findPage(words: readonly string[]): Promise<Page | undefined> {
  const [first] = words;
  if (first === undefined) return FIRST_PAGE;
  const { PAGES }: { PAGES: Pages } = await import(`./pages/${first}.ts`);
  return PAGES[words.join(' ')];
}
