// `trivium login`, `logout`, `token` and `run`: coding agents without a key, as a signed-in person.

import { type Command, Option } from 'commander';
import type { SignInOptions } from '../actions/login.ts';
import type { AgentOptions } from '../actions/run-agent.ts';
import type { Terminal } from '../terminal.ts';

const address = (): Option =>
  new Option('--url <url>', 'address of the gateway (default: $TRIVIUM_GATEWAY_URL, else the newest sign-in)');

const EXAMPLE = `
Examples:
  trivium login --url https://gw.example.com
  trivium run -- claude
  trivium run --model openai/gpt-5.2 -- codex exec "Say hello"`;

export const addSignIn = (parent: Command, terminal: Terminal): void => {
  parent
    .command('login')
    .description('sign in at a gateway in the browser, so that agents on this machine need no key')
    .addOption(address())
    .action(async (options: SignInOptions) => {
      const { login } = await import('../actions/login.ts');
      await login(options, terminal);
    });
  parent
    .command('logout')
    .description('sign out, here and at the gateway')
    .addOption(address())
    .action(async (options: SignInOptions) => {
      const { logout } = await import('../actions/login.ts');
      await logout(options, terminal);
    });
  parent
    .command('token')
    .description('print a token of the signed-in person, renewed if need be; for programs such as Codex')
    .addOption(address())
    .option('--check', 'ask the gateway whether it still takes the token')
    .action(async (options: SignInOptions & { readonly check?: true }) => {
      const { signedIn } = await import('../sign-in/session.ts');
      terminal.print((await signedIn(options, terminal)).token);
    });
  parent
    .command('run')
    .description('start a coding agent as the signed-in person; writes no settings')
    .argument('<agent...>', 'its command, after --')
    .addOption(address())
    .option('--model <id>', 'model to use', 'anthropic/claude-sonnet-4.6')
    .addHelpText('after', EXAMPLE)
    .action(async (command: readonly string[], options: AgentOptions) => {
      const { runAgent } = await import('../actions/run-agent.ts');
      await runAgent(command, options, terminal);
    });
};
