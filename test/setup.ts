import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what files of tests share; it goes away with the run. */
    scratch: string;
  }
}

export default function setup(project: TestProject): () => void {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-tests-'));
  project.provide('scratch', scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
}
