// Our own commands under the audit that docs/audit.md offers for any client: whatever happens to the answer of a booking, and however
// often the command is run again, nothing is booked, labelled or subscribed twice.
import { describe, expect, test, vi } from 'vitest';
import type { OperationId } from '../../src/contract/operations.ts';
import { createAudit } from '../../src/emulator/audit.ts';
import { FAULTS, parseFault, TAKE_THE_ANSWER } from '../../src/emulator/settings.ts';
import { commandOf, connected, GENERATIONS } from '../rig/agent.ts';
import { dualOrder, jsonLines, orders } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';
import { event } from '../rig/sockets.ts';

const KINDS = [...Object.keys(FAULTS), '429', '500'];
/** Those after which a booking exists and its command has no answer. */
const LOSING: readonly string[] = [...TAKE_THE_ANSWER.filter(kind => kind !== 'reset-before'), 'delay'];

const HOOK = 'webhook create --url https://shop.example/hook --event shipment.status.updated';

interface Client {
  what: string;
  /** Bookings, each of which loses its answer in one run. */
  operations: OperationId[];
  /** Command lines, which are run in this order, and all of them once more. */
  lines: string[];
}

const CLIENTS: Client[] = [
  {
    what: 'ship with its label',
    operations: ['createShipment', 'createLabels'],
    lines: ['ship -f order.json --key A-1 --label', 'label A-1'],
  },
  {
    what: 'ship without a key',
    operations: ['createShipment'],
    lines: ['ship -f order.json'],
  },
  {
    what: 'ship-dual with its labels',
    operations: ['createDualShipment', 'createLabels'],
    lines: ['ship-dual -f pair.json --key P-1', 'label P-1', 'label P-1 --download labels'],
  },
  { what: 'webhook create', operations: ['createSubscription'], lines: [HOOK] },
  {
    what: 'a batch with labels',
    operations: ['createShipment', 'createLabels'],
    lines: ['batch ship orders.jsonl --label --concurrency 2', 'batch label orders.jsonl'],
  },
  { what: 'a batch of pairs', operations: ['createDualShipment'], lines: ['batch ship-dual pairs.jsonl'] },
];

const FILES = {
  'order.json': SHIPMENT,
  'pair.json': DUAL,
  'orders.jsonl': jsonLines(orders(3)),
  'pairs.jsonl': jsonLines([dualOrder('P-1'), dualOrder('P-2')]),
};

/** Runs a client while one booking has that fault, and gives what the audit found. */
async function found(
  kind: string,
  operation: OperationId,
  use: (rig: Rig, options: string) => Promise<void>,
) {
  const audit = createAudit();
  const [over, end] = event();
  const faults = [parseFault(`${kind}:first1@${operation}`)];
  // What is delayed is answered when nobody waits for it any more.
  const rig = await createRig({ faults, sleep: () => over, onExchange: audit.see, files: FILES });
  await use(rig, kind === 'delay' ? '--timeout 1' : '');
  end();
  if (LOSING.includes(kind)) await vi.waitFor(() => expect(audit.verdict().lost).toBeGreaterThan(0), 60_000);
  await use(rig, '');
  const { report } = audit.verdict();
  return { kind, operation, ...report };
}

const clean = (kind: string, operation: OperationId) => ({
  ...{ kind, operation },
  ...{ booked: [], repeated: [], labels: [] },
});

describe.each(CLIENTS)('$what', ({ operations, lines }) => {
  test.each(operations)('is clean whatever happens to an answer of %s', async operation => {
    for (const kind of KINDS) {
      const use = async ({ run }: Rig, options: string) => {
        for (const line of lines) await run(`${line} ${options}`);
      };
      expect(await found(kind, operation, use)).toEqual(clean(kind, operation));
    }
  });
});

const CALLS: [tool: string, args: object][] = [
  ['ship', { key: 'A-1', request: SHIPMENT, label: true }],
  ['label', { refs: ['A-1'] }],
];

test.each(['createShipment', 'createLabels'] as const)(
  'an agent that calls its tools again and again is clean whatever happens to an answer of %s',
  async operation => {
    for (const kind of KINDS) {
      const use = async (rig: Rig, options: string) => {
        for (const [tool, args] of CALLS) {
          const { transport, ended } = commandOf(rig, `mcp ${options}`);
          const agent = await connected(transport, GENERATIONS[0]);
          await agent.call(tool, args);
          await agent.close();
          await ended;
        }
      };
      expect(await found(kind, operation, use)).toEqual(clean(kind, operation));
    }
  },
);
