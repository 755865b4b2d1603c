/** Content capture: `trivium accounts capture …`, `trivium requests replay` and `trivium requests wire`. */

import type { Static } from 'typebox';
import { commandFor } from '../api/command.ts';
import type { AccountRecords, ErasedContent, KeyRecordsChange, Wire, WireQuestion } from './capture-contract.ts';
import type { NewReplay, Replay } from './replay-contract.ts';
import type { Stored } from './stored-contract.ts';

const ID = 'x-request-id, or the id of the answer';
const ACCOUNT = ['--account <id>', 'its account; required for a key that manages one'] as const;

export const captureCommands = [
  commandFor<AccountRecords, Static<typeof KeyRecordsChange>>()({
    command: 'accounts capture <account>',
    about: 'show or change what is captured of the content of requests',
    call: ['GET /accounts/{account}/keys/{key}/records', 'GET /accounts/{account}/records'],
    change: ['PATCH /accounts/{account}/keys/{key}/records', 'PATCH /accounts/{account}/records'],
    options: {
      key: ['--key <id>', 'only of this key'],
      bodies: ['--bodies <which>', 'off, errors, sample or all; inherit for a key'],
      until: ['--until <time>', 'when capturing ends, such as 2026-12-31T00:00:00Z'],
      samplePercent: ['--sample-percent <percent>', 'share of requests with --bodies sample', { form: 'number' }],
      keepHours: ['--keep-hours <hours>', 'how long content is kept', { form: 'number' }],
    },
  }),
  commandFor<Static<typeof ErasedContent>>()({
    command: 'accounts erase-content <account>',
    about: 'erase all captured and stored content of an account, on every node',
    call: 'DELETE /accounts/{account}/records',
  }),
];

export const wireCommands = [
  commandFor<Replay, Static<typeof NewReplay>>()({
    command: 'requests replay <id>',
    about: 'send a captured request again, to the same or another model or provider',
    call: ['POST /accounts/{account}/requests/{id}/replay', 'POST /requests/{id}/replay'],
    arguments: { id: ID },
    options: {
      keyId: ['--key <id>', 'key of its account that is charged', { required: true }],
      account: ACCOUNT,
      model: ['--model <model>', 'another model'],
      provider: ['--provider <provider>', 'only this provider'],
      strict: ['--strict', 'fail rather than lose anything'],
      dryRun: ['--dry-run', 'print where it would go, and send nothing'],
    },
  }),
  commandFor<Wire, Static<typeof WireQuestion>>()({
    command: 'requests wire <id>',
    about: 'print the captured bytes of a request, and what was changed on the way',
    call: ['GET /accounts/{account}/requests/{id}/wire', 'GET /requests/{id}/wire'],
    arguments: { id: ID },
    options: { account: ACCOUNT, attempt: ['--attempt <number>', 'which call to a provider (default: the last)'] },
  }),
  commandFor<Stored>()({
    command: 'requests stored <id>',
    about: 'print the stored response of a request, with its input',
    call: ['GET /accounts/{account}/requests/{id}/stored', 'GET /requests/{id}/stored'],
    arguments: { id: ID },
    options: { account: ACCOUNT },
  }),
];
