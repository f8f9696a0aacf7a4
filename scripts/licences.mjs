// The licences of the packages whose code or data is in the bundle: each asks that its text comes along.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages whose data scripts/data.mjs writes into the source, where esbuild does not see it. */
const DATA = ['cldr-core', 'libphonenumber-js'].map(name => `node_modules/${name}`);

/** A package may have one of its own and one of what it contains, as `LICENSE_FONT`. */
const TEXT = /^(licen[cs]e|copying|notice)(?![a-z])/i;
const README = /^readme\b/i;
/** What a readme says under its last heading, if that is about the licence and has a text of one. */
const LAST_PART =
  /^#+ *licen[cs]e *\n((?:(?!^#)[\s\S])*permission is hereby granted(?:(?!^#)[\s\S])*)$(?![\s\S])/im;
const RULE = '='.repeat(80);

/** The folders of the packages of which something is in the outputs of a metafile of esbuild. */
export function packagesIn({ outputs }) {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  // The last one: a package may have packages of its own.
  const folders = files.flatMap(path => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set([...folders, ...DATA])];
}

/** One document with the licence of each of these folders. Throws for a package without a licence text. */
export const licencesOf = folders =>
  `waybill contains the software and data below.\n\n${folders.map(licenceOf).sort().join('\n')}`;

function licenceOf(folder) {
  const { name, version, license, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const textOf = file => readFileSync(join(folder, file), 'utf8');
  const files = readdirSync(folder);
  const texts = files.filter(file => TEXT.test(file)).map(textOf);
  if (texts.length === 0)
    texts.push(
      ...files.filter(file => README.test(file)).flatMap(file => LAST_PART.exec(textOf(file))?.[1] ?? []),
    );
  if (texts.length === 0)
    throw new Error(
      `${name} ${version} is in the bundle, but ${folder} has no licence text. Use a package that has one`,
    );
  // Some licences want that it is said where the source is.
  return section(`${name} ${version} (${license})\n${repository?.url ?? repository ?? ''}`, texts);
}

/** The licence of one piece of software, with the rule that parts it from others. */
export const section = (title, texts) =>
  [RULE, title, RULE, '', ...texts.map(text => `${text.replaceAll('\r\n', '\n').trim()}\n`)].join('\n');
