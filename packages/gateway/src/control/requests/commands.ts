/** `trivium requests …`: records of requests, of all accounts or of one. */

import { type CommandGroup, commandFor, type Inputs, type MemberOf } from '../api/command.ts';
import type { RequestDetail, RequestQuery, RequestRow } from './contract.ts';

const FILTERS = {
  account: ['--account <id>', 'only of this account; required for a key that manages one'],
  from: ['--from <time>', 'received at or after this time (default: 24 hours before the end)'],
  until: ['--until <time>', 'received before this time (default: now)'],
  key: ['--key <id>', 'only of this key'],
  member: ['--member <id>', 'only of this member'],
  model: ['--model <model>', 'only where this model served, or was called last; may end in *'],
  askedModel: ['--asked-model <model>', 'only where the caller wrote this model; may end in *'],
  provider: ['--provider <provider>', 'only where this provider answered, or was called last'],
  protocol: ['--protocol <protocol>', 'only chat, responses, messages or genai'],
  operation: [
    '--operation <operation>',
    'only text, embed, rerank, moderate, image, video, passthrough, speech or transcription',
  ],
  outcome: ['--outcome <outcomes>', 'comma-separated: ok, failed, caller, upstream, gateway, or kinds of errors'],
  conversation: ['--conversation <hash>', 'only calls of this conversation, as requests show names it'],
  status: ['--status <status>', 'only with this HTTP status, such as 429 or 5xx'],
  minCostUsd: ['--min-cost-usd <usd>', 'only what cost at least this much'],
  minDurationMs: ['--min-duration-ms <ms>', 'only what took at least this long'],
} as const satisfies Inputs<MemberOf<RequestQuery> | 'account'>;

export const requestCommands: CommandGroup = {
  group: 'requests',
  about: 'records of requests',
  commands: [
    commandFor<RequestRow, RequestQuery>()({
      command: 'requests list',
      about: 'list requests, newest first',
      call: ['GET /accounts/{account}/requests', 'GET /requests'],
      options: { ...FILTERS, '-limit': ['--limit <rows>', 'most rows', { default: '50' }] },
      columns: [
        'receivedAt',
        { of: ['keyName', 'keyId'], title: 'key' },
        { of: ['model', 'askedModel'] },
        'provider',
        'outcome',
        'status',
        'costUsd',
        'firstTokenMs',
        'durationMs',
        'id',
      ],
    }),
    commandFor<RequestDetail>()({
      command: 'requests show <id>',
      about: 'show why a request failed or where it went: attempts, phases, cost',
      call: ['GET /accounts/{account}/requests/{id}', 'GET /requests/{id}'],
      arguments: { id: 'x-request-id, or the id of the answer' },
      options: { account: ['--account <id>', 'its account; required for a key that manages one'] },
    }),
    commandFor<RequestRow, RequestQuery>()({
      command: 'requests tail',
      about: 'print requests as they end, on all nodes',
      call: ['GET /accounts/{account}/requests/live', 'GET /requests/live'],
      options: FILTERS,
    }),
  ],
};
