// The pictures of docs/ are what a person sees. `npm run build && npm run pictures` takes them again; look at what changed
// before you keep it.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtCommand } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { FULL } from '../torture/size.ts';

const command = builtCommand();

const picturesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter(name => name.endsWith('.svg'))
    .sort();

test.runIf(FULL)('the pictures of docs/ show what the command prints today', async () => {
  const folder = temporaryFolder();
  await promisify(execFile)(process.execPath, ['scripts/pictures.mjs', folder, command()]);
  expect(picturesIn('docs')).toEqual(picturesIn(folder));
  for (const name of picturesIn(folder))
    expect
      .soft(saidIn(join('docs', name)), `${name}: npm run build && npm run pictures`)
      .toBe(saidIn(join(folder, name)));
});

test('a picture is small, has a title, and has a text alternative', () => {
  const pages = ['README.md', ...readdirSync('docs').map(name => `docs/${name}`)]
    .filter(name => name.endsWith('.md'))
    .map(name => readFileSync(name, 'utf8'))
    .join('\n');
  for (const name of picturesIn('docs')) {
    const path = join('docs', name);
    expect.soft(statSync(path).size, name).toBeLessThan(30_000);
    expect
      .soft(readFileSync(path, 'utf8'), name)
      .toMatch(/^<svg [^>]*role="img"[^>]*>\n<title id="title">\w.+<\/title>/);
    const shown = new RegExp(`!\\[[^\\]]{30,}\\]\\((?:docs/)?${name}\\)`);
    expect.soft(shown.test(pages), `${name} is shown by a page, with words in its place`).toBe(true);
  }
});

/** The title and the lines of a picture, but for what differs from run to run. */
const saidIn = (path: string): string =>
  readFileSync(path, 'utf8')
    .replace(/<tspan [^>]*>/g, '·')
    .replace(/<[^>]*>/g, '')
    .replace(/shp_\w+/g, 'shp_…')
    .replace(
      /\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d \d\d:\d\d|\d+ [A-Z][a-z]{2} \d\d:\d\d(?::\d\d)?/g,
      'WHEN',
    )
    // How far the run had come when it was seen.
    .replace(/\[#+-+\] \d+(?=\/)/, 'BAR')
    .replace(/\d+ in flight, [\d.]+\/s, .+ left, [\d.]+ EUR/, 'PACE');
