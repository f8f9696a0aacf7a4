// The time and memory of a short command, compared with a Node that does nothing and with other tools for
// the terminal.
import { rmSync } from 'node:fs';
import { contender, find, race, run, show, weighed } from './measure.mjs';
import { orderFile, startServer } from './stage.mjs';

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
    [NODE, '≤', 3.4],
    ['stripe post', '<', 0.8],
  ],
  'waybill track': [[NODE, '≤', 3.9]],
  'waybill track, no journal': [[NODE, '≤', 3.4]],
  'waybill ship': [[NODE, '≤', 4.4]],
};
const MEMORY_GOALS = { 'waybill --help': [[NODE, '≤', 1.15]], 'waybill quote': [[NODE, '≤', 1.5]] };

/** The rows of start-up. */
export async function measureStartup(stage, { quick }) {
  const [rounds, weighings] = quick ? [1, 1] : [25, 5];
  const server = await startServer(stage, 'startup');
  try {
    const contenders = contendersOn(stage, server);
    // The first run of a command saves the compiled code for the later ones.
    await race(stage, server, contenders, 1);
    show('start-up', 'ms', await race(stage, server, contenders, rounds), TIME_GOALS);
    const few = contenders.filter(({ name }) => name === NODE || name in MEMORY_GOALS);
    show('start-up, peak memory', 'MiB', await race(stage, server, few, weighings, weighed), MEMORY_GOALS);
  } finally {
    server.stop();
  }
}

function contendersOn(stage, server) {
  const order = orderFile(stage);
  const waybill = (...args) => [...stage.command, ...args, '--profile', server.profile];
  const ship = key => waybill('ship', '-f', order, '--key', key);
  const track = waybill('track', 'shp-int-1001');
  const withoutJournal = () => rmSync(stage.state, { recursive: true, force: true });
  // An existing journal: the measurement has two commits, and not the creation of a journal.
  const withJournal = async () => {
    withoutJournal();
    await run({ command: ship('BEFORE') }, stage);
  };
  const quote = waybill('quote', '--from', 'TR', '--to', 'DE', '--package', '1.5@30x20x10');
  const post = ['post', '/v1/customers', '--api-base', server.address, '--api-key', 'sk_test_12345'];
  const peer = (program, ...args) => find(program) && [program, ...args];
  return [
    contender(NODE, [process.execPath, '-e', '0']),
    contender('waybill --version', [...stage.command, '--version']),
    contender('waybill --help', [...stage.command, '--help']),
    contender('waybill quote', quote, { requests: 1 }),
    contender('waybill track', track, { requests: 1, prepare: withJournal }),
    contender('waybill track, no journal', track, { requests: 1, prepare: withoutJournal }),
    contender('waybill ship', ship('MEASURED'), { requests: 1, prepare: withJournal }),
    contender('gh --version', peer('gh', '--version')),
    contender('gh --help', peer('gh', '--help')),
    contender('stripe post', peer('stripe', ...post), { requests: 1 }),
    contender('curl --version', peer('curl', '--version')),
    contender('npm --version', peer('npm', '--version')),
  ];
}
