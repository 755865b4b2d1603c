// Completion for fish.

import { type CompletedCommand, type CompletedOption, innerPaths } from './command-table.ts';
import { inFishQuotes } from './quoting.ts';

const optionWords = ({ names, takesValue }: CompletedOption): string =>
  [
    ...names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)),
    ...(takesValue ? ['-r', '-F'] : []),
  ].join(' ');

const linesOf = ({ path, commands, choices, options }: CompletedCommand): readonly string[] => {
  const lead = `complete -c trivium -n ${inFishQuotes(`test (__trivium_place) = "${path}"`)}`;
  return [
    ...commands.map(({ name, description }) => `${lead} -a ${name} -d ${inFishQuotes(description)}`),
    ...choices.map((choice) => `${lead} -a ${choice}`),
    ...options.map((option) => `${lead} ${optionWords(option)} -d ${inFishQuotes(option.description)}`),
  ];
};

export const fishCompletion = (table: readonly CompletedCommand[]): string => `# fish completion for trivium
function __trivium_place
  set -l place trivium
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${innerPaths(table).map(inFishQuotes).join(' ')}
        set place "$place $word"
    end
  end
  echo $place
end
complete -c trivium -f
${table.flatMap(linesOf).join('\n')}`;
