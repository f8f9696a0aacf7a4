import type { Host } from '../host.ts';
import { SCHEMA_VERSION } from '../journal/tables.ts';
import { VERSION } from './version.ts';

/** What a report of a fault needs. `journal`: the number of the schema in each database. */
export const versionFacts = ({ platform, runtime }: Pick<Host, 'platform' | 'runtime'>) => ({
  version: VERSION,
  node: runtime.node,
  platform: `${platform}-${runtime.arch}`,
  journal: { sqlite: SCHEMA_VERSION, postgresql: SCHEMA_VERSION },
});
