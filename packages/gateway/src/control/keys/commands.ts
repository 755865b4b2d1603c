/** `trivium keys …`: keys of the database. `trivium keys new` is for the configuration file, and part of the command line. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor, type Inputs, type MemberOf } from '../api/command.ts';
import type { FoundKey, Key, KeyChange, KeySearch, NewKey, Revocation, Revoked, Rotation } from './contract.ts';

export const RIGHTS = {
  'rights.models': ['--models <patterns...>', 'allowed models, e.g. openai/*'],
  'rights.providers': ['--providers <ids...>', 'allowed providers'],
  'rights.protocols': ['--protocols <names...>', 'chat, messages, genai'],
  'rights.endpoints': [
    '--endpoints <names...>',
    'text, embed, rerank, moderate, image, video, passthrough, count, speech, transcription',
  ],
  'rights.addresses': ['--addresses <ranges...>', 'source addresses it may be used from, e.g. 10.0.0.0/8'],
  'rights.expiresAt': ['--expires <time>', 'expiry time, ISO 8601 with time zone'],
  'rights.strict': ['--strict', 'reject requests with parameters that would be dropped or changed'],
  'rights.tolerates': ['--tolerates <paths...>', 'parameters a strict request may lose'],
  'rights.rateLimits.requestsPerMinute': ['--rpm <count>', 'requests per minute', { form: 'number' }],
  'rights.rateLimits.burst': ['--burst <count>', 'requests that may come at once', { form: 'number' }],
  'rights.rateLimits.tokensPerMinute': ['--tpm <count>', 'tokens per minute, input and output', { form: 'number' }],
  'rights.rateLimits.usdPerMinute': ['--usd-per-minute <amount>', 'US dollars per minute', { form: 'number' }],
  'rights.rateLimits.inFlight': ['--in-flight <count>', 'requests in progress at once', { form: 'number' }],
  'rights.manages': ['--manages <role>', 'role at the admin API: viewer, developer, admin, owner'],
} as const satisfies Inputs<MemberOf<Static<typeof KeyChange>>>;

export const keyCommands: CommandGroup = {
  group: 'keys',
  about: 'API keys of an account, or for the configuration file',
  commands: [
    commandFor<FoundKey, Static<typeof KeySearch>>()({
      command: 'keys list [account]',
      about: 'list the keys of an account, or of all',
      call: 'GET /keys',
      options: {
        account: ['[account]', ''],
        q: ['--search <text>', 'part of the name, or how the id or the secret starts'],
        state: ['--state <state>', 'active, expired or revoked'],
        member: ['--member <member>', 'keys of this member'],
        model: ['--model <model>', 'keys that may use this model'],
        expiringBefore: ['--expiring-before <time>', 'keys that expire before this time, ISO 8601 with time zone'],
      },
      columns: [
        { of: 'accountId', unless: 'account' },
        'name',
        'id',
        'prefix',
        'state',
        { of: 'spent30dUsd', title: 'spent in 30 d' },
        'lastUsedAt',
        'rights',
      ],
    }),
    commandFor<Key, Static<typeof KeyChange>>()({
      command: 'keys change <account> <key>',
      about: 'rename a key or narrow its rights',
      call: 'PATCH /accounts/{account}/keys/{key}',
      options: { name: ['--name <name>', 'name of the key'], ...RIGHTS },
    }),
    commandFor<Key>()({
      command: 'keys show <account> <key>',
      about: 'show one key',
      call: 'GET /accounts/{account}/keys/{key}',
    }),
    commandFor<Key, Static<typeof NewKey>>()({
      command: 'keys create <account>',
      about: 'create an API key; prints the secret once',
      call: 'POST /accounts/{account}/keys',
      options: {
        name: ['--name <name>', 'name of the key', { required: true }],
        memberId: ['--member <member>', 'the member it belongs to'],
        ...RIGHTS,
      },
      secretOf: 'key',
    }),
    commandFor<Key, Static<typeof Rotation>>()({
      command: 'keys rotate <account> <key>',
      about: 'give a key a new secret',
      call: 'POST /accounts/{account}/keys/{key}/rotate',
      options: {
        graceSeconds: [
          '--grace <seconds>',
          'seconds for which the old secret still works',
          { form: 'number', default: '0' },
        ],
      },
      secretOf: 'key',
    }),
    commandFor<Static<typeof Revoked>, Static<typeof Revocation>>()({
      command: 'keys revoke <account> <key>',
      about: 'revoke a key and the keys made with it',
      call: 'POST /accounts/{account}/keys/{key}/revoke',
      options: {
        children: ['--keep-children', 'do not revoke the keys made with it', { is: false, else: true }],
      },
    }),
  ],
};
