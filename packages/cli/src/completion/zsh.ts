// Completion for zsh: as a file `_trivium` of $fpath, or sourced after `compinit`.

import { type CompletedCommand, innerPaths, valuedOptions } from './command-table.ts';
import { inQuotes } from './quoting.ts';

const patternsOf = (texts: readonly string[]): string => texts.map(inQuotes).join(' | ');

/** A colon ends the word in a list of `_describe`. */
const item = (word: string, description: string): string => inQuotes(`${word.replaceAll(':', '\\:')}:${description}`);

const itemsOf = ({ commands, choices, options }: CompletedCommand): string =>
  [
    ...commands.map(({ name, description }) => item(name, description)),
    ...choices.map((choice) => item(choice, '')),
    ...options.flatMap(({ names, description }) => names.map((name) => item(name, description))),
  ].join(' ');

export const zshCompletion = (table: readonly CompletedCommand[]): string => `#compdef trivium
_trivium() {
  local place=trivium word
  local -a items
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      ${patternsOf(innerPaths(table))}) place="$place $word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
    ${patternsOf(valuedOptions(table))}) _files; return ;;
  esac
  case "$place" in
${table.map((command) => `    ${inQuotes(command.path)}) items=(${itemsOf(command)}) ;;`).join('\n')}
  esac
  _describe trivium items || _files
}
if [ "\${funcstack[1]}" = _trivium ]; then
  _trivium "$@"
else
  compdef _trivium trivium
fi`;
