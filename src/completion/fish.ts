import { asLines, type Candidate, directive, type Shell } from './candidate.ts';

const SCRIPT = `# Completion of waybill for fish.
#
# In every shell:  waybill completion fish > ~/.config/fish/completions/waybill.fish
# In this shell:   waybill completion fish | source
#
# waybill gets the words of the line as data. Nothing on the line is run or expanded.

function __waybill_complete
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct | string collect)
    set -l lines (command waybill __complete fish $before "$current" 2>/dev/null </dev/null)
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

export const fish: Shell = {
  script: SCRIPT,
  read: words => [...words.slice(0, -1), unquoted(words.at(-1) ?? '')],
  write(reply, words) {
    const line = ({ value, description }: Candidate) => (description ? `${value}\t${description}` : value);
    return asLines(directive(reply, unquoted(words.at(-1) ?? '')), ...reply.candidates.map(line));
  },
};

/** The word being typed. fish passes it with its quotes, and a quote may be open. */
function unquoted(raw: string): string {
  let word = '';
  let quote = '';
  for (let at = 0; at < raw.length; at++) {
    const char = raw.charAt(at);
    const next = raw.charAt(at + 1);
    const escapes =
      quote === '' ? next !== '' : `\\${quote}${quote === '"' ? '$' : ''}`.includes(next || ' ');
    if (char === '\\' && escapes) {
      word += next;
      at++;
    } else if (char === quote) quote = '';
    else if (quote === '' && (char === "'" || char === '"')) quote = char;
    else word += char;
  }
  return word;
}
