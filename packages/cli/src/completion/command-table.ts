// The tree of commands as a flat table: all that a completion script needs to know of it.

import type { Command, Option } from 'commander';

export interface CompletedOption {
  /** `--config`; and `-c` where there is one. */
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
}

export interface CompletedCommand {
  /** `trivium accounts list`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** What its first argument may be, where that is a fixed list. */
  readonly choices: readonly string[];
}

const optionOf = ({ long, short, description, required, optional }: Option): CompletedOption => ({
  names: [long, short].filter((name) => name !== undefined),
  description,
  takesValue: required || optional,
});

export function commandTable(command: Command, parentPath = ''): readonly CompletedCommand[] {
  const path = `${parentPath} ${command.name()}`.trim();
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return [
    {
      path,
      commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
      options: help.visibleOptions(command).map(optionOf),
      choices: command.registeredArguments[0]?.argChoices ?? [],
    },
    ...commands.flatMap((child) => commandTable(child, path)),
  ];
}

/** Every option that is followed by a value, after the path of its command. */
export const valuedOptions = (table: readonly CompletedCommand[]): readonly string[] =>
  table.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names.map((name) => `${path} ${name}`)),
  );

/** All paths but the program's own. */
export const innerPaths = (table: readonly CompletedCommand[]): readonly string[] =>
  table.slice(1).map(({ path }) => path);
