/** `trivium accounts …` and `trivium tags …`: who pays, and by what their usage is summed. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import type { Account, AccountChange, AccountSearch, NewAccount } from './contract.ts';
import type { AccountFigures, FiguresSearch } from './figures-contract.ts';
import type { Family, NewTag, ParentChange, Tag, TagName } from './tags-contract.ts';

const KIND = ['--kind <kind>', 'prepaid, postpaid or unlimited'] as const;
const LIMIT = ['--limit <usd>', 'credit limit of a postpaid account (USD)'] as const;

export const accountCommands: CommandGroup = {
  group: 'accounts',
  about: 'accounts: who pays',
  commands: [
    commandFor<Account, Static<typeof AccountSearch>>()({
      command: 'accounts list',
      about: 'list accounts',
      call: 'GET /accounts',
      options: {
        q: ['--search <text>', 'part of the id or the name'],
        kind: KIND,
        status: ['--status <status>', 'active or suspended'],
        sort: ['--sort <column>', 'id, name or createdAt', { default: 'id' }],
      },
      columns: ['name', 'id', 'kind', 'status', 'parentId', 'createdAt'],
    }),
    commandFor<AccountFigures, FiguresSearch>()({
      command: 'accounts figures',
      about: 'list accounts with spend of 30 days, available credit, budgets, members and keys',
      call: 'GET /account-figures',
      options: {
        q: ['--search <text>', 'part of the id or the name'],
        kind: KIND,
        status: ['--status <status>', 'active or suspended'],
        sort: ['--sort <column>', 'spend, id, name or createdAt', { default: 'spend' }],
      },
      columns: ['name', 'id', 'spent30dUsd', 'availableUsd', 'budgetsNearEnd', 'members', 'keys', 'status'],
    }),
    commandFor<Account>()({
      command: 'accounts show <account>',
      about: 'show one account',
      call: 'GET /accounts/{account}',
    }),
    commandFor<Account, Static<typeof NewAccount>>()({
      command: 'accounts create',
      about: 'create an account',
      call: 'POST /accounts',
      options: {
        id: ['--id <id>', 'account id (default: generated)'],
        name: ['--name <name>', 'display name (default: the id)', { elseLike: 'id', else: 'account' }],
        kind: [...KIND, { default: 'prepaid' }],
        creditLimitUsd: LIMIT,
      },
    }),
    commandFor<Account, Static<typeof AccountChange>>()({
      command: 'accounts change <account>',
      about: 'change the name, kind, credit limit or rate limits of an account',
      call: 'PATCH /accounts/{account}',
      options: {
        name: ['--name <name>', 'display name'],
        kind: KIND,
        creditLimitUsd: LIMIT,
        'rateLimits.requestsPerMinute': [
          '--rpm <count>',
          'requests per minute, of all its keys together',
          { form: 'number' },
        ],
        'rateLimits.burst': ['--burst <count>', 'requests that may come at once', { form: 'number' }],
        'rateLimits.tokensPerMinute': ['--tpm <count>', 'tokens per minute, input and output', { form: 'number' }],
        'rateLimits.usdPerMinute': ['--usd-per-minute <usd>', 'USD per minute', { form: 'number' }],
        'rateLimits.inFlight': ['--in-flight <count>', 'requests at once', { form: 'number' }],
        rateLimits: ['--no-rates', 'rate limits as the configuration has them', { is: null }],
      },
    }),
    commandFor<Family, Static<typeof ParentChange>>()({
      command: 'accounts parent <account> [parent]',
      about: 'show or set the account above another, e.g. the company of a team',
      call: 'GET /accounts/{account}/parent',
      change: 'POST /accounts/{account}/parent',
      options: { parentId: ['[parent]', 'the account above; `none` for none', { words: { none: null } }] },
    }),
    commandFor<Account, Static<typeof AccountChange>>()({
      command: 'accounts suspend <account>',
      about: 'suspend an account',
      call: 'PATCH /accounts/{account}',
      send: { status: 'suspended' },
    }),
    commandFor<Account, Static<typeof AccountChange>>()({
      command: 'accounts restore <account>',
      about: 'restore an account',
      call: 'PATCH /accounts/{account}',
      send: { status: 'active' },
    }),
  ],
};

export const tagCommands: CommandGroup = {
  group: 'tags',
  about: 'tags that usage is summed up by',
  commands: [
    commandFor<Tag>()({
      command: 'tags list <account>',
      about: 'list the declared tags',
      call: 'GET /accounts/{account}/tags',
      columns: ['key', 'required', 'createdAt'],
    }),
    commandFor<Tag, Static<typeof NewTag>>()({
      command: 'tags declare <account> <tag>',
      about: 'declare a tag, up to 8 per account',
      call: 'POST /accounts/{account}/tags',
      options: {
        key: ['<tag>', 'e.g. team'],
        required: ['--required', 'refuse requests without it', { is: true, else: false }],
      },
    }),
    commandFor<Tag, Static<typeof TagName>>()({
      command: 'tags withdraw <account> <tag>',
      about: 'stop summing up by a tag',
      call: 'DELETE /accounts/{account}/tags',
      options: { key: ['<tag>', ''] },
    }),
  ],
};
