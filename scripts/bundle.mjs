// How the command is bundled: one CommonJS file whose inner modules stay lazy. On Node 20 it starts faster than ES
// modules or the unbundled tree. `libsql` stays outside because it picks its native binary at run time.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

/** Writes `waybill.cjs` into a folder; plugins and the like come on top. */
export function bundle(outdir, more = {}) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  return build({
    entryPoints: { waybill: 'src/main.ts' },
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: ['libsql'],
    define: { WAYBILL_VERSION: JSON.stringify(version) },
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    ...more,
  });
}
