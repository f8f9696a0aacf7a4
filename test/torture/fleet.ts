// Runners of one batch, each a machine with folders of its own, against one journal in PostgreSQL.
import type { Ended } from '../rig/process.ts';
import { type Batch, type BatchOptions, batchOn, type Line } from './batch.ts';
import { type Ledger, ledgerOf } from './batch-ledger.ts';
import { type Cluster, withCluster } from './postgres-cluster.ts';
import { onStage, type Stage, type Started } from './stage.ts';

export interface FleetOptions extends BatchOptions {
  runners: number;
}

export interface Runner {
  /** Also its token, by which the witness recognizes it. */
  name: string;
  start(): Started;
  /** The lines of its results so far. */
  lines(): Line[];
  ledger: Ledger;
}

export interface Fleet {
  stage: Stage;
  cluster: Cluster;
  batch: Batch;
  runners: readonly Runner[];
}

/** Calls `act` with a fleet that is not started yet. */
export const withFleet = <T>(
  command: string,
  { runners, ...options }: FleetOptions,
  act: (fleet: Fleet) => Promise<T>,
): Promise<T> =>
  withCluster(cluster =>
    onStage(
      command,
      stage => {
        const batch = batchOn(stage, options);
        const names = Array.from({ length: runners }, (_, index) => `machine-${index + 1}`);
        return act({ stage, cluster, batch, runners: names.map(name => runnerOn(stage, batch, name)) });
      },
      { WAYBILL_JOURNAL: cluster.url },
    ),
  );

function runnerOn(stage: Stage, batch: Batch, name: string): Runner {
  const results = `${name}.jsonl`;
  const home = `${stage.folder}/${name}`;
  const env = {
    HOME: home,
    WAYBILL_STATE_DIR: `${home}/state`,
    WAYBILL_CONFIG_DIR: `${home}/config`,
    WAYBILL_TOKEN: name,
  };
  return {
    name,
    start: () => batch.start({ results, env }),
    lines: () => batch.lines(results),
    ledger: ledgerOf(stage, batch),
  };
}

/** A run has finished its file if every record is created or unknown. */
export function isThrough({ code, stdout }: Ended): boolean {
  if (code !== 0 && code !== 8) return false;
  const { states } = JSON.parse(stdout) as { states: Record<string, number> };
  return Object.keys(states).every(state => state === 'created' || state === 'unknown');
}

/** Compares the records that each runner reports as sent with the requests that arrived. */
export interface Claims {
  read(runner: Runner): void;
  /** Keys that arrived although no line reports them as sent. */
  unclaimed(): string[];
  /** The broken promises so far. */
  broken(): string[];
}

export function claimsOf({ stage: { witness } }: Pick<Fleet, 'stage'>): Claims {
  const sentBy = new Map<string, string>();
  const broken = new Set<string>();
  return {
    read({ name, lines }) {
      for (const { key, sent } of lines()) {
        if (!sent) continue;
        const senders = witness.senders(key).join();
        if (senders !== name)
          broken.add(`${name} reports ${key} as sent, but it was sent by ${senders || 'no runner'}`);
        sentBy.set(key, name);
      }
    },
    unclaimed: () => witness.keys().filter(key => !sentBy.has(key)),
    broken: () => [...broken],
  };
}
