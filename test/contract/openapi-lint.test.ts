import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openapi } from '../../src/contract/openapi.ts';
import { createRig } from '../rig/command.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { FULL } from '../torture/size.ts';

const require = createRequire(import.meta.url);
const CLI = require.resolve('@redocly/cli/bin/cli.js');

/** The rules that a document breaks, as `redocly lint` tells. */
function lint(document: string): string[] {
  const folder = temporaryFolder();
  const file = join(folder, 'openapi.json');
  writeFileSync(file, document);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [CLI, 'lint', '--config', 'test/contract/redocly.yaml', '--format', 'json', file],
    {
      encoding: 'utf8',
      // It must neither look for a newer one of itself nor tell anybody that it ran.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  const { problems } = JSON.parse(stdout || `{ "problems": [{ "ruleId": ${JSON.stringify(stderr)} }] }`) as {
    problems: { ruleId: string; location?: { pointer?: string }[] }[];
  };
  return problems.map(({ ruleId, location }) => `${ruleId} ${location?.[0]?.pointer ?? ''}`.trim());
}

test('a linter finds no problem in what `waybill schema --openapi` prints', async () => {
  const { run } = await createRig();
  const { exitCode, stdout } = await run('schema --openapi');
  expect([exitCode, lint(stdout)]).toEqual([0, []]);
});

// For each rule that we rely on, a document that breaks it.
// biome-ignore lint/suspicious/noExplicitAny: the test breaks it anywhere.
const BREAKS: Readonly<Record<string, (document: any) => void>> = {
  'info-license': ({ info }) => delete info.license,
  'operation-operationId': ({ paths }) => delete paths['/v1/shipments'].post.operationId,
  'operation-summary': ({ paths }) => delete paths['/v1/shipments'].post.summary,
  'operation-description': ({ paths }) => delete paths['/v1/shipments'].post.description,
  'operation-4xx-response': ({ paths }) => {
    const { responses } = paths['/v2/shipments'].post;
    for (const status of [400, 401]) delete responses[status];
  },
  'no-invalid-media-type-examples': ({ paths }) => {
    const { content } = paths['/v1/shipments'].post.requestBody;
    content['application/json'].examples.full.value.chargeableWeight = 'much';
  },
  'no-ambiguous-paths': ({ paths }) => {
    paths['/v1/{things}/proposal'] = { get: paths['/v1/shipments/{shipmentId}'].get };
  },
  'path-parameters-defined': ({ paths }) => paths['/v1/shipments/{shipmentId}'].get.parameters.pop(),
  'no-empty-servers': document => delete document.servers,
  'security-defined': ({ components }) => delete components.securitySchemes.token,
  'no-unused-components': ({ components }) => {
    components.schemas = { Nobody: { type: 'object' } };
  },
  'tag-description': ({ tags }) => delete tags[0].description,
  'operation-tag-defined': ({ tags }) => tags.pop(),
  struct: ({ paths }) => {
    paths['/v1/shipments'].post.sumary = 'a word that OpenAPI does not know';
  },
};

test.runIf(FULL)('the linter finds a problem in every document that breaks a rule', () => {
  const document: unknown = JSON.parse(JSON.stringify(openapi('1.2.3')));
  for (const spoil of Object.values(BREAKS)) spoil(document);
  const found = lint(JSON.stringify(document)).map(problem => problem.split(' ')[0]);
  expect(Object.keys(BREAKS).filter(rule => !found.includes(rule))).toEqual([]);
});
