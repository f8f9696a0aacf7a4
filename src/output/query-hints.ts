// What was probably meant with a --query that JMESPath or the shell understood in another way.
import { shellWord } from '../text.ts';

interface Hint {
  why: string;
  /** The expression as it was meant; the same if the hint does not apply. */
  fix(expression: string): string;
}

const COMPARISON = '(==|!=|<=|>=|<|>)';

const quoteNumbers = (expression: string): string =>
  expression.replace(new RegExp(`${COMPARISON}\\s*(-?\\d+(?:\\.\\d+)?)`, 'g'), '$1 `$2`');

/** Expressions that cannot be parsed. */
const FAULTS: readonly Hint[] = [
  {
    why: 'JMESPath compares with ==',
    fix(expression) {
      // Not in quotes.
      const compared = expression.replace(/'[^']*'|"[^"]*"|`[^`]*`|(?<![=!<>])=(?!=)/g, part =>
        part === '=' ? '==' : part,
      );
      return compared === expression ? expression : quoteNumbers(compared);
    },
  },
  {
    why: 'These quotes are typographic, and JMESPath knows only the plain ones',
    fix: expression => expression.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"'),
  },
  {
    why: 'Backticks hold JSON; plain text goes in single quotes',
    fix: expression =>
      expression.replace(/`([^`']*)`/g, (literal, text: string) => (isJson(text) ? literal : `'${text}'`)),
  },
  {
    why: 'A number goes in backticks, and an expression with backticks goes in single quotes',
    fix: quoteNumbers,
  },
  {
    why: 'A comparison has nothing on its right. In double quotes the shell runs what is in backticks as a command. Put the expression in single quotes',
    fix: expression =>
      expression.replace(new RegExp(`${COMPARISON}\\s*(?=[\\]),&|]|$)`, 'g'), (_, sign: string) =>
        sign === '==' || sign === '!=' ? `${sign} \`true\`` : `${sign} \`10\``,
      ),
  },
  {
    why: 'A path begins with the name of a field',
    fix: expression => expression.replace(/^\s*\.+/, ''),
  },
];

// The right side of a comparison that names a field.
const NAME = new RegExp(`${COMPARISON}\\s*(?:"([^"\\\\]*)"|([A-Za-z_]\\w*)(?![\\w.([]))`, 'g');

/** Expressions that find nothing. */
const MISUNDERSTOOD: Hint = {
  why: 'A word on the right of a comparison, without quotes or in double quotes, is the name of a field. Text goes in single quotes; true, false, null and numbers go in backticks',
  fix: expression =>
    expression.replace(NAME, (_, sign: string, quoted: string | undefined, bare = '') => {
      const text: string = quoted ?? bare;
      return `${sign} ${isJson(text) ? `\`${text}\`` : `'${text}'`}`;
    }),
};

/** What to write in place of an expression that cannot be parsed; empty if nobody knows. */
export function hintForFault(expression: string, isValid: (expression: string) => boolean): string {
  for (const { why, fix } of FAULTS) {
    const fixed = fix(expression);
    if (fixed !== expression && isValid(fixed)) return `${why}: --query ${inShell(fixed)}`;
  }
  return '';
}

/** The same for one that finds nothing. */
export function hintForNothing(expression: string): string {
  const fixed = MISUNDERSTOOD.fix(expression);
  return fixed === expression ? '' : `${MISUNDERSTOOD.why}: --query ${inShell(fixed)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** As it is typed in a shell: in single quotes, or in double ones if it has single ones and nothing that these change. */
const inShell = (expression: string): string =>
  !expression.includes("'")
    ? `'${expression}'`
    : /[`$"\\!]/.test(expression)
      ? shellWord(expression)
      : `"${expression}"`;
