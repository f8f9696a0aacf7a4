import { type BashLine, readLine } from './bash-line.ts';
import { asLines, directive, type Reply, type Shell } from './candidate.ts';

const SCRIPT = `# Completion of waybill for bash.
#
# In this shell:            source <(waybill completion bash)
# In every one, put there:  waybill completion bash > ~/.local/share/bash-completion/completions/waybill
# (without the package bash-completion: the first line into ~/.bashrc; bash 3.2 of macOS: eval "$(waybill completion bash)")
#
# waybill gets the line as one word of data. Nothing on the line is run or expanded.

_waybill() {
  local how line
  COMPREPLY=()
  {
    IFS= read -r how
    while IFS= read -r line; do
      COMPREPLY[\${#COMPREPLY[@]}]=$line
    done
  } <<< "$(command waybill __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "$COMP_TYPE" "\${COLUMNS:-80}" 2>/dev/null </dev/null)"
  type compopt >/dev/null 2>&1 || return 0
  compopt -o nosort 2>/dev/null
  case $how in *$'\\t'nospace$'\\t'*) compopt -o nospace ;; esac
  case $how in
    files$'\\t'*) compopt -o default ;;
    folders$'\\t'*) compopt -o dirnames ;;
  esac
}

if type compopt >/dev/null 2>&1; then
  complete -F _waybill waybill
else
  complete -o default -F _waybill waybill
fi
`;

/** COMP_TYPE if matches are only listed, and nothing is inserted. */
const LISTING = '63';

export const bash: Shell = {
  script: SCRIPT,
  read([line = '']) {
    const { words, redirected } = readLine(line);
    return redirected ? undefined : words;
  },
  write(reply, [line = '', breaks, type, columns]) {
    const at = readLine(line, breaks);
    // Readline inserts the part after the last break of the word, and does not know the part before it.
    const fitting = reply.candidates.filter(({ value }) => value.startsWith(at.kept));
    const words = fitting.flatMap(({ value }) => quotedFor(at, value.slice(at.kept.length)) ?? []);
    const how = directive({ ...reply, candidates: fitting }, at.words.at(-1) ?? '');
    const shown = type === LISTING ? listed(fitting, at, Number(columns) || 80) : words;
    // Readline would replace the typed word by the common beginning of all matches, even if that is shorter.
    const isLess = type !== LISTING && how.includes('\tmeant\t');
    return asLines(how, ...(words.length < 2 ? words.map(word => closed(at, word)) : isLess ? [] : shown));
  },
};

function listed(candidates: Reply['candidates'], { kept }: BashLine, columns: number): string[] {
  const words = candidates.map(({ value }) => value.slice(kept.length));
  const width = Math.max(...words.map(word => word.length));
  return candidates.map(({ description }, index) => {
    const word = words[index] ?? '';
    return description
      ? `${word.padEnd(width)}  ${description}`.slice(0, Math.max(width, columns - 2))
      : word;
  });
}

/** Readline closes the quote after a single match, except if the match ends with that quote. */
const closed = ({ quote }: BashLine, word: string): string =>
  quote !== '' && word.endsWith(quote) ? word + quote : word;

/** The text as it must be typed there; `undefined` if that is not possible. */
function quotedFor({ quote }: BashLine, text: string): string | undefined {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  // In double quotes bash uses "!" for its history, and a backslash does not change that.
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/[$`"\\]/g, '\\$&');
  return text.replace(/[^\w@%+=:,./\u0080-\u{10ffff}-]/gu, '\\$&');
}
