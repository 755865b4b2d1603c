// `trivium check-live <provider>`: whether a provider's answers are as our codecs believe, asked of the provider itself.

import type { Command } from 'commander';
import type { CheckLiveOptions } from '../actions/check-live.ts';
import { withConfigOption } from '../config-option.ts';
import type { Terminal } from '../terminal.ts';

export const addCheckLive = (parent: Command, terminal: Terminal): void => {
  withConfigOption(
    parent
      .command('check-live <provider>')
      .description('ask a provider what Trivium believes of its answers; costs some cents at most'),
  )
    .option('--bound <usd>', 'the most it may cost, in dollars', '0.05')
    .option('--model <id>', 'ask this model only; default: the cheapest for each question')
    .option('--format <name>', 'ask in this wire format only, such as openai-chat')
    .option('--estimate', 'only show what would be asked, and what it would cost at most')
    .option('--report <file>', 'write what was found, without content or secrets, to be attached to an issue')
    .option('--record <file>', 'write the shapes of the answers, in the form of recorded shapes')
    .option('--json', 'print JSON')
    .action(async (provider: string, options: CheckLiveOptions) => {
      const { checkLive } = await import('../actions/check-live.ts');
      await checkLive(provider, options, terminal);
    });
};
