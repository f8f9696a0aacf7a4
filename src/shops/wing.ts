import type { Wing } from '../wing.ts';

/** The wing for exports of known shops. */
export const shops: Wing = {
  shops: {
    names: ['shopify', 'etsy', 'woocommerce', 'amazon', 'ebay'],
    load: async () => (await import('./shops.ts')).SHOPS,
  },
};
