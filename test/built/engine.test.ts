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

const LOSE = ['3.45.1', '3.44.5', '3.50.6', '3.51.2', '2.8.17'];
const BOOK = ['3.44.6', '3.50.7', '3.51.3', '3.53.0', '4.0.0'];

test.each([...LOSE, ...BOOK])('SQLite %s books, or is exit 10 and nothing is sent', async version => {
  const { run, server } = await slow(
    () => command,
    socket => socket.end(http(201, '{"id":"S-1"}')),
  );
  const { code, stdout, stderr } = await run(SHIP, { env: { TORTURE_SQLITE: version } }).ended;
  const books = BOOK.includes(version);
  expect([code, stdout !== '', server.requests.length]).toEqual(books ? [0, true, 1] : [10, false, 0]);
  if (!books)
    expect(stderr).toMatch(new RegExp(`written by SQLite ${version}, which can lose .*nothing was sent`));
});
