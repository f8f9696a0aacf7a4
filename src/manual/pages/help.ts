import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  help: {
    description: 'Show the help of a command or a topic.',
    examples: [
      '# The help of a command, and of a topic.',
      'waybill help webhook create',
      'waybill help exit-codes',
    ],
    output: { table: 'the help' },
  },
};
