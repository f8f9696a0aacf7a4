import type { Wing } from '../wing.ts';

/** The commands of a shipping desk, for orders that are booked. */
export const desk: Wing = {
  commands: {
    papers: {
      group: 'Quote and book',
      summary: 'make the commercial invoice and the packing slip of an order',
      load: () => import('./papers.ts'),
    },
    'history summary': {
      summary: 'show what was booked, in numbers, and what of it needs a person',
      load: () => import('./summary.ts'),
    },
    'history handover': {
      summary: 'list the labelled orders that no courier has got yet',
      load: () => import('./handover.ts'),
    },
    'history export': {
      summary: 'write the tracking numbers in the form that a shop imports',
      load: () => import('./export.ts'),
    },
    'history reconcile': {
      summary: "hold the provider's invoices against what was booked",
      load: () => import('./reconcile.ts'),
    },
  },
  papersBehind: async () => (await import('./papers-behind.ts')).papersBehind,
};
