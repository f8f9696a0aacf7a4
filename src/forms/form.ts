// The data of a form: what its command says of it, what a person has entered, and the question for one field. `fill.ts` asks.

import Big from 'big.js';
import { countryName, findCountries } from '../contract/country-names.ts';
import { getAt, isRecord, type Path, parsePath, pathsOf, setAt, textAt } from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, type Issue, type Schema } from '../contract/shapes.ts';
import type { Check, Choice, Entry, Question } from '../host/question.ts';
import { isReplacedWhole, layer, type RequestParts, valueFrom } from '../order/build.ts';
import { completeBody } from '../order/complete.ts';
import { doubtAt, doubtsOf, takenCodes } from '../order/doubts.ts';
import * as phones from '../order/phone.ts';
import { isDiallingCode, isPlain, normalCode, phoneAt } from '../order/phone-fields.ts';
import type { FieldDoubt } from '../say/notices.ts';
import { personWords } from '../say/person.ts';
import { doubtText } from '../say/request.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';

// What a command says of its form.

/** What the form of one operation asks for. Patterns are written as `fieldsOf` writes them: `packages[].weight`. */
export interface Form {
  schema: Schema;
  /** The fields that are asked for, in the order in which a person thinks of them. */
  fields: AskedFields;
  /** What questions call the owner of a field, by the owner's pattern: `sender` -> `Sender`, `packages[]` -> `Package`. */
  groupNames: Readonly<Record<string, string>>;
  /** Optional fields that are asked for anyway, so that a person sees what is assumed. */
  alwaysAsk?: readonly string[];
  /** Optional fields that a carrier may require. */
  carrierFields?: readonly string[];
  /** Required fields that may be left out because they are filled in after the form. */
  suppliedLater?: readonly string[] | undefined;
  /** Gives the body with a carrier's id in place of `cheapest` or `fastest`, so that the rules for that carrier apply. */
  resolve?: ((body: unknown) => Promise<unknown>) | undefined;
  /** Custom questions by pattern: for a field, or for a whole object or list element, before its fields are asked for one by one. */
  customQuestions?: Readonly<
    Record<string, (path: string, body: unknown) => Promise<CustomQuestion | undefined>>
  >;
  /** Gives the review page; absent: the form is submitted as soon as nothing is missing. `typedBody`: the body before its completion. */
  review?(body: unknown, typedBody: unknown): Promise<Review>;
  /** The carrier proposals that the person has seen for this body, so that they are not requested again. */
  proposals?(body: unknown): unknown;
}

/** The fields that are asked for, by their patterns. */
export type AskedFields = Readonly<Record<string, AskedField>>;

/** What a form says of a field beyond the contract. `body` is the request so far. */
interface AskedField {
  /** What the question calls the field: shorter than in help, and with the unit or the currency that applies. */
  title?: string | ((path: string, body: unknown) => string);
  /** What the field is, where a person finds its value, and what to do without it. */
  hint?: string;
  usual?: string | undefined;
  /** The value that follows from other fields, and changes with them. */
  derived?(path: string, body: unknown): string | undefined;
  /** The derived value is taken without a question; the review shows it. */
  follows?: true;
  /** The path of a field, or of an object, whose answer may give this field a value, so that this field is not asked for. */
  waitsFor?(path: string): string;
}

/** A question that stands for more than one field, or knows more about its field than the contract does. */
export interface CustomQuestion {
  question: Question;
  /** The value for an answer; `undefined`: the answer gives no value, and the question is not asked again. */
  parse(answer: string): unknown;
}

export interface Review {
  /** The lines of the page above the list of what can be changed. */
  summary: readonly string[];
  /** What is probably wrong with the request: sentences that name fields by their paths. */
  warnings?: readonly string[];
  lines: readonly ReviewLine[];
  /** The name of the choice that submits the form: `Book it for 22.50 EUR`. */
  submitLabel: string;
  /** The choices beside submitting; by default to save the request, to keep the draft, or to discard it. */
  otherChoices?: readonly (Choice & { value: FormDecision })[];
}

export interface ReviewLine {
  label: string;
  /** What a person changes who picks the line: a field, or an object or list with its fields. */
  path: string;
  /** What the line shows; absent: the value at the path. */
  text?: string | undefined;
  /** Why the request cannot be sent like this. */
  problem?: string | undefined;
}

/** Makes the form of a command; `start` is the body before the first question. */
export type MakeForm = (session: Session, parts: RequestParts, start: unknown) => Form;

/** How a person ends a form. `swap`: an order that began as a copy of an earlier order becomes the way back of that order. */
export type FormDecision = 'submit' | 'swap' | 'save' | 'leave' | 'discard';

