// How long another process waits to write to a database, measured by a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What `work` gives, and the longest time in ms for which another process had to wait for the lock of the database meanwhile. */
export async function watchLock(file, work) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const result = work();
    const longest = once(child.stdout, 'data');
    child.stdin.end();
    return { result, wait: Number(await longest) };
  } finally {
    // It ends with its stdin, also if the work failed.
    child.stdin.end();
  }
}

async function watch(file) {
  const Database = createRequire(import.meta.url)('libsql');
  const database = new Database(file, { timeout: 60_000 });
  let isOver = false;
  process.stdin.on('end', () => {
    isOver = true;
  });
  process.stdin.resume();
  process.stdout.write('begun\n');
  let longest = 0;
  while (!isOver) {
    const begun = performance.now();
    database.exec('BEGIN IMMEDIATE');
    database.exec('COMMIT');
    longest = Math.max(longest, performance.now() - begun);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  database.close();
  process.stdout.write(`${longest}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await watch(process.argv[2]);
