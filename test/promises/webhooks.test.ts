// Subscriptions to events.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createRig } from '../rig/command.ts';
import { cannedService } from '../rig/service.ts';
import { HOOK } from './orders.ts';
import { each, promises } from './promise.ts';

const CREATED = ['POST /webhooks/subscriptions'];
const TO = '--url https://shop.example.com/hook';

promises('webhook create', [
  ...each({ says: 'a flag is a field of the request', sent: CREATED }, [
    { run: HOOK, body: { url: 'https://shop.example.com/hook', events: ['shipment.status.updated'] } },
    {
      run: `${HOOK} --event shipment.milestone.updated`,
      body: { events: ['shipment.status.updated', 'shipment.milestone.updated'] },
    },
    {
      run: `${HOOK} --header 'X-Shop: one: two' --header X-Key:abc`,
      body: { headers: { 'X-Shop': 'one: two', 'X-Key': 'abc' } },
    },
    { run: `${HOOK} --max-retries 8`, body: { retryPolicy: { maxRetries: 8 } } },
    { run: `${HOOK} --initial-delay-ms 2500`, body: { retryPolicy: { initialDelayMs: 2500 } } },
    { run: `${HOOK} --backoff-multiplier 1.5`, body: { retryPolicy: { backoffMultiplier: 1.5 } } },
    { run: `${HOOK} --max-delay-ms 60000`, body: { retryPolicy: { maxDelayMs: 60_000 } } },
    {
      run: 'webhook create -f - --set retryPolicy.maxRetries=9',
      stdin: JSON.stringify({ url: 'https://a.example/x', events: ['shipment.status.updated'] }),
      body: { url: 'https://a.example/x', retryPolicy: { maxRetries: 9 } },
    },
  ]),
  ...each({ after: [HOOK] }, [
    { says: 'the same content is a duplicate', run: HOOK, exit: 2, sent: [] },
    { says: 'unless --allow-duplicate says so', run: `${HOOK} --allow-duplicate`, sent: CREATED },
  ]),
  {
    says: '--secret-file has secret and token, for its user alone, and stdout does not',
    run: `${HOOK} --secret-file hook.json --json`,
    files: { 'hook.json': [/"secret": "whsec_/, /"token": "whtok_/] },
    lacks: ['whsec_', 'whtok_'],
    also: (_, { folder }) => expect(statSync(join(folder, 'hook.json')).mode & 0o777).toBe(0o600),
  },
  {
    says: '--secret-file replaces no file',
    rig: { files: { 'hook.json': 'mine' } },
    run: `${HOOK} --secret-file hook.json`,
    exit: 10,
    sent: [],
    files: { 'hook.json': /^mine$/ },
  },
  {
    says: 'without it the secret is shown, once',
    run: `${HOOK} --json`,
    json: { data: { secret: expect.stringMatching(/^whsec_/), token: expect.stringMatching(/^whtok_/) } },
  },
  ...each(
    {
      says: '--secret-file needs a name that is free, in a folder that is there',
      rig: { files: { 'left.json': '' } },
      exit: 10,
      sent: [],
      stderr: 'nothing was sent',
    },
    [`${HOOK} --secret-file left.json`, `${HOOK} --secret-file no/such/folder/hook.json`],
  ),
  ...each({ says: 'no file is left where nothing was created', files: { 'hook.json': null } }, [
    { run: `${HOOK} --secret-file hook.json`, env: { WAYBILL_TOKEN: 'wrong' }, exit: 3 },
    { run: `${HOOK} --secret-file hook.json --dry-run`, sent: [] },
  ]),
  {
    says: 'a retry policy that ends within an hour is warned of, with a longer one',
    run: HOOK,
    stdout: /Retries +5, covers 5 min 10 s/,
    stderr: /warning: .*covers 5 min 10 s.*; --max-retries 9 covers 1 h 25 min/,
  },
  {
    says: 'of a policy without delays the delay is named',
    run: `${HOOK} --initial-delay-ms 0`,
    stderr: 'a longer initialDelayMs',
  },
  { says: 'that warning is an error with --strict', run: `${HOOK} --strict`, exit: 2, sent: [] },
]);

promises('webhook get and list', [
  {
    says: 'get reads one by its id',
    rig: async () =>
      createRig({
        env: (
          await cannedService({
            '/webhooks/subscriptions/sub_1': {
              status: 200,
              body: { success: true, data: { id: 'sub_1', url: 'https://a.example' } },
            },
          })
        ).env,
      }),
    run: 'webhook get sub_1 --json',
    json: { data: { id: 'sub_1' } },
  },
  {
    says: 'one that there is not is not found',
    run: 'webhook get sub_9',
    exit: 4,
    sent: ['GET /webhooks/subscriptions/sub_9'],
  },
  {
    says: 'list shows those in the journal, and sends nothing',
    after: [`${HOOK} --key hook`],
    run: 'webhook list --json',
    sent: [],
    json: [{ key: 'hook', url: 'https://shop.example.com/hook', events: ['shipment.status.updated'] }],
  },
]);

promises('What a subscription may be', [
  ...each({ says: 'its address is https', exit: 2, error: { issues: [{ path: 'url' }] }, sent: [] }, [
    'webhook create --url http://shop.example.com --event shipment.status.updated --json',
    'webhook create --url shop.example.com --event shipment.status.updated --json',
    {
      run: 'webhook create --url http://127.0.0.1:9/x --event shipment.status.updated --json',
      env: { WAYBILL_BASE_URL: 'https://api.example.com' },
    },
  ]),
  ...each({ says: 'or http on loopback, if the service is there', sent: CREATED }, [
    'webhook create --url http://127.0.0.1:9/x --event shipment.status.updated',
    'webhook create --url http://localhost:9/x --event shipment.status.updated',
  ]),
  ...each({ exit: 2, sent: [] }, [
    {
      says: 'any other event is refused, with the near one',
      run: `webhook create ${TO} --event shipment.status.update --json`,
      error: { issues: [{ path: 'events[0]', suggestion: 'shipment.status.updated' }] },
    },
    { says: 'the names of its headers begin with X-', run: `${HOOK} --header 'Shop: x'`, stderr: 'X-' },
  ]),
  ...each({ says: 'its retries are numbers that are not negative', exit: 2, sent: [] }, [
    { run: `${HOOK} --max-retries=-1 --json`, error: { issues: [{ path: 'retryPolicy.maxRetries' }] } },
    {
      run: `${HOOK} --initial-delay-ms soon --json`,
      error: { issues: [{ path: 'retryPolicy.initialDelayMs' }] },
    },
    {
      run: `${HOOK} --backoff-multiplier=-2 --json`,
      error: { issues: [{ path: 'retryPolicy.backoffMultiplier' }] },
    },
    { run: `${HOOK} --max-delay-ms=-5 --json`, error: { issues: [{ path: 'retryPolicy.maxDelayMs' }] } },
    {
      run: `${HOOK} --set retryPolicy.maxRetry=1 --json`,
      error: { issues: [{ path: 'retryPolicy.maxRetry' }] },
    },
  ]),
  ...each({ says: 'a header has one line, and is given once', exit: 2, sent: [] }, [
    { run: [...HOOK.split(' '), '--header', 'X-A: b\r\nX-C: d'], stderr: 'headers' },
    { run: `${HOOK} --header X-A:1 --header X-a:2`, stderr: 'X-a is given twice' },
  ]),
]);
