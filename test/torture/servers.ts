// Scenarios with a server of their own: what it confirmed is gone, or what makes a key unique.
import { sentTwice, wrongCodes } from './breaches.ts';
import { type Cluster, withCluster } from './postgres-cluster.ts';
import { type Scenario, ship } from './scenarios.ts';
import { createGate, onStage, type Stage } from './stage.ts';

const withJournal = (act: (stage: Stage, cluster: Cluster) => Promise<string[]>): Scenario => {
  return command =>
    withCluster(cluster =>
      onStage(
        command,
        stage => {
          stage.losesJournal();
          return act(stage, cluster);
        },
        { WAYBILL_JOURNAL: cluster.url },
      ),
    );
};

/** A standby takes over that lacks the last booking, which a machine without a memory runs again. */
const failedOver: Scenario = withJournal(async (stage, cluster) => {
  const run = (key: string, env = {}) => stage.run(ship(key).argv, { stdin: ship(key).stdin, env });
  const booked = [await run('A')];
  const { url, promote } = await cluster.standby();
  booked.push(await run('B'));
  await promote();
  const again = await run('B', { WAYBILL_JOURNAL: url, WAYBILL_STATE_DIR: `${stage.folder}/job` });
  return [...wrongCodes(0, ...booked), ...wrongCodes(10, again), ...sentTwice(stage.witness, ['B'])];
});

/** A dump is restored without the index of keys, a person says that it was restored, and several processes book one key. */
const restoredWithoutIndex: Scenario = withJournal(async (stage, cluster) => {
  const { argv, stdin, key } = ship('ONE');
  const first = await stage.run(ship('A').argv, { stdin: ship('A').stdin });
  const env = { WAYBILL_JOURNAL: await cluster.restoredWithout('one_key') };
  const said = await stage.run(['history', 'check', '--restored', '--reason', 'restored'], { env });
  const gate = await createGate();
  try {
    const started = Array.from({ length: 4 }, () => stage.run(argv, { stdin, gate, env }));
    await Promise.race([gate.waiting(started.length), Promise.all(started)]);
    gate.open();
    const runs = await Promise.all(started);
    return [...wrongCodes(0, first), ...wrongCodes(10, said, ...runs), ...sentTwice(stage.witness, [key])];
  } finally {
    await gate.close();
  }
});

export const SERVERS: Readonly<Record<string, Scenario>> = {
  'a standby took over without the last booking': failedOver,
  'a dump that was restored without the index of keys': restoredWithoutIndex,
};
