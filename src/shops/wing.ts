import type { Wing } from '../wing.ts';

/** The exports of shops that are known. */
export const shops: Wing = {
  shops: {
    names: ['shopify', 'etsy', 'woocommerce', 'amazon', 'ebay'],
    load: async () => (await import('./shops.ts')).SHOPS,
  },
};
