// The token command of docs/your-service.md that needs no stored secret, as it stands there.
import { chmodSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { notInstalled, titled } from '../../rig/needs.ts';
import { SECRET } from '../../rig/oracles.ts';
import { bareRig } from '../../rig/profile.ts';
import { http, rawServer } from '../../rig/sockets.ts';

const SCRIPT = /^cat > waybill-token\.sh <<'SCRIPT'\n(.*?)^SCRIPT$/ms;

const cannot = notInstalled('curl', 'jq');

/** A rig whose profile has that token command, a CI system and an identity provider. */
async function job(answers: { identity?: string; token?: string } = {}) {
  const { identity = '{"value":"token of+the&job"}', token = `{"access_token":"${SECRET}"}` } = answers;
  const { url, requests } = await rawServer((socket, request) =>
    socket.end(http(200, request.startsWith('GET /identity') ? identity : token, { connection: 'close' })),
  );
  const rig = await bareRig({
    env: {
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret-of-the-job',
      ACTIONS_ID_TOKEN_REQUEST_URL: new URL('/identity?api-version=2', url).href,
      EXCHANGE_URL: new URL('/exchange', url).href,
    },
  });
  const [, script = ''] = SCRIPT.exec(readFileSync('docs/your-service.md', 'utf8')) ?? [];
  chmodSync(rig.file('waybill-token.sh', script), 0o755);
  await rig.run(`profile add ci --base-url ${rig.address} --token-command ./waybill-token.sh`);
  return { rig, requests };
}

test.skipIf(cannot)(
  titled('a job exchanges the token that its CI system gives it for one of the service', cannot),
  async () => {
    const { rig, requests } = await job();
    const ran = await rig.run('track gone');
    expect([ran.exitCode, ran.requests[0]?.headers.authorization]).toEqual([4, `Bearer ${SECRET}`]);
    const [identity = '', exchange = ''] = requests;
    expect(identity).toMatch(/^GET \/identity\?api-version=2&audience=waybill HTTP/);
    expect(identity).toMatch(/^authorization: Bearer secret-of-the-job\r$/im);
    expect(exchange).toMatch(/^POST \/exchange HTTP/);
    const body = new URLSearchParams(exchange.slice(exchange.indexOf('\r\n\r\n') + 4));
    expect(Object.fromEntries(body)).toEqual({
      subject_token: 'token of+the&job',
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    });
  },
);

test
  .skipIf(cannot)
  .each([{ identity: '{"message":"not allowed"}' }, { token: '{"error":"denied"}' }, { token: '' }])(
  titled('an answer without a token (%j) ends the command before anything is sent', cannot),
  async answers => {
    const { rig } = await job(answers);
    const ran = await rig.run('track gone');
    expect([ran.exitCode, ran.requests]).toEqual([3, []]);
    expect(ran.stderr).toContain('the token command of profile ci failed');
  },
);
