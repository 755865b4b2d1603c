/** `trivium what-if`: recorded requests under other policies and prices. */
import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { WhatIf, WhatIfQuestion } from './contract.ts';

const ABOUT = 'what recorded requests would have cost under other policies and prices; calls no model';

export const whatIfCommands: CommandGroup = {
  group: 'what-if',
  about: ABOUT,
  commands: [
    commandFor<WhatIf, Static<typeof WhatIfQuestion>>()({
      command: 'what-if',
      about: ABOUT,
      call: 'POST /what-if',
      options: {
        '-policies': ['--policies <path>', 'file or folder with `policies`, as apply reads them (default: today’s)'],
        '-prices': ['--prices <path>', 'file or folder with `prices`, as apply reads them (default: today’s)'],
        prune: ['--prune', 'leave out the policies of the database that the files do not have'],
        from: ['--from <time>', 'requests from this time on (default: 24 hours before --to)'],
        until: ['--to <time>', 'requests before this time (default: now)'],
        account: ['--account <account>', 'only requests of this account'],
        limit: ['--limit <count>', 'most records to read, the oldest first', { form: 'number' }],
      },
    }),
  ],
};
