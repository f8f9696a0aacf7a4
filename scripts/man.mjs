// Writes the man pages of the command into a folder; what they say is the same as what `--help` says.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export async function writeManPages(folder) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  // Beside the pages, so that the packages it needs are found from there.
  const maker = join(folder, 'make.mjs');
  await build({
    entryPoints: ['src/program/man.ts'],
    outfile: maker,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    define: { WAYBILL_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  });
  try {
    const { manPages } = await import(pathToFileURL(maker).href);
    mkdirSync(folder, { recursive: true });
    const pages = await manPages({ version, date: today() });
    for (const [name, text] of pages) writeFileSync(join(folder, name), text);
    listPages([...pages.keys()].sort().map(name => `${folder}/${name}`));
  } finally {
    rmSync(maker, { force: true });
  }
}

/** npm links the pages that package.json lists when it installs; a folder of pages it does not link. */
function listPages(man) {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  if (manifest.man.join() !== man.join())
    writeFileSync('package.json', `${JSON.stringify({ ...manifest, man }, null, 2)}\n`);
}

/** The date of the build, or of the source if every build must give the same result. */
function today() {
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  return new Date(epoch ? Number(epoch) * 1000 : Date.now()).toISOString().slice(0, 10);
}
