/** What recorded requests would have cost under other policies and prices: the question and the answer. */
import Type, { type Static, type TProperties } from 'typebox';
import { closed, moment, nullable, time, word } from '../api/contract.ts';
import { Policy } from '../policies/contract.ts';
import { MAX_POLICIES } from '../policies/rows.ts';
import { NewPrice } from '../prices/contract.ts';

const MAX_PRICES = 1_000;
export const MOST_RECORDS = 500_000;
export const MOST_GROUPS = 200;
export const MOST_LARGEST = 10;

export const WhatIfQuestion = Type.Object(
  {
    policies: Type.Optional(
      Type.Array(Policy, {
        maxItems: MAX_POLICIES,
        description: 'Draft policies. Each replaces the one of its name; the others stay, unless `prune` is true.',
      }),
    ),
    prune: Type.Optional(
      Type.Boolean({ description: 'Leave out the policies of the database that `policies` does not have.' }),
    ),
    prices: Type.Optional(
      Type.Array(NewPrice, {
        maxItems: MAX_PRICES,
        description: 'Draft prices, besides those in force. The configuration file takes precedence.',
      }),
    ),
    from: time('Requests received from this time on. Default: 24 hours before `until`.'),
    until: time('Requests received before this time. Default: now. At most 31 days after `from`.'),
    account: word('Only requests of this account. Default: all accounts.'),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_RECORDS,
        description: 'Most records to read, the oldest first. Default: 500,000.',
      }),
    ),
  },
  closed,
);
export type WhatIfQuestion = Static<typeof WhatIfQuestion>;

/** Why it cannot be said what a request would have cost. */
export const WHYS_UNKNOWN = {
  interrupted: 'The process ended before the request did: only its start was recorded.',
  video: 'A video: orders are not planned again.',
  passthrough: 'A path that is passed through: it has one host.',
  preferences: 'Recorded before the preferences of callers were.',
  'host-gone': 'Its host is not configured any more, or does not serve the model.',
  'no-answer': 'It failed or was refused, and would now reach another host: there is no answer to price.',
  fallback: 'It would have reached a fallback to another model, which answers at another length.',
  'no-usage': 'It would have moved, and no usage was counted.',
  'no-price': 'The host it would have moved to has no price for a part of its usage.',
  size: 'An image whose price depends on its size or quality, which are not recorded.',
  strict: 'Strict now: whether the other host keeps every parameter was not judged.',
  timeouts: 'It took longer than the new timeouts allow.',
  latency: 'Ordered by latency, among hosts whose latency was not measured for it.',
} as const;
export type WhyUnknown = keyof typeof WHYS_UNKNOWN;

/** What holds of every answer, beside the counts of it. */
export const NOT_KNOWN: readonly string[] = [
  'Latency: another host may have been faster or slower, and may have failed.',
  'Length: a request that moves is priced with the usage of the answer it got. Another host counts tokens otherwise and answers at another length.',
  'Cache: input that was cached is priced as cached at the other host, too; `cacheLostUsd` is what it would cost more if nothing were.',
  'Content: what the wire format of another host would drop is known only where it was judged for the request.',
  'Limits: other costs use up budgets, credit and rate limits at other times.',
  'Draws: shares and round robin are drawn again where the draft changes them. The share is right, the single request is an example.',
];

const signedUsd = (description: string) => Type.String({ pattern: '^-?[0-9]+(\\.[0-9]{1,9})?$', description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const VERDICTS = ['kept', 'moved', 'refused', 'failed', 'unknown'] as const;
export type VerdictKind = (typeof VERDICTS)[number];

const sums = {
  requests: count('Recorded requests.'),
  kept: count('The same host answers, or the request is refused or fails as it did.'),
  moved: count('Another host answers.'),
  refused: count('Refused now.'),
  failed: count('No host is left but those that failed.'),
  unknown: count('Not known; not in the costs.'),
  wasUsd: signedUsd('What those that are known were billed.'),
  wouldUsd: signedUsd('What the same would have been billed.'),
  differenceUsd: signedUsd('`wouldUsd` less `wasUsd`.'),
} satisfies TProperties;

const Group = Type.Object({ name: Type.String({ description: 'Account or model; empty: none.' }), ...sums }, closed);
const host = (description: string) => nullable(Type.String({ description }));

const Single = Type.Object(
  {
    id: Type.String({ description: 'Id of the request.' }),
    receivedAt: moment('When it was received.'),
    accountId: Type.String(),
    model: Type.String({ description: 'The model that served it.' }),
    verdict: Type.Enum([...VERDICTS]),
    provider: host('The host that answered. Null: none.'),
    toProvider: host('The host that would have answered. Null: none.'),
    toModel: host('The model there.'),
    why: nullable(Type.String({ description: 'Why it would have been refused.' })),
    wasUsd: signedUsd('What it was billed.'),
    wouldUsd: signedUsd('What it would have been billed.'),
    differenceUsd: signedUsd('`wouldUsd` less `wasUsd`.'),
  },
  closed,
);

export const WhatIf = Type.Object(
  {
    from: moment('Start of the span.'),
    until: moment('End of the span that was read, exclusive.'),
    complete: Type.Boolean({
      description: 'False: ended early by the most records or the time limit; `until` says where.',
    }),
    ...sums,
    reordered: count('Kept, with the hosts behind the answering one, or before it, in another order.'),
    cacheLostUsd: signedUsd('What requests that moved would have cost more without a cached prompt at the other host.'),
    unlikeToday: count(
      'Requests that policies, prices and hosts of today plan otherwise than recorded: these changed since.',
    ),
    unknownBy: Type.Array(
      Type.Object(
        {
          why: Type.String(),
          says: Type.String({ description: 'The reason as a sentence.' }),
          requests: count('Requests.'),
          wasUsd: signedUsd('What they were billed.'),
        },
        closed,
      ),
    ),
    byAccount: Type.Array(Group, { description: `The ${MOST_GROUPS} accounts with the largest differences.` }),
    byModel: Type.Array(Group, { description: `The ${MOST_GROUPS} models with the largest differences.` }),
    largest: Type.Array(Single, { description: `The ${MOST_LARGEST} requests with the largest differences.` }),
    notKnown: Type.Array(Type.String(), { description: 'What cannot be known of any of them.' }),
  },
  { ...closed, $id: 'WhatIf' },
);
export type WhatIf = Static<typeof WhatIf>;
export type WhatIfSingle = Static<typeof Single>;
