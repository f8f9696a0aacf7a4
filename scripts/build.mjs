// One CommonJS bundle whose inner modules stay lazy: on Node 20 it starts faster than ES modules or the
// unbundled tree. `libsql` stays outside because it picks its native binary at run time.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

await build({
  entryPoints: { waybill: 'src/main.ts' },
  outdir: 'dist',
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
});
