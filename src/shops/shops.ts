// The shops whose exports waybill knows, by the word that `--map` takes for each shop.
import type { Shop } from '../batch/shop.ts';
import { AMAZON } from './amazon.ts';
import { EBAY } from './ebay.ts';
import { ETSY } from './etsy.ts';
import { SHOPIFY } from './shopify.ts';
import { WOOCOMMERCE } from './woocommerce.ts';

export const SHOPS: Readonly<Record<string, Shop>> = {
  shopify: SHOPIFY,
  etsy: ETSY,
  woocommerce: WOOCOMMERCE,
  amazon: AMAZON,
  ebay: EBAY,
};
