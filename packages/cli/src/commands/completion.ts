// `trivium completion bash|zsh|fish`: a completion script generated from the command tree.

import { Argument, type Command } from 'commander';
import type { CompletedCommand } from '../completion/command-table.ts';
import type { Terminal } from '../terminal.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, () => Promise<(table: readonly CompletedCommand[]) => string>>> = {
  bash: async () => (await import('../completion/bash.ts')).bashCompletion,
  zsh: async () => (await import('../completion/zsh.ts')).zshCompletion,
  fish: async () => (await import('../completion/fish.ts')).fishCompletion,
};

const HOW_TO = `
Add one line to the file your shell reads at its start:
  bash   ~/.bashrc                    source <(trivium completion bash)
  zsh    ~/.zshrc, after compinit     source <(trivium completion zsh)
  fish   ~/.config/fish/config.fish   trivium completion fish | source`;

export const addCompletion = (program: Command, terminal: Terminal): void => {
  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HOW_TO)
    .action(async (shell: Shell) => {
      const { commandTable } = await import('../completion/command-table.ts');
      const script = await SCRIPTS[shell]();
      terminal.print(script(commandTable(program)));
    });
};