/** A form, and what it needs from the command around it. */
export interface FormContext {
  form: Form;
  /** The values of the profile; entered values replace them. */
  defaults: unknown;
  /** The request without customs numbers that do not hold for it. `typedBody`: the entered values. */
  placed?(body: unknown, typedBody: unknown): unknown;
  /** `true`: submitting shows the request, and sends nothing. */
  dryRun?: boolean;
  /** The key of the booking, if the command line gives one. */
  givenKey?: string | undefined;
  /** Says what is wrong with an entered key; absent: the form asks for no key. */
  checkKey?: Check | undefined;
  validate(body: unknown): Issue[];
  /** May the value at a path be asked for? Not a customs number that the request may not declare: its carrier is the wrong one. */
  mayAsk(path: string, body: unknown): boolean;
  ask(question: Question): Promise<Entry>;
  /** Keeps the answers, so that they outlive this process. */
  keep(entered: Entered): void;
}

/** What a person has entered so far. */
export interface Entered {
  /** What flags, file and answers give, without the profile's defaults. */
  body: unknown;
  /** The key of the booking; '': no key; `undefined`: not asked for yet. */
  key?: string;
  /** Lists that are being filled, each with the index of its current element. */
  open: Readonly<Record<string, number>>;
  /** Paths whose question was answered without a value for the body: "type the details", or "no carrier yet". */
  settled: readonly string[];
  /** What the service refused, in its own words. */
  refused: readonly Issue[];
  /** The path of the review line that is being changed, then those of the places inside of it, down to what is asked now. */
  changing: readonly string[];
  /** The path of the review line that was changed last. */
  changed?: string;
  /** The answers that Esc took back, by the ids of their questions: each is offered again as the default. */
  takenBack: Readonly<Record<string, string>>;
}

export const enteredIn = (body: unknown): Entered => ({
  body,
  open: {},
  settled: [],
  refused: [],
  changing: [],
  takenBack: {},
});

// The question for one field.

/** The value that a field has already is edited in the question; an optional value can be emptied. */
export function fieldQuestion(context: FormContext, entered: Entered, path: string): Question {
  const { form } = context;
  const field = fieldIn(form.schema, path);
  const body = currentBody(context, entered);
  const current = givenValue(context, entered, path);
  const value = current === undefined ? undefined : String(current);
  const suggestion = entered.takenBack[path] ?? suggestionAt(form, path, body);
  const defaultAnswer = value ?? suggestion;
  const base = {
    id: path,
    message: messageFor(form, path, body),
    hint: hintOf(refusalHint(entered, path), askedAt(form.fields, path).hint),
  };
  // The service document allows any text as a country of origin; a list of countries is easier to answer.
  if (field?.kind === 'country' || field?.means === 'country')
    return {
      ...base,
      kind: 'search',
      // Without a default Enter alone must not pick the first of all countries.
      find: async term => (term === '' && defaultAnswer === undefined ? [] : countryChoices(term)),
      defaultAnswer,
    };
  if (field?.values || field?.kind === 'boolean')
    return {
      ...base,
      kind: 'choice',
      choices: valueChoices(field),
      defaultAnswer,
      isOpen: field.required && defaultAnswer === undefined,
    };
  return {
    ...base,
    kind: 'text',
    defaultAnswer: value === undefined ? suggestion : undefined,
    value,
    check: answerCheck(context, entered, path),
  };
}

/** The custom question, with what the service said of the field, and with the current or the previous answer as the default. */
export function withCurrentAnswer(
  context: FormContext,
  entered: Entered,
  path: string,
  question: Question,
): Question {
  const hint = hintOf(refusalHint(entered, path), question.hint);
  const current = givenValue(context, entered, path);
  const defaultAnswer = typeof current === 'string' ? current : entered.takenBack[question.id];
  const isAvailable =
    defaultAnswer !== undefined &&
    (question.kind !== 'choice' ||
      question.choices.some(({ value, disabled }) => value === defaultAnswer && disabled === undefined));
  return { ...question, hint, ...(isAvailable && { defaultAnswer }) };
}

/** What the service said when it refused the field, a line for each message. */
const refusalHint = (entered: Entered, path: string): string | undefined =>
  entered.refused
    .filter(issue => issue.path === path)
    .map(({ message }) => `The service: ${message}`)
    .join('\n') || undefined;

const hintOf = (...hints: (string | undefined)[]) => hints.filter(Boolean).join('\n') || undefined;

const countryChoices = (term: string): Choice[] =>
  findCountries(term).map(({ code, name }) => ({ value: code, name: `${name} (${code})` }));

