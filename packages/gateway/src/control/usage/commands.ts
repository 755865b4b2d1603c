/** `trivium usage …`: usage, summed and per request. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { UsageOfRequest, UsageQuery, UsageSums } from '../prices/contract.ts';
import type { SpendQuery, SpendRow } from './sums-contract.ts';

export const usageCommands: CommandGroup = {
  group: 'usage',
  about: 'usage and cost',
  commands: [
    commandFor<SpendRow, SpendQuery>()({
      command: 'usage report',
      about: 'sum up spend over accounts, members, keys, models or tags',
      call: 'GET /usage',
      options: {
        by: [
          '--by <groups>',
          'comma-separated: account, member, key, model, provider, protocol, outcome, lane, tag:<name>',
          { default: 'account' },
        ],
        bucket: ['--bucket <span>', 'hour, day or month'],
        tz: ['--tz <zone>', 'time zone of days and months, e.g. Europe/Berlin (default: UTC)'],
        from: ['--from <day>', 'start: a day or a time (default: 30 days before the end)'],
        until: ['--until <day>', 'end, exclusive (default: tomorrow)'],
        account: ['--account <id>', 'only this account'],
        member: ['--member <id>', 'only this member'],
        key: ['--key <id>', 'only this key'],
        model: ['--model <model>', 'only this model'],
        provider: ['--provider <id>', 'only this provider'],
        protocol: ['--protocol <name>', 'only chat, responses, messages or genai'],
        outcome: ['--outcome <name>', 'only ok, interrupted or a kind of fault'],
        lane: ['--lane <name>', 'only verbatim or translated'],
        tag: ['--tag <tag>', 'only this value of a tag, e.g. team=search'],
        '-csv': ['--csv', 'print CSV'],
        '-focus': ['--focus', 'print CSV in the columns of FOCUS'],
      },
      columns: [{ of: 'at', if: 'bucket' }, { each: 'by' }, 'requests', 'failed', 'costUsd', 'tokens'],
      rowsIn: 'items',
    }),
    commandFor<Static<typeof UsageSums>['data'], Static<typeof UsageQuery>>()({
      command: 'usage sums <account>',
      about: 'sum up requests, tokens and cost',
      call: 'GET /accounts/{account}/usage',
      options: {
        from: ['--from <day>', 'start date, UTC (default: 30 days before the end)'],
        until: ['--until <day>', 'end date, exclusive, UTC (default: tomorrow)'],
        by: ['--by <groups>', 'comma-separated: day, hour, model, key, provider', { default: 'day' }],
        model: ['--model <model>', 'only this model'],
        key: ['--key <id>', 'only this key'],
      },
      columns: [{ each: 'by' }, 'requests', 'failed', 'input_tokens', 'output_tokens', 'cost_usd'],
      rowsIn: 'data',
    }),
    commandFor<Static<typeof UsageOfRequest>>()({
      command: 'usage show <account> <id>',
      about: 'show one request with the lines of its bill',
      call: 'GET /accounts/{account}/usage/{id}',
    }),
  ],
};
