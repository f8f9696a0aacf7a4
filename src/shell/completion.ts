// `waybill completion`: how each shell asks what may stand at the cursor, and in which form it gets the answer.
import { declare, operand } from '../session/command.ts';

/** A word that may stand at the cursor. */
export interface Candidate {
  /** The whole word, not quoted for a shell. */
  value: string;
  /** The meaning of the word, for people. */
  description?: string;
  /** More may follow in the same word: the shell adds no blank. */
  continues?: boolean;
}

/** The answer to a shell that asks what may stand at the cursor. */
export interface Reply {
  candidates: readonly Candidate[];
  /** What the shell itself offers if there are no candidates. */
  fallback?: 'files' | 'folders';
  /** The beginning of the word that is no part of a file name, such as `--file=`. */
  head: string;
}

/** Does a value begin with the prefix, in upper or lower case? */
export const startsWith = (value: string, prefix: string): boolean =>
  value.toLowerCase().startsWith(prefix.toLowerCase());

/** The words that begin with the prefix. */
export const startingWith = (prefix: string, words: readonly (string | Candidate)[]): Candidate[] =>
  words
    .map(word => (typeof word === 'string' ? { value: word } : word))
    .filter(({ value }) => startsWith(value, prefix));

interface Shell {
  /** The script for the shell, with comments that explain how to install it. */
  script: string;
  /**
   * Gives the words after `waybill`, the last one as it is being typed, from the arguments of the script. `undefined` if the file of a
   * redirection is being typed.
   */
  read(args: readonly string[]): readonly string[] | undefined;
  /** The answer in the form that the script reads. */
  write(reply: Reply, args: readonly string[]): string;
}

const asLines = (...lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

/**
 * The first line of an answer, before the candidates: what to offer if there are none, whether a blank follows, whether all candidates
 * begin with `word` or are only meant by it, and the head.
 */
const directive = (reply: Reply, word = ''): string =>
  [
    reply.fallback ?? 'none',
    reply.candidates.length > 0 && reply.candidates.every(({ continues }) => continues) ? 'nospace' : 'space',
    reply.candidates.every(({ value }) => startsWith(value, word)) ? 'begun' : 'meant',
    reply.head,
  ].join('\t');

/** The comments at the beginning of a script. */
const scriptHead = (shell: string): string =>
  `# What 'waybill completion ${shell}' prints; 'waybill completion --help' says how to install it.
# waybill gets the line as data: nothing on it is run or expanded.
`;

const BASH = `${scriptHead('bash')}
_waybill() {
  local how line
  COMPREPLY=()
  {
    IFS= read -r how
    while IFS= read -r line; do
      COMPREPLY[\${#COMPREPLY[@]}]=$line
    done
  } <<< "$(command waybill __complete bash "\${COMP_LINE:0:COMP_POINT}" "$2" "$COMP_TYPE" "\${COLUMNS:-80}" "\${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null </dev/null)"
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

interface BashLine {
  /** The words behind the command, without redirections; the last one as far as it is typed. */
  words: readonly string[];
  /** Is the last word the file of a redirection? */
  redirected: boolean;
  /** The part of the last word that readline leaves as it is. */
  kept: string;
  /** The quote that is open at the end of the line. */
  quote: string;
}

/**
 * Reads the line as bash cuts it. `line` ends at the cursor, and `replaced` is the part that readline replaces. `pieces`: the words of bash
 * before the cursor; bash cuts at each of COMP_WORDBREAKS, such as `=` and `:`, so pieces without a blank between them are joined.
 */
function readBash([line = '', replaced = '', , , ...pieces]: readonly string[]): BashLine {
  const typed: string[] = [];
  let remaining = line;
  for (const piece of pieces) {
    const blanks = remaining.indexOf(piece);
    typed.push((blanks === 0 ? (typed.pop() ?? '') : '') + piece);
    remaining = remaining.slice(blanks + piece.length);
  }
  const last = (/^\s/.test(remaining) ? '' : (typed.pop() ?? '')) + remaining.trimStart();
  typed.push(last);
  const isRedirection = typed.map(
    (word, index) => /^\d*[<>]/.test(word) || /^\d*[<>][<>&|]*$/.test(typed[index - 1] ?? ''),
  );
  const kept = last.slice(0, last.length - replaced.length);
  // If a quote is open, readline replaces what follows it.
  const quote = /["']$/.exec(kept)?.[0] ?? '';
  return {
    words: typed
      .filter((_, index) => !isRedirection[index])
      .map(withoutQuotes)
      .slice(1),
    redirected: isRedirection.at(-1) === true,
    kept: withoutQuotes(kept.slice(0, kept.length - quote.length)),
    quote,
  };
}

/** A word without its quotes, of which the last may still be open. Bash gives words with their quotes; only its `eval` removes them. */
const withoutQuotes = (word: string): string =>
  word.replace(
    /\\(.?)|'([^']*)'?|"((?:\\.|[^"\\])*)"?/gs,
    (_, escaped, single, double) => escaped ?? single ?? double.replace(/\\([$`"\\])/g, '$1'),
  );

