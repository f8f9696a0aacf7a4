import type { Issue } from '../contract/operation.ts';
import { isRecord } from '../contract/paths.ts';
import { parseJson } from '../json.ts';
import { createRedactor } from '../mask.ts';

// The service document does not show the shape of an error body: find the service's own message in any.

const MESSAGE_KEYS = 'message error_description detail error title description reason msg'.split(' ');
const LIST_KEYS = 'errors details detail issues violations fields message error data'.split(' ');
const PATH_KEYS = 'path field property loc param key name'.split(' ');
const LONGEST = 400;
const MOST_ISSUES = 50;
const MOST_SENTENCES = 5;
/** The title of a web page is searched in this much of it. */
const PAGE_HEAD = 10_000;

/** The service's own message, as one sentence; empty if there is none to read. */
export function serviceMessage(text: string, json = parseJson(text)): string {
  const words = json === undefined ? plainWords(text) : (sentence(json, 0) ?? issueWords(json));
  return oneLine(words);
}

const REASON = /(reason|message|error|warning)s?$/i;

/** Why the service says no in an answer that is none: what any field with such a name says; empty if there is none. */
export function reasonIn(value: unknown): string {
  if (!isRecord(value)) return '';
  const words = Object.entries(value).flatMap(([name, field]) =>
    REASON.test(name) ? (sentence(field, 0) ?? []) : [],
  );
  return oneLine([...new Set(words)].join('; '));
}

function oneLine(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

const issueWords = (json: unknown): string =>
  issuesOf(json)
    .slice(0, MOST_SENTENCES)
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ');

// It may be JSON that was cut off, with a secret in it.
const plainWords = (text: string): string =>
  pageWords(text) ?? createRedactor({}).body(text.slice(0, PAGE_HEAD));

/** `a web page: Sign in`; `undefined` for other text. */
export function pageWords(text: string): string | undefined {
  const head = text.slice(0, PAGE_HEAD);
  if (!/^\s*<|<html/i.test(head)) return undefined;
  const title = /<title[^>]*>([^<]*)/i.exec(head)?.[1] ?? /<h1[^>]*>([^<]*)/i.exec(head)?.[1];
  return title === undefined ? 'a web page in place of an answer' : `a web page: ${oneLine(title)}`;
}

function sentence(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth > 4) return undefined;
  if (Array.isArray(value)) {
    const all = value.flatMap(entry => sentence(entry, depth + 1) ?? []);
    return all.length > 0 ? all.slice(0, MOST_SENTENCES).join('; ') : undefined;
  }
  if (!isRecord(value)) return undefined;
  for (const key of [...MESSAGE_KEYS, ...LIST_KEYS]) {
    const found = Object.hasOwn(value, key) ? sentence(value[key], depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Issues of single fields, if the body lists them: `{path|field|…, message|…}`, or `{field: [message]}`. */
export function issuesOf(json: unknown, depth = 0): Issue[] {
  if (!isRecord(json) || depth > 3) return [];
  for (const key of LIST_KEYS) {
    const list = Object.hasOwn(json, key) ? json[key] : undefined;
    const issues = Array.isArray(list) ? list.flatMap(issueOf) : mapIssues(key, list);
    if (issues.length > 0) return issues.slice(0, MOST_ISSUES);
    const inner = issuesOf(list, depth + 1);
    if (inner.length > 0) return inner;
  }
  return [];
}

function issueOf(entry: unknown): Issue[] {
  if (!isRecord(entry)) return [];
  const path = PATH_KEYS.map(key => pathOf(entry[key])).find(found => found !== undefined);
  const message = sentence(entry, 2);
  return path === undefined || message === undefined ? [] : issue(path, message);
}

/** `zip`, or `["items", 0, "zip"]`. */
function pathOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const plain = (part: unknown) => typeof part === 'string' || typeof part === 'number';
  return Array.isArray(value) && value.every(plain) ? value.join('.') : undefined;
}

function mapIssues(key: string, value: unknown): Issue[] {
  if (key !== 'errors' || !isRecord(value)) return [];
  return Object.entries(value).flatMap(([path, entry]) => {
    const message =
      Array.isArray(entry) && entry.every(part => typeof part === 'string') ? entry.join('; ') : entry;
    return typeof message === 'string' ? issue(path, message) : [];
  });
}

function issue(path: string, message: string): Issue[] {
  const line = oneLine(message);
  return line === '' ? [] : [{ path: oneLine(path), message: line }];
}
