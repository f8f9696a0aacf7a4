// The time and memory of a short command, compared with a Node that does nothing and with other tools for
// the terminal.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { find, timed, weighed } from './measure.mjs';
import { race } from './race.mjs';
import { rowsOf, seriesOf } from './rows.mjs';
import { startServer, writeOrder } from './stage.mjs';

const NODE = 'node -e 0';
const TIME_GOALS = {
  'waybill --version': [
    [NODE, '≤', 1.15],
    ['gh --version', '<', 1],
  ],
  'waybill --help': [
    [NODE, '≤', 1.15],
    ['gh --help', '<', 1],
  ],
  'waybill quote': [
    [NODE, '≤', 3.6],
    ['stripe post', '<', 0.8],
  ],
  'waybill track': [[NODE, '≤', 4]],
  'waybill track, no journal': [[NODE, '≤', 3.8]],
  'waybill ship': [[NODE, '≤', 4.8]],
};
const MEMORY_GOALS = { 'waybill --help': [[NODE, '≤', 1.15]], 'waybill quote': [[NODE, '≤', 1.5]] };

/** The rows of start-up. */
export async function measureStartup(stage, { quick }) {
  const [pairs, weighings] = quick ? [1, 1] : [25, 5];
  const server = await startServer(stage, 'startup');
  try {
    const contenders = contendersOn(stage, server);
    // The first run of a command saves the compiled code for the later ones.
    await race(stage, contenders, 1, timed);
    const times = await race(stage, contenders, pairs, timed);
    const few = contenders.filter(({ name }) => name === NODE || name in MEMORY_GOALS);
    const weights = await race(stage, few, weighings, weighed);
    return [
      ...rowsOf(
        { part: 'start-up', unit: 'ms' },
        seriesOf(times, ({ ms }) => ms),
        TIME_GOALS,
      ),
      ...rowsOf(
        { part: 'start-up, peak memory', unit: 'MiB', absent: 'not measured without GNU time' },
        seriesOf(weights, ({ memory }) => memory && memory / 1024),
        MEMORY_GOALS,
      ),
    ];
  } finally {
    server.stop();
  }
}

function contendersOn(stage, server) {
  const order = join(stage.folder, 'order.json');
  writeOrder(order);
  const waybill = (...args) => [...stage.command, ...args, '--profile', server.profile];
  const ship = key => waybill('ship', '-f', order, '--key', key);
  const track = waybill('track', 'shp-int-1001');
  const withoutJournal = () => rmSync(stage.state, { recursive: true, force: true });
  // An existing journal: the measurement has two commits, and not the creation of a journal.
  const withJournal = () => {
    withoutJournal();
    timed(ship('BEFORE'), stage);
  };
  const quote = waybill('quote', '--from', 'TR', '--to', 'DE', '--package', '1.5@30x20x10');
  const post = ['post', '/v1/customers', '--api-base', server.address, '--api-key', 'sk_test_12345'];
  return [
    { name: NODE, command: [process.execPath, '-e', '0'] },
    { name: 'waybill --version', command: [...stage.command, '--version'] },
    { name: 'waybill --help', command: [...stage.command, '--help'] },
    { name: 'waybill quote', command: quote, requests: 1 },
    { name: 'waybill track', command: track, requests: 1, prepare: withJournal },
    { name: 'waybill track, no journal', command: track, requests: 1, prepare: withoutJournal },
    { name: 'waybill ship', command: ship('MEASURED'), requests: 1, prepare: withJournal },
    { name: 'gh --version', command: peer('gh', '--version') },
    { name: 'gh --help', command: peer('gh', '--help') },
    { name: 'stripe post', command: peer('stripe', ...post), requests: 1 },
    { name: 'curl --version', command: peer('curl', '--version') },
    { name: 'npm --version', command: peer('npm', '--version') },
  ].map(contender => ({ requests: 0, server, ...contender }));
}

function peer(program, ...args) {
  const path = find(program);
  return path && [path, ...args];
}
