// Which versions of SQLite may keep a journal: one that loses what it has confirmed would book a key again.
import { beforeAll, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { SHIP, slow } from '../rig/process.ts';
import { http } from '../rig/sockets.ts';
import { OTHER_ENGINE } from '../torture/steps.ts';

let command: string;
beforeAll(async () => {
  command = await build([OTHER_ENGINE]);
});

test.each(['3.45.1', '3.44.5', '3.50.6', '3.51.2', '2.8.17'])(
  'SQLite %s is exit 10, and nothing is sent',
  async version => {
    const { run, server } = await slow(
      () => command,
      socket => socket.end(http(201, '{"id":"S-1"}')),
    );
    const ended = await run(SHIP, { env: { TORTURE_SQLITE: version } }).ended;
    expect(ended).toMatchObject({ code: 10, stdout: '' });
    expect(ended.stderr).toContain(
      `cannot be opened: it would be written by SQLite ${version}, which can lose what it has confirmed`,
    );
    expect(ended.stderr).toContain('nothing was sent');
    expect(server.requests).toEqual([]);
  },
);

test.each(['3.44.6', '3.50.7', '3.51.3', '3.53.0', '4.0.0'])('SQLite %s books', async version => {
  const { run, server } = await slow(
    () => command,
    socket => socket.end(http(201, '{"id":"S-1"}')),
  );
  expect(await run(SHIP, { env: { TORTURE_SQLITE: version } }).ended).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(1);
});
