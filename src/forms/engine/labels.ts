// What a form calls the fields of a request, in its questions and in sentences about them.
import type { Form } from './form.ts';
import { askedAt, fieldIn, listElementOf, patternOf } from './state.ts';

export type Labels = Pick<Form, 'schema' | 'groupNames' | 'fields'>;

/** `Receiver: City`; `Item 2: HS code`. */
export const messageFor = (form: Labels, path: string, body: unknown): string =>
  ownerOf(form, path) + labelOf(form, path, body);

export function labelOf({ schema, fields }: Labels, path: string, body: unknown): string {
  const { title } = askedAt(fields, path);
  const own = typeof title === 'function' ? title(path, body) : title;
  return own ?? fieldIn(schema, path)?.description ?? path;
}

/** `Item 2: `; empty if the label alone says whose it is. */
function ownerOf({ groupNames }: Labels, path: string): string {
  const pattern = patternOf(path);
  const owner = Object.keys(groupNames)
    .filter(name => pattern.startsWith(`${name}.`))
    .sort((one, other) => other.length - one.length)[0];
  if (owner === undefined) return '';
  const number = owner.endsWith('[]') ? ` ${(listElementOf(path)?.index ?? 0) + 1}` : '';
  return `${groupNames[owner]}${number}: `;
}

const PATHS = /(?<![\w."])[a-z]\w*(?:\[\d+\])?(?:\.[a-z]\w*(?:\[\d+\])?)*(?![\w@])/g;
const WITHOUT_VALUE = ['object', 'list', 'map'];

/** A sentence about fields, with their names in the form in place of their paths: `Item 2: HS code is "x", …`. */
export function inWords(form: Labels, sentence: string, body: unknown): string {
  const [subject = ''] = sentence.split(' ');
  const isField = (path: string) => {
    const { kind } = fieldIn(form.schema, path) ?? { kind: 'object' };
    return !WITHOUT_VALUE.includes(kind);
  };
  return sentence.replace(PATHS, (written, at: number) => {
    // A word that is not written like a path is one only at the beginning.
    if (at > 0 && !/[.A-Z]/.test(written)) return written;
    const path = [written, `${subject}.${written}`].find(isField);
    if (path === undefined) return written;
    // What explains a label is no part of a sentence.
    const [label = ''] = labelOf(form, path, body).split(/[:;,(]/);
    return ownerOf(form, path) + label.trim();
  });
}
