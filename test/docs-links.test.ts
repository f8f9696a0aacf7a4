// What the Markdown files lead to is there: pages, headings and pictures. The README is short, and begins with what a
// stranger types first.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const PAGES = ['.', 'docs'].flatMap(folder =>
  readdirSync(folder)
    .filter(name => name.endsWith('.md'))
    .map(name => join(folder, name)),
);

const textOf = (page: string): string => readFileSync(page, 'utf8');
const withoutBlocks = (markdown: string): string => markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** The names that a site gives to the headings of a page. */
const headingsOf = (markdown: string): string[] =>
  [...withoutBlocks(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The links of a page that lead nowhere. */
function brokenIn(page: string, markdown: string): string[] {
  const targets = [...withoutBlocks(markdown).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(
    ([, target = '']) => target,
  );
  return targets.filter(target => {
    const [path = '', heading] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(file)) return true;
    return heading !== undefined && !headingsOf(path === '' ? markdown : textOf(file)).includes(heading);
  });
}

test.each(PAGES)('%s leads to pages, headings and pictures that there are', page => {
  expect(brokenIn(page, textOf(page))).toEqual([]);
});

test('a link to a page or a heading that is not there is found', () => {
  const page =
    '# Here\n[a](nowhere.md) [b](#here) [c](#there) [d](README.md#commands) [e](README.md#no-codes)';
  expect(brokenIn('README.md', page)).toEqual(['nowhere.md', '#there', 'README.md#no-codes']);
});

test('the README lists each page of docs/, in the order in which each page names the next one', () => {
  const [, list = ''] = textOf('README.md').split('## Where to look\n');
  const listed = [...list.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, page = '']) => page);
  expect([...listed].sort()).toEqual(PAGES.filter(name => name.startsWith('docs/')).sort());
  const nextOf = (page: string) =>
    /\nNext: \[.+\]\(([\w-]+\.md)\).*\n$/.exec(textOf(page))?.[1]?.replace(/^/, 'docs/');
  expect(listed.slice(0, -1).map(nextOf)).toEqual(listed.slice(1));
});

test('the README is short, and begins with the two commands that a stranger types', () => {
  const readme = textOf('README.md');
  expect(readme.trimEnd().split('\n').length).toBeLessThan(250);
  expect(/^```.*\n([\s\S]*?)^```$/m.exec(readme)?.[1]).toBe('npm ci && npm run demo\nnpm test\n');
});

test('every workflow that a page shows can be read', () => {
  const shown = PAGES.flatMap(page => [...textOf(page).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]);
  expect(shown.length).toBeGreaterThan(1);
  for (const [, text = ''] of shown)
    expect(() => parse(text, { strict: true, uniqueKeys: true })).not.toThrow();
});

test('no page installs or runs waybill by its name alone: whoever holds it at the registry would run code', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const page of PAGES) {
    const text = textOf(page);
    expect(text, page).not.toMatch(/\b(?:npm (?:install|i|add|exec)|npx)\b[^\n`]* waybill\b/);
    for (const [, told] of text.matchAll(/waybill-(\d[\w.]*)\.tgz/g)) expect(told, page).toBe(version);
  }
});

/** The files that a page names, with a path or, behind a path of the same line, by their name alone. */
function missingFilesOf(page: string): string[] {
  const all = readdirSync('src', { recursive: true, encoding: 'utf8' });
  return textOf(page)
    .split('\n')
    .flatMap(line => {
      const named = [...line.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
      return named.filter(name =>
        /^(src|test|docs|scripts|fixtures|bench|bin|action|\.ci|\.github)\/|^[A-Z]+\.md$|\.mts$/.test(name)
          ? !existsSync(name) && !existsSync(`${name}.test.ts`)
          : /^[\w-]+\.ts$/.test(name) && !all.some(file => basename(file) === name),
      );
    });
}

test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])('the files that %s names are there', page => {
  expect(missingFilesOf(page)).toEqual([]);
});