function valueChoices(field: Field): Choice[] {
  const choices = Object.entries(field.values ?? { true: '', false: '' }).map(([value, description]) => ({
    value,
    name: description === '' ? value : `${value} (${description})`,
  }));
  return field.required ? choices : [...choices, { value: '', name: 'leave it out' }];
}

// A number whose comma is not clear: `1,234` may be 1.234 or 1234. `0,250` can only be 0.250.
const UNCLEAR_COMMA = /^[1-9]\d{0,2},\d{3}$/;

/** By how the name of a field ends: the unit of its question, the smaller unit that a person may write, and the factor between both. */
const UNITS: readonly { of: RegExp; unit: RegExp; smaller: RegExp; parts: number }[] = [
  { of: /weight$/i, unit: /\s*kg$/i, smaller: /\s*(g|gr|gram|gramm|grams)$/i, parts: 1000 },
  { of: /(length|width|height)$/i, unit: /\s*cm$/i, smaller: /\s*mm$/i, parts: 10 },
];

/** An answer without its unit, in the unit of the question: `1,25 kg` -> `1,25`, `1250 g` -> `1.25`, `300 mm` -> `30`. */
function withoutUnit(path: string, text: string): string {
  const known = UNITS.find(({ of }) => of.test(path));
  if (known === undefined) return text;
  const number = text.replace(known.smaller, '');
  if (number === text || !/^\d+([.,]\d{1,2})?$/.test(number)) return text.replace(known.unit, '');
  return String(Big(number.replace(',', '.')).div(known.parts));
}

/** The text that an answer stands for: `1.2` for `1,2`, `+49` for `0049`, a phone number as it is dialled behind its code. */
function readAnswer(context: FormContext, entered: Entered, path: string, answer: string): string {
  const text = withoutUnit(path, answer.trim());
  const { kind, means } = fieldIn(context.form.schema, path) ?? {};
  if (kind === 'number' && !UNCLEAR_COMMA.test(text)) return text.replace(/^(\d*),(\d+)$/, '$1.$2');
  if (means === 'dialling code' && isDiallingCode(text)) return normalCode(text);
  if (means === 'currency' && /^[a-z]{3}$/i.test(text)) return text.toUpperCase();
  if (means !== 'phone number') return text;
  return textAt(currentBody(context, setValue(context, entered, path, text)), path) ?? text;
}

/** The value for what was typed or picked; `undefined`: an optional field is left out. */
export function parseAnswer(context: FormContext, entered: Entered, path: string, answer: string): unknown {
  const { form } = context;
  const value = valueFrom(fieldIn(form.schema, path), readAnswer(context, entered, path, answer));
  return value === '' && isOptional(form, path) ? undefined : value;
}

export const isOptional = (form: Form, path: string): boolean =>
  fieldIn(form.schema, path)?.required === false || form.suppliedLater?.includes(path) === true;

