// The pages of help. The build writes them as `dist/pages.json`.
import type { HelpPages } from '../shell/pages.ts';
import { BATCH, pagesOfJobs } from './pages/batch.ts';
import { ORDERS } from './pages/orders.ts';
import { OTHERS } from './pages/others.ts';
import { PROFILE } from './pages/profile.ts';

export const pages = async (): Promise<HelpPages> => ({
  ...ORDERS,
  ...BATCH,
  ...(await pagesOfJobs()),
  ...PROFILE,
  ...OTHERS,
});
