// The operators in the content of a page, each with its operands.

export type Operand = number | string | readonly Operand[];

/** Nobody can tell where on the page something is drawn. */
export class Untellable extends Error {}

const SPACE = 32;

const isDelimiter = (code: number): boolean => '()<>[]{}/%'.includes(String.fromCharCode(code));
const isBlankByte = (code: number): boolean => code <= SPACE;

export function* operatorsIn(content: Uint8Array): Generator<[operator: string, operands: Operand[]]> {
  const text = Buffer.from(content).toString('latin1');
  let operands: Operand[] = [];
  const lists: Operand[][] = [];
  let at = 0;
  const add = (operand: Operand) => void (lists.at(-1) ?? operands).push(operand);
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isBlankByte(code)) at += 1;
    else if (text[at] === '%') at = endOfLine(text, at);
    else if (text[at] === '(') {
      const [word, end] = stringAt(text, at + 1);
      add(word);
      at = end;
    } else if (text[at] === '<' && text[at + 1] !== '<') {
      const end = endAt(text, '>', at);
      add(Buffer.from(text.slice(at + 1, end).replace(/\s/g, ''), 'hex').toString('latin1'));
      at = end + 1;
    } else if (text[at] === '[') {
      lists.push([]);
      at += 1;
    } else if (text[at] === ']') {
      const list = lists.pop() ?? [];
      add(list);
      at += 1;
    } else if (isDelimiter(code) && text[at] !== '/') at += 1;
    else {
      const begin = at;
      at += 1;
      while (at < text.length && !isBlankByte(text.charCodeAt(at)) && !isDelimiter(text.charCodeAt(at)))
        at += 1;
      const word = text.slice(begin, at);
      if (word.startsWith('/')) add(word.slice(1));
      else if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(word)) add(Number(word));
      // A number in a form that this reader does not know: without its value, nobody can tell where is drawn.
      else if (/^[+\-.\d]/.test(word)) throw new Untellable();
      else if (word === 'BI') {
        at = endOfInlineImage(text, at);
        yield ['inline image', []];
        operands = [];
      } else {
        yield [word, operands];
        operands = [];
        lists.length = 0;
      }
    }
  }
}

const endAt = (text: string, mark: string, from: number): number => {
  const end = text.indexOf(mark, from);
  if (end < 0) throw new Untellable();
  return end;
};

function endOfLine(text: string, from: number): number {
  const ends = [text.indexOf('\n', from), text.indexOf('\r', from)].filter(end => end >= 0);
  return ends.length === 0 ? text.length : Math.min(...ends);
}

function endOfInlineImage(text: string, from: number): number {
  const mark = /\sEI(?=\s|$)/g;
  mark.lastIndex = endAt(text, 'ID', from);
  if (mark.exec(text) === null) throw new Untellable();
  return mark.lastIndex;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The text in brackets, read from behind the first bracket; and the position behind the last bracket. */
function stringAt(text: string, from: number): [string, number] {
  let word = '';
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (letter === '\\') {
      const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
      if (octal !== undefined) word += String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      else if (!/[\r\n]/.test(text[at + 1] ?? '')) word += ESCAPES[text[at + 1] ?? ''] ?? text[at + 1] ?? '';
      at += octal?.length ?? 1;
      continue;
    }
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (depth === 0) return [word, at + 1];
    word += letter;
  }
  throw new Untellable();
}