/** The value of COMP_TYPE with which matches are only listed, and nothing is inserted. */
const LISTING = '63';

const bash: Shell = {
  script: BASH,
  read(args) {
    const { words, redirected } = readBash(args);
    return redirected ? undefined : words;
  },
  write(reply, args) {
    const at = readBash(args);
    const [, , type, columns] = args;
    // Readline inserts only the part after the last break of the word, and does not know the part before it.
    const fitting = reply.candidates.filter(({ value }) => value.startsWith(at.kept));
    const words = fitting.flatMap(({ value }) => quotedFor(at, value.slice(at.kept.length)) ?? []);
    const how = directive({ ...reply, candidates: fitting }, at.words.at(-1));
    const shown = type === LISTING ? listed(fitting, at, Number(columns) || 80) : words;
    // Readline would replace the typed word by the common beginning of all matches, even if that is shorter than the typed word.
    const isLess = type !== LISTING && how.includes('\tmeant\t');
    return asLines(
      how,
      ...(words.length < 2 ? words.map(word => closedWord(at, word)) : isLess ? [] : shown),
    );
  },
};

function listed(candidates: readonly Candidate[], line: BashLine, columns: number): string[] {
  const width = Math.max(...candidates.map(({ value }) => value.length)) - line.kept.length;
  return candidates.map(({ value, description }) => {
    const word = value.slice(line.kept.length);
    return description
      ? `${word.padEnd(width)}  ${description}`.slice(0, Math.max(width, columns - 2))
      : word;
  });
}

/** Readline closes the quote after a single match, except if the match ends with that quote. */
const closedWord = (line: BashLine, word: string): string =>
  line.quote !== '' && word.endsWith(line.quote) ? word + line.quote : word;

