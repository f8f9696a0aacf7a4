import { asLines, type Candidate, directive, type Shell } from './candidate.ts';

const SCRIPT = `#compdef waybill
# Completion of waybill for zsh.
#
# In every shell:  waybill completion zsh > ~/.zfunc/_waybill
#                  and in ~/.zshrc, before compinit:  fpath=(~/.zfunc $fpath)
# In this shell:   source <(waybill completion zsh)
#
# waybill gets the words of the line as data, without quotes. Nothing on the line is run or expanded.

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

export const zsh: Shell = {
  script: SCRIPT,
  read: words => words,
  write(reply, words) {
    const width = Math.max(0, ...reply.candidates.map(({ value }) => value.length));
    const line = ({ value, description }: Candidate) =>
      `${value}\t${description ? `${value.padEnd(width)}  -- ${description}` : value}`;
    return asLines(directive(reply, words.at(-1) ?? ''), ...reply.candidates.map(line));
  },
};