/** Refuses a wrong answer. An unlikely answer is doubted once: the same answer again is accepted. */
function answerCheck(context: FormContext, entered: Entered, path: string): Check {
  const { form } = context;
  let doubted: string | undefined;
  return async answer => {
    const text = withoutUnit(path, answer.trim());
    if (fieldIn(form.schema, path)?.kind === 'number' && UNCLEAR_COMMA.test(text))
      return `It may be ${text.replace(',', '.')} or ${text.replace(',', '')}: type the one that you mean`;
    const value = parseAnswer(context, entered, path, answer);
    // A quantity that is no whole number is a slip of the finger.
    if (/quantity$/.test(path) && typeof value === 'number' && !Number.isInteger(value))
      return `It must be a whole number, not ${shown(text)}`;
    const body = currentBody(context, setValue(context, entered, path, value));
    const issues = context.validate(body);
    // Once the carrier is known, its rules may require the field that is left out.
    const resolved = issues.length === 0 && value === undefined ? await form.resolve?.(body) : undefined;
    if (resolved !== undefined) issues.push(...context.validate(resolved));
    const issue = issues.find(candidate => candidate.path === path);
    if (issue !== undefined) {
      const { message, suggestion } = issue;
      return `It ${message}${suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`}`;
    }
    // In a list of goods that is pasted, a second line break puts the next description here: without this check it would be kept.
    if (text !== '' && fieldIn(form.schema, path)?.means === 'HS code' && !/\d/.test(text))
      return `It must be a number of the customs tariff, such as 610910, not ${shown(text)}`;
    if (text === '' || answer === doubted) return undefined;
    // The doubts below do not prevent the answer: the same answer again is kept.
    const typed = givenBody(context, setValue(context, entered, path, text));
    const doubts = [...takenCodes(typed, body), ...doubtsIn(form.schema, body)];
    const doubt = doubts.find(candidate => candidate.path === path);
    if (doubt === undefined) return undefined;
    doubted = answer;
    return `This ${personWords(doubtText(doubt))}. Enter again keeps your answer`;
  };
}

/** What is doubtful about a request, or about a saved party, which is a body by itself. */
export const doubtsIn = (schema: Schema, body: unknown): FieldDoubt[] => [
  ...doubtsOf(schema, body, phones),
  ...unlikelyPhones(schema, body),
];

/** Phone numbers that are not possible, in plain digits: only a form doubts them, because a person may just have left a digit out. */
function unlikelyPhones(schema: Schema, body: unknown): FieldDoubt[] {
  const numbers = fieldsOf(schema).filter(({ means }) => means === 'phone number');
  return numbers.flatMap(({ pattern: path }) => {
    const phone = phoneAt(path, body);
    const { code, number } = phone;
    if (code === undefined || number === undefined || !isDiallingCode(code) || !isPlain(phone)) return [];
    const read = phones.readPhone(number, phone);
    if (typeof read !== 'string' && read.isPossible) return [];
    const example = phones.phoneExample(phone);
    return [doubtAt(path, { doubt: 'unlike', text: number, like: 'phone-number', example, code })];
  });
}

/** Does a path lead to a single field (no object, no list) whose parent is in the body? */
export function isAskable(form: Form, body: unknown, path: string): boolean {
  const field = fieldIn(form.schema, path);
  return (
    field !== undefined &&
    !['object', 'list', 'map'].includes(field.kind) &&
    getAt(body, pathOf(path).slice(0, -1)) !== undefined
  );
}

/** The value at a path, for people. */
export function displayValue(form: Form, path: string, body: unknown): string {
  const value = getAt(body, path);
  if (value === undefined || value === '') return '';
  const isCountry = fieldIn(form.schema, path)?.kind === 'country';
  return isCountry ? `${countryName(String(value))} (${value})` : String(value);
}

// What a form calls the fields of a request, in its questions and in sentences about them.

type Labels = Pick<Form, 'schema' | 'groupNames' | 'fields'>;

/** What a question calls a field: `Receiver: City`; `Item 2: HS code`. */
export const messageFor = (form: Labels, path: string, body: unknown): string =>
  ownerOf(form, path) + fieldLabel(form, path, body);

export function fieldLabel(labels: Labels, path: string, body: unknown): string {
  const { title } = askedAt(labels.fields, path);
  const words = typeof title === 'function' ? title(path, body) : title;
  return words ?? fieldIn(labels.schema, path)?.description ?? path;
}

/** The owner of a field in front of its label: `Item 2: `; empty if the label alone says whose field it is. */
function ownerOf(labels: Labels, path: string): string {
  const pattern = patternOf(path);
  const owner = Object.keys(labels.groupNames)
    .filter(name => pattern.startsWith(`${name}.`))
    .sort((first, second) => second.length - first.length)[0];
  if (owner === undefined) return '';
  const number = owner.endsWith('[]') ? ` ${(listElement(path)?.index ?? 0) + 1}` : '';
  return `${labels.groupNames[owner]}${number}: `;
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
    // A plain word is taken for a path only at the beginning of the sentence.
    if (at > 0 && !/[.A-Z]/.test(written)) return written;
    const path = [written, `${subject}.${written}`].find(isField);
    if (path === undefined) return written;
    // Of a label that has an explanation behind it, a sentence has only the label.
    const [label = ''] = fieldLabel(form, path, body).split(/[:;,(]/);
    return ownerOf(form, path) + label.trim();
  });
}

// Paths such as `packages[1].weight`: what the body holds there, and how it is changed.

export const patternOf = (path: string): string => path.replace(/\[\d+\]/g, '[]');

export const pathOf = (written: string): Path => parsePath(written) ?? [];

export const fieldIn = (schema: Schema, path: string): Field | undefined => fieldAt(schema, pathOf(path));

export const askedAt = (fields: AskedFields, path: string): AskedField => fields[patternOf(path)] ?? {};

export const isInside = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);

/** The list element that a path is in: `packages[1].weight` -> `packages`, 1 and `packages[1]`. */
export function listElement(path: string): { list: string; index: number; element: string } | undefined {
  const [element, list, index] = /^(.+?)\[(\d+)\]/.exec(path) ?? [];
  return element && list ? { list, index: Number(index), element } : undefined;
}

/** The value that a form suggests for a field: derived from other fields, usual, or assumed. */
export function suggestionAt(form: Form, path: string, body: unknown): string | undefined {
  const { derived, usual } = askedAt(form.fields, path);
  return derived?.(path, body) ?? usual ?? fieldIn(form.schema, path)?.assumed?.toString();
}

/** The whole request so far: profile, flags, file and answers, completed. */
export function currentBody(context: FormContext, entered: Entered): unknown {
  const { form, defaults, placed } = context;
  const whole = phones.withReadPhones(completeBody(form.schema, layer(defaults, entered.body)));
  return placed ? placed(whole, entered.body) : whole;
}

/** The request as profile, flags, file and answers have it, before it is completed. */
export const givenBody = (context: FormContext, entered: Entered): unknown =>
  layer(context.defaults, entered.body);

/** The value at a path, unless it is only assumed. */
export const givenValue = (context: FormContext, entered: Entered, path: string): unknown =>
  getAt(givenBody(context, entered), path);

/** Sets the value at a path; `undefined` removes it. */
function setValue(context: FormContext, entered: Entered, path: string, value: unknown): Entered {
  const [top, ...inner] = pathOf(path);
  const { body } = entered;
  // The empty path is the whole request: the value gives some of its fields.
  if (top === undefined) return { ...entered, body: layer(body, value) };
  // An entered party or list replaces the profile's as a whole, so its other fields are copied from the profile. Customs numbers are not
  // copied: a copy would count as entered for this order, whatever its destination.
  const ofProfile = getAt(context.defaults, [top]);
  const isCopied =
    inner.length > 0 && getAt(body, [top]) === undefined && isReplacedWhole(String(top), ofProfile);
  const whole = isCopied ? setAt(body, [top], ofProfile) : body;
  const removed = removeAt(whole, pathOf(path)) ?? {};
  // A value that is removed would come back from the profile: it is emptied instead.
  const ofDefaults = getAt(context.defaults, path);
  const isEmptied =
    value === undefined &&
    ofDefaults !== undefined &&
    getAt(layer(context.defaults, removed), path) === ofDefaults;
  return {
    ...entered,
    body: value === undefined && !isEmptied ? removed : setAt(whole, pathOf(path), isEmptied ? '' : value),
    settled: entered.settled.filter(settled => settled !== path),
    refused: entered.refused.filter(issue => issue.path !== path && !issue.path.startsWith(`${path}.`)),
  };
}

/** Sets a value. A derived field whose value is still its old suggestion gets the new suggestion. */
export function changeValue(context: FormContext, entered: Entered, path: string, value: unknown): Entered {
  const { form } = context;
  const before = currentBody(context, entered);
  const next = setValue(context, entered, path, value);
  // A removed list element moves the others up: their derived fields stay as they are.
  const inElements = path.endsWith(']') ? `${patternOf(path)}.` : undefined;
  return Object.entries(form.fields)
    .flatMap(([pattern, { derived }]) => (derived ? [pattern] : []))
    .filter(pattern => inElements === undefined || !pattern.startsWith(inElements))
    .flatMap(pattern => pathsOf(pattern, currentBody(context, next)))
    .reduce((changed, field) => {
      const old = suggestionAt(form, field, before);
      const isSuggestion =
        field !== path && old !== undefined && String(givenValue(context, changed, field)) === old;
      const now = isSuggestion ? suggestionAt(form, field, currentBody(context, changed)) : undefined;
      if (now === undefined || now === old) return changed;
      return setValue(context, changed, field, valueFrom(fieldIn(form.schema, field), now));
    }, next);
}

/** What is entered, with the values that follow from it without a question: the dialling code of a country. */
export const withFollowing = (context: FormContext, entered: Entered): Entered =>
  Object.entries(context.form.fields).reduce((changed, [path, { derived, follows }]) => {
    const value = follows && derived?.(path, currentBody(context, changed));
    const isOpen = value !== undefined && givenValue(context, changed, path) === undefined;
    return isOpen ? setValue(context, changed, path, value) : changed;
  }, entered);

/** A copy without the value at the path, and without objects and lists that this leaves empty. */
function removeAt(target: unknown, [part, ...rest]: Path): unknown {
  if (part === undefined) return undefined;
  if (Array.isArray(target)) {
    const inner = removeAt(target[Number(part)], rest);
    const others = inner === undefined ? target.toSpliced(Number(part), 1) : target.with(Number(part), inner);
    return others.length === 0 ? undefined : others;
  }
  if (!isRecord(target)) return target;
  const { [part]: old, ...others } = target;
  const inner = old === undefined ? undefined : removeAt(old, rest);
  if (inner !== undefined) return { ...target, [part]: inner };
  return Object.keys(others).length === 0 ? undefined : others;
}