/** The text as it must be typed behind the open quote, or without one; `undefined` if that is not possible. */
function quotedFor(line: BashLine, text: string): string | undefined {
  if (line.quote === "'") return text.replaceAll("'", "'\\''");
  // In double quotes bash uses "!" for its history, and a backslash does not change that.
  if (line.quote === '"') return text.includes('!') ? undefined : text.replace(/[$`"\\]/g, '\\$&');
  return text.replace(/[^\w@%+=:,./\u0080-\u{10ffff}-]/gu, '\\$&');
}

const ZSH = `#compdef waybill
${scriptHead('zsh')}
_waybill() {
  local -a lines values shown words_before blank
  local line how head
  words_before=("\${(@)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || words_before=()
  lines=("\${(@f)$(command waybill __complete zsh "\${(@Q)words_before}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  how=\${lines[1]}
  head=\${how##*$'\\t'}
  for line in "\${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line#*$'\\t'}")
  done
  [[ $how == *$'\\t'nospace$'\\t'* ]] && blank=(-S '')
  if (( $#values )); then
    # waybill has chosen: what is meant need not begin like the word, as "germ" means DE.
    [[ $how == *$'\\t'meant$'\\t'* ]] && (( $#values > 1 )) && compstate[insert]=menu
    compadd -U -V waybill -l -d shown "\${(@)blank}" -a values
  elif [[ $PREFIX$SUFFIX != *['$\`']* ]]; then
    # The shell's own completion of files would run a command that stands in the word.
    (( $#head )) && compset -p $#head
    case $how in
      files$'\\t'*) _files ;;
      folders$'\\t'*) _files -/ ;;
    esac
  fi
}

if [[ $funcstack[1] == _waybill ]]; then
  _waybill "$@"
else
  compdef _waybill waybill
fi
`;

const zsh: Shell = {
  script: ZSH,
  read: words => words,
  write(reply, words) {
    const width = Math.max(0, ...reply.candidates.map(({ value }) => value.length));
    const line = (candidate: Candidate) =>
      `${candidate.value}\t${candidate.description ? `${candidate.value.padEnd(width)}  -- ${candidate.description}` : candidate.value}`;
    return asLines(directive(reply, words.at(-1)), ...reply.candidates.map(line));
  },
};

const FISH = `${scriptHead('fish')}
function __waybill_complete
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct | string collect)
    # It has its quotes, and one may be open.
    set -l word (string unescape -- "$current"; or echo -- "$current")
    set -l lines (command waybill __complete fish $before "$word" 2>/dev/null </dev/null)
    set -l how (string split \\t -- $lines[1])
    set -e lines[1]
    if set -q lines[1]
        printf '%s\\n' $lines
        return
    end
    set -l head (string length -- "$how[4]")
    set -l tail (string sub -s (math $head + 1) -- "$current")
    switch "$how[1]"
        case files
            for line in (__fish_complete_path "$tail")
                printf '%s\\n' "$how[4]$line"
            end
        case folders
            for line in (__fish_complete_directories "$tail" '')
                printf '%s\\n' "$how[4]$line"
            end
    end
end

complete -c waybill -f -k -a '(__waybill_complete)'
`;

const fish: Shell = {
  script: FISH,
  read: words => words,
  write(reply, words) {
    const line = (candidate: Candidate) =>
      candidate.description ? `${candidate.value}\t${candidate.description}` : candidate.value;
    return asLines(directive(reply, words.at(-1)), ...reply.candidates.map(line));
  },
};

const POWERSHELL = `${scriptHead('powershell')}
Register-ArgumentCompleter -Native -CommandName waybill -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
            else { $_.Extent.Text }
        })
    if ($wordToComplete -eq '') { $words += '' }
    # One word of letters and digits: no rule of quoting can change it on its way.
    $json = ConvertTo-Json -Compress -InputObject ([string[]]$words)
    $data = [Convert]::ToBase64String([System.Text.Encoding]::UTF8.GetBytes($json))
    $answer = (& waybill __complete powershell $data 2>$null) -join ''
    if (-not $answer) { return }
    foreach ($found in (ConvertFrom-Json -InputObject $answer)) {
        [System.Management.Automation.CompletionResult]::new($found.text, $found.shown, 'ParameterValue', $found.says)
    }
}
`;

const powershell: Shell = {
  script: POWERSHELL,
  read([data = '']) {
    const words: unknown = JSON.parse(Buffer.from(data, 'base64').toString());
    return Array.isArray(words) ? words.map(String) : [String(words)];
  },
  write: reply =>
    // Only ASCII is written, because the code page may be any. `says` is a name that scripts of users already read.
    JSON.stringify(
      reply.candidates.map(({ value, description }) => ({
        text: quotedInPowershell(value),
        shown: value,
        says: description || value,
      })),
    ).replace(/[^ -~]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

/** A word as PowerShell takes it literally: in single quotes nothing is expanded. */
const quotedInPowershell = (value: string): string =>
  /^[\w./:=+-]+$/.test(value) ? value : `'${value.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

export const SHELLS: Readonly<Record<string, Shell>> = { bash, zsh, fish, powershell };

export const command = declare({
  examples: ['# Complete in this shell.', 'source <(waybill completion bash)'],
  output: { table: 'the script, in every output format' },
  notes: {
    'To install it for every shell': [
      [
        'bash',
        `echo 'source <(waybill completion bash)' >> ~/.bashrc (bash 3.2 of macOS: eval "$(waybill completion bash)")`,
      ],
      [
        'zsh',
        'waybill completion zsh > ~/.zfunc/_waybill, and before compinit in ~/.zshrc: fpath=(~/.zfunc $fpath)',
      ],
      ['fish', 'waybill completion fish > ~/.config/fish/completions/waybill.fish'],
      [
        'PowerShell',
        'waybill completion powershell | Out-String | Invoke-Expression, as a line of the file that $PROFILE names',
      ],
    ],
    Notes: 'Nothing on the line is run, sent or written. Keys and ids come from the journal of this machine.',
  },
  operands: [operand('<shell>', 'the shell', Object.keys(SHELLS))],
  run: async (session, _, shell) => session.printer.plain(SHELLS[shell]?.script ?? ''),
});
