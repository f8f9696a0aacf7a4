import type { Pages } from '../page.ts';

export const PAGES: Pages = {
  completion: {
    description: 'Print the script that completes commands, options and values in a shell.',
    examples: [
      "# Complete in this shell. The script's first lines explain how to install it.",
      'source <(waybill completion bash)',
    ],
    output: { table: 'the script, in every output format' },
  },
};
