import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what files of tests share; it goes away with the run. */
    scratch: string;
  }
}

const MEMORY = '/dev/shm';
/** More than the tests need at one time, in bytes. */
const ENOUGH = 4 * 2 ** 30;

/**
 * In memory where the machine has room for it: thousands of journals are synced to it, and no test waits for a disk. Which
 * syncs there are is what the tests of a power loss count, on any disk.
 */
export default function setup(project: TestProject): () => void {
  if (process.env.TMPDIR === undefined && hasRoom()) process.env.TMPDIR = MEMORY;
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-tests-'));
  project.provide('scratch', scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
}

/** Is it large, and can programs be run from it? */
function hasRoom(): boolean {
  const probe = join(MEMORY, `waybill-probe-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    writeFileSync(probe, '', { mode: 0o755 });
    accessSync(probe, constants.X_OK);
    return bavail * bsize > ENOUGH;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}
