import type { Host } from '../host.ts';
import { MIGRATIONS as POSTGRES } from '../journal/postgres/schema.ts';
import { MIGRATIONS as SQLITE } from '../journal/sqlite/schema.ts';
import { VERSION } from './version.ts';

/** What a report of a fault needs. `journal`: the number of the schema in each database. */
export const versionFacts = ({ platform, runtime }: Pick<Host, 'platform' | 'runtime'>) => ({
  version: VERSION,
  node: runtime.node,
  platform: `${platform}-${runtime.arch}`,
  journal: { sqlite: SQLITE.length, postgresql: POSTGRES.length },
});
