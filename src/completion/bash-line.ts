// A line of bash, read as data: what is quoted is taken out of its quotes, and nothing is expanded.

export interface Line {
  /** The words after the command, the last one as far as it is typed; without redirections. */
  words: readonly string[];
  /** The last word is the file of a redirection. */
  redirected: boolean;
  /** Of the last word, what readline leaves as it is: all to its last break, or to a quote that is open. */
  kept: string;
  /** The quote that is open. */
  quote: string;
}

/** `breaks`: COMP_WORDBREAKS, at which readline parts words beside blanks. */
export function readLine(line: string, breaks = ''): Line {
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
      // A line that goes on in the next one.
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
      // The number of a stream is no word of the command.
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
