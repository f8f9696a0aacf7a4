// Parses a line of bash: quotes are removed, and nothing is expanded.

export interface BashLine {
  /** The words after the command without redirections; the last one as far as it is typed. */
  words: readonly string[];
  /** The last word is the file of a redirection. */
  redirected: boolean;
  /** The part of the last word that readline keeps: up to its last break, or up to an open quote. */
  kept: string;
  /** The open quote. */
  quote: string;
}

/** `breaks`: COMP_WORDBREAKS, where readline splits words besides blanks. */
export function readLine(line: string, breaks = ''): BashLine {
  const words: string[] = [];
  let [word, kept, beforeQuote, quote] = ['', '', '', ''];
  let begun = false;
  let redirected = false;

  const add = (text: string) => {
    word += text;
    begun = true;
  };
  const end = () => {
    if (begun && !redirected) words.push(word);
    if (begun) redirected = false;
    [word, kept, begun] = ['', '', false];
  };

  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    if (char === '\\' && (quote === '' || (quote === '"' && /[$`"\\\n]/.test(next)))) {
      // The line continues in the next one.
      if (next !== '\n') add(next);
      at++;
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else add(char);
    } else if (char === "'" || char === '"') {
      quote = char;
      beforeQuote = word;
      begun = true;
    } else if (/\s/.test(char)) end();
    else if (char === '<' || char === '>') {
      // The number of a stream is not a word of the command.
      if (/^\d+$/.test(word)) begun = false;
      end();
      while (/[<>&|]/.test(line.charAt(at + 1))) at++;
      redirected = true;
    } else {
      add(char);
      if (breaks.includes(char)) kept = word;
    }
  }
  return { words: [...words, word].slice(1), redirected, kept: quote === '' ? kept : beforeQuote, quote };
}
