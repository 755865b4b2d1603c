// Completion for bash, from 3.2 on: no associative arrays, nothing of the bash-completion package.

import { type CompletedCommand, innerPaths, valuedOptions } from './command-table.ts';

const patternsOf = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(' | ');

const wordsOf = ({ commands, choices, options }: CompletedCommand): string =>
  [...commands.map(({ name }) => name), ...choices, ...options.flatMap(({ names }) => names)].join(' ');

export const bashCompletion = (table: readonly CompletedCommand[]): string => `# bash completion for trivium
_trivium() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="trivium" word words="" index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$place $word" in
      ${patternsOf(innerPaths(table))}) place="$place $word" ;;
    esac
  done
  # An option's value: the shell's own completion of files.
  case "$place \${COMP_WORDS[COMP_CWORD - 1]}" in
    ${patternsOf(valuedOptions(table))}) return ;;
  esac
  case "$place" in
${table.map((command) => `    "${command.path}") words="${wordsOf(command)}" ;;`).join('\n')}
  esac
  local reply
  while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -W "$words" -- "$current")
}
complete -o default -F _trivium trivium`;
