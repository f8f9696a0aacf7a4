import { created, jsonLines, order, orders } from '../rig/batch.ts';
import { scripted, signal } from './begin.ts';
import { each, promises } from './promise.ts';

const BATCH = 'batch ship orders.jsonl --concurrency 1 --json';
const of = (...records: unknown[]) => ({ files: { 'orders.jsonl': jsonLines(records) } });
const NOBODY = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };
const dear = { maxPrice: '60EUR' };
const TWO_DEAR = of(order('A', dear), order('B', dear));
const oneBad = of(order('BAD', { category: 'sale' }), ...orders(6));

promises('The exit code of a batch', [
  ...each({ rig: { ...of(...orders(2)), faults: [{ kind: 500, probability: 1 }] } }, [
    {
      says: 'A signal comes before 8',
      run: BATCH,
      onRequest: signal('SIGTERM').onRequest,
      exit: 143,
      json: { states: { unknown: 1, not_sent: 1 } },
    },
    { says: '8 comes before 10', run: `${BATCH} --results /dev/full`, exit: 8 },
  ]),
  {
    says: '8 comes before 11',
    rig: scripted(key => (key === 'A' ? created(key, 499) : { status: 500 }), TWO_DEAR),
    run: `${BATCH} --max-overpriced 9`,
    exit: 8,
    json: { states: { created: 1, unknown: 1 } },
  },
  {
    says: '8 comes before 9',
    rig: scripted(key => ({ status: key === 'A' ? 422 : 500 }), of(order('A'), order('B'))),
    run: BATCH,
    exit: 8,
    json: { states: { rejected: 1, unknown: 1 } },
  },
  {
    says: '10 comes before 11',
    rig: scripted(key => created(key, 499), TWO_DEAR),
    run: `${BATCH} --results /dev/full`,
    exit: 10,
    json: { exitCode: 10 },
  },
  {
    says: '11 comes before 12',
    rig: scripted(key => created(key, 499), {
      ...TWO_DEAR,
      env: { WAYBILL_POLICY_MAX_PER_DAY: '505EUR' },
    }),
    run: `${BATCH} --max-overpriced 9`,
    exit: 11,
    json: { stopped: 'over_budget' },
  },
  {
    says: '11 comes before the cause that stopped it',
    rig: scripted(
      key => (key === 'A' ? created(key, 499) : { status: 401 }),
      of(order('A', dear), ...orders(6)),
    ),
    run: `${BATCH} --max-overpriced 9`,
    exit: 11,
    json: { stopped: 'unauthorized' },
  },
  {
    says: '12 comes before 9',
    rig: scripted(key => (key === 'A' ? { status: 422 } : created(key, 10)), {
      ...of(order('A'), order('B'), order('C')),
      env: { WAYBILL_POLICY_MAX_PER_DAY: '15EUR' },
    }),
    run: BATCH,
    exit: 12,
    json: { stopped: 'over_budget', states: { rejected: 1, created: 1 } },
  },
  ...each({ says: 'The cause that stopped it comes before 9', run: `${BATCH} --skip-invalid --retries 0` }, [
    {
      rig: { ...oneBad, faults: [{ kind: 429, probability: 1 }] },
      exit: 6,
      json: { stopped: 'rate_limited' },
    },
    { rig: { ...oneBad, env: NOBODY }, exit: 7, json: { stopped: 'unavailable' } },
  ]),
  {
    says: 'What was booked before a batch ended with 3 is in its summary and its results',
    rig: scripted(key => (key === 'A' ? created(key) : { status: 401 }), of(order('A'), ...orders(6))),
    run: BATCH,
    exit: 3,
    json: { states: { created: 1 } },
    files: { 'orders.results.jsonl': '"key":"A","line":1,"state":"created"' },
  },
]);
