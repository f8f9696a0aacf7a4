// A PDF as another program reads it: with pdftotext and qpdf, which know nothing of what wrote it.
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { notInstalled } from './needs.ts';

/** Why tests that read a PDF are skipped, if they are. */
export const noReader = notInstalled('pdftotext', 'qpdf');

/** The text of each page, with blanks between columns as one. The file is checked, too. */
export function pageTexts(path: string): string[] {
  expect(execFileSync('qpdf', ['--check', path], { encoding: 'utf8' })).toContain('No syntax');
  const text = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' });
  return text
    .split('\f')
    .slice(0, -1)
    .map(page => page.replace(/[^\S\n]+/g, ' ').trim());
}
