// What a node remembers between requests, and where: seals, idempotent answers, request records, spending.

import { randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import {
  type Building,
  buildSecrets,
  bytes,
  count,
  integer,
  list,
  MAX_BYTES,
  MIB,
  milliseconds,
  optionalInteger,
  section,
  text,
} from './parts.ts';

export const sealsSchema = section(
  {
    keys: list(
      Type.String(),
      8,
      [],
      'Keys that sign opaque provider state on its way through callers, as `env:NAME` or `file:/path`: the first signs, all verify. Every node needs the same list. Without any, `TRIVIUM_SEAL_KEY` is used, or each start generates its own, and state issued before it is no longer accepted.',
    ),
    memory: section(
      {
        maxEntries: count(10_000, 'Most tool calls whose seals are remembered; 0 turns it off.', 0),
        maxBytes: bytes(
          64 * MIB,
          0,
          'Most memory all remembered seals may take, in bytes; the oldest are evicted first.',
        ),
        ttlMs: milliseconds(3_600_000, 'How long the seals of a tool call are remembered.'),
      },
      'Seals of answers with tool calls, for callers that send back only the calls. Held in memory, by account, and with a `database` for all nodes, encrypted under `seals.keys`.',
    ),
  },
  'Seals: reasoning signatures and the like.',
);

export const idempotencySchema = section(
  {
    maxAnswerBytes: bytes(8 * MIB, 1024, 'Longest answer stored; a longer one is sent once and cannot be replayed.'),
    maxEntries: count(100_000, 'Most answers stored in memory; the oldest are evicted first.'),
    maxBytes: bytes(
      256 * MIB,
      1024,
      'Most memory all stored answers may take, in bytes; the oldest are evicted first.',
    ),
    ttlMs: milliseconds(86_400_000, 'How long an answer is stored.'),
    waitMs: milliseconds(600_000, 'How long a repeated request waits while the first one runs.'),
  },
  'Requests with an `Idempotency-Key`: the same key gets the same answer, executed and charged once.',
);

const MAX_KEPT_HOURS = 8760;

export const stateSchema = section(
  {
    keepHours: optionalInteger(
      1,
      MAX_KEPT_HOURS,
      'How long stored responses are kept, and conversations since something was last added. With it, callers of Responses may use `store` (on unless they say otherwise), `previous_response_id`, `conversation` and references to items. Needs `database` and `secrets.keys`. Absent: nothing is stored.',
    ),
    accountBytes: integer(
      MIB,
      MAX_BYTES * 1024,
      256 * MIB,
      'Most bytes of stored responses and conversations of one account, compressed and encrypted. Beyond them a request that would store more is refused.',
    ),
    backgroundAtOnce: integer(
      1,
      10_000,
      32,
      'Most responses that one process makes in the background at once; the others wait. See `docs/call/background.md`.',
    ),
    backgroundPerAccount: integer(1, 10_000, 16, 'Most of one account at once, on all nodes together.'),
    backgroundQueue: integer(
      1,
      100_000,
      1000,
      'Most responses in the background of one account that have not ended. Beyond them a request is refused.',
    ),
    backgroundMinutes: integer(
      1,
      1440,
      60,
      'How long a response in the background may take, from when it was asked for. Beyond it the response has failed, and what it used is charged.',
    ),
  },
  'Responses and conversations that callers refer to instead of sending them again; see `docs/operate/stored-content.md`.',
);

/** It could not be encrypted, or would not outlive the process. */
export const checkState = (
  { keepHours }: Static<typeof stateSchema>,
  hasDatabase: boolean,
  secretKeys: number,
  { report }: Building,
): void => {
  if (keepHours !== undefined && (!hasDatabase || secretKeys === 0))
    report(['state', 'keepHours'], 'needs `database` and `secrets.keys`: content is stored there, encrypted');
};

export const explainSchema = section(
  {
    maxRequests: count(10_000, 'Most finished requests remembered; 0 turns it off.', 0),
    ttlMs: milliseconds(3_600_000, 'How long a finished request is remembered.'),
  },
  'Records of requests without a `database`: the latest of each process, held in memory, without content. See `docs/operate/requests.md`.',
);

export const ledgerSchema = section(
  {
    journal: text(
      1024,
      'Folder of the write-ahead journal of spending, which is posted to the database later. Needs a local disk that outlives the process.',
      '.trivium/journal',
    ),
  },
  'What accounts spend; used only with a `database`. See `docs/understand/money.md`.',
);

const MIN_SEAL_KEY_LENGTH = 16;
const OWN_KEY_BYTES = 32;

/** The same for every reload, or seals issued before it would be invalid after it. */
const OWN_SEAL_KEY = randomBytes(OWN_KEY_BYTES).toString('base64url');

type SealsData = Static<typeof sealsSchema>;

/** The operator's keys, or the one that processes on one address share, or one for this process alone: never none. */
export const buildSeals = ({ keys, memory }: SealsData, shared: string | undefined, building: Building) => {
  const own = buildSecrets(keys, ['seals', 'keys'], MIN_SEAL_KEY_LENGTH, building);
  const fallback = shared !== undefined && shared.length >= MIN_SEAL_KEY_LENGTH ? shared : OWN_SEAL_KEY;
  return { keys: own.length > 0 ? own : [fallback], memory };
};
