/** Schemas of the admin API: they validate, type and document it at once. */
import Type, { type Static, type TSchema } from 'typebox';
import { rateRule } from '../../money/limits/rates-schema.ts';
import { KEY_ENDPOINTS, KEY_PROTOCOLS, ROLES } from '../../people/accounts/rights.ts';
import { ACCOUNT_EVENTS } from '../webhooks/events.ts';
import { FORMS } from './forms.ts';

export const closed = { additionalProperties: false } as const;
const MAX_LIST = 1000;

export const moment = (description: string) => Type.String({ format: 'date-time', description });
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const listOf = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { maxItems: MAX_LIST, description }));
const name = Type.String({ minLength: 1, maxLength: 200, pattern: FORMS.plainText, description: 'For people.' });

const kind = Type.Enum(['prepaid', 'postpaid', 'unlimited'], {
  description: 'Prepaid: no more than was paid in. Postpaid: up to a limit, billed later. Unlimited: recorded only.',
});
const status = Type.Enum(['active', 'suspended'], { description: 'Keys of a suspended account are refused.' });
const role = Type.Enum([...ROLES], { description: 'Each may do what the one before may.' });

const usd = Type.String({ pattern: FORMS.usd, description: 'US dollars, e.g. `20.00`; up to nine decimals.' });
const creditLimitUsd = Type.Optional(
  Type.String({
    pattern: FORMS.usd,
    description:
      'How far a postpaid account may go below zero, in US dollars. Required for postpaid, absent otherwise.',
  }),
);
const accountRates = nullable(
  Type.Object(rateRule.properties, {
    ...closed,
    description:
      'What all its keys of the database may use together; goes before `rateLimits` of the configuration. Null: as that has it.',
  }),
);
export const Account = Type.Object(
  {
    id: Type.String(),
    name,
    kind,
    status,
    parentId: nullable(Type.String({ description: 'The account above it.' })),
    rateLimits: accountRates,
    createdAt: moment('When it was made.'),
  },
  { ...closed, $id: 'Account' },
);
export const NewAccount = Type.Object(
  {
    id: Type.Optional(Type.String({ pattern: FORMS.accountId, description: 'Chosen, or made up when absent.' })),
    name,
    kind,
    creditLimitUsd,
    rateLimits: Type.Optional(accountRates),
  },
  closed,
);
export const AccountChange = Type.Object(
  {
    name: Type.Optional(name),
    kind: Type.Optional(kind),
    status: Type.Optional(status),
    creditLimitUsd,
    rateLimits: Type.Optional(accountRates),
  },
  { ...closed, minProperties: 1 },
);

const email = Type.String({ minLength: 3, maxLength: 320 });
export const Member = Type.Object(
  { id: Type.String(), name, email: nullable(email), role, createdAt: moment('When it was added.') },
  { ...closed, $id: 'Member' },
);
export const NewMember = Type.Object({ name, email: Type.Optional(email), role }, closed);
export const MemberChange = Type.Object(
  { name: Type.Optional(name), role: Type.Optional(role) },
  { ...closed, minProperties: 1 },
);

const short = Type.String({ minLength: 1, maxLength: 200 });
const KeyRights = Type.Object(
  {
    models: listOf(short, 'Models it may use; an entry may end in `*`. Absent: all.'),
    providers: listOf(Type.String({ minLength: 1, maxLength: 64 }), 'Hosts it may reach. Absent: all.'),
    protocols: listOf(Type.Enum([...KEY_PROTOCOLS]), 'Protocols it may speak. Absent: all.'),
    endpoints: listOf(Type.Enum([...KEY_ENDPOINTS]), 'What it may call. Absent: all.'),
    addresses: listOf(
      Type.String({ minLength: 2, maxLength: 64 }),
      'Addresses or ranges it may be used from. Absent: everywhere.',
    ),
    expiresAt: Type.Optional(Type.String({ pattern: FORMS.isoTime, description: 'When it stops working.' })),
    strict: Type.Optional(Type.Boolean({ description: 'Refuse what cannot be carried out to the letter.' })),
    tolerates: listOf(short, 'Losses that do not fail a strict request.'),
    rateLimits: Type.Optional(
      Type.Object(rateRule.properties, {
        ...closed,
        description:
          'Limits of its own; what is left out is as `rateLimits` of the configuration has it for every key.',
      }),
    ),
    manages: Type.Optional(role),
  },
  { ...closed, $id: 'KeyRights' },
);
export const Key = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    memberId: nullable(Type.String()),
    parentId: nullable(Type.String({ description: 'The key it was made with.' })),
    name,
    prefix: Type.String({ description: 'How the secret starts.' }),
    rights: KeyRights,
    createdAt: moment('When it was made.'),
    revokedAt: nullable(moment('When it was revoked.')),
    previousUntil: nullable(moment('Until when the secret before the last rotation is taken.')),
  },
  { ...closed, $id: 'Key' },
);
export const NewKey = Type.Object(
  {
    name,
    memberId: Type.Optional(Type.String({ maxLength: 100, description: 'The member it belongs to.' })),
    rights: Type.Optional(KeyRights),
  },
  closed,
);
export const KeyChange = Type.Object(
  { name: Type.Optional(name), rights: Type.Optional(KeyRights) },
  { ...closed, minProperties: 1 },
);
const keyState = Type.Enum(['active', 'expired', 'revoked']);
export const FoundKey = Type.Object(
  {
    ...Key.properties,
    prefix: Type.String({ description: 'How the secret starts. Empty: the configuration has only its hash.' }),
    createdAt: nullable(moment('When it was made. Null: the configuration names it.')),
    source: Type.Enum(['database', 'file'], { description: 'Keys of the configuration are changed there.' }),
    state: keyState,
    lastUsedAt: nullable(moment('The hour of its last recorded request, in UTC.')),
    spent30dUsd: Type.String({ description: 'Charged in the last 30 days, by the hour.' }),
  },
  { ...closed, $id: 'FoundKey' },
);
export type FoundKey = Static<typeof FoundKey>;
export const KeyWithSecret = Type.Object(
  { key: Key, secret: Type.String({ description: 'Shown this once.' }) },
  { ...closed, $id: 'KeyWithSecret' },
);
export const Rotation = Type.Object(
  {
    graceSeconds: Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      default: 0,
      description: 'How long the old secret is taken beside the new one.',
    }),
  },
  closed,
);
export const Revocation = Type.Object(
  { children: Type.Boolean({ default: true, description: 'Revoke the keys that were made with it as well.' }) },
  closed,
);
export const Revoked = Type.Object({ revoked: Type.Array(Type.String()) }, { ...closed, $id: 'Revoked' });

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: moment('When.'),
    accountId: nullable(Type.String()),
    actor: Type.String({ description: '`operator`, or `key:` and the id of a key.' }),
    action: Type.String(),
    subject: Type.String(),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  { ...closed, $id: 'AuditEntry' },
);
export const AuditVerdict = Type.Object(
  { intact: Type.Boolean(), broken: Type.Array(Type.String({ description: 'Ids of entries that were touched.' })) },
  { ...closed, $id: 'AuditVerdict' },
);

export const Host = Type.Object(
  {
    id: Type.String(),
    credential: Type.Enum(['file', 'database', 'none'], {
      description: 'Whose credential is used; the file comes first.',
    }),
    storedAt: nullable(moment('When one was stored in the database.')),
  },
  { ...closed, $id: 'Host' },
);
export const NewCredential = Type.Object(
  { credential: Type.String({ minLength: 1, maxLength: 16_384, description: 'What the host asks for.' }) },
  closed,
);
export const CredentialTrial = Type.Object(
  {
    credential: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: 'Tried in place of the one that is used, and kept nowhere.',
      }),
    ),
  },
  closed,
);
export const UpstreamErrorView = Type.Object(
  {
    status: Type.Optional(Type.Integer({ description: 'Absent: there was no answer.' })),
    code: Type.Optional(Type.String({ description: 'Of the connection, e.g. `ECONNREFUSED`.' })),
    upstreamRequestId: Type.Optional(Type.String({ description: "The upstream's own id of the request." })),
    text: Type.String({ description: 'The beginning of what the upstream said, redacted; or what is known instead.' }),
  },
  { ...closed, $id: 'UpstreamError' },
);
export const CredentialVerdict = Type.Object(
  {
    id: Type.String(),
    verdict: Type.Enum(['works', 'refused', 'unclear', 'unreachable', 'none'], {
      description:
        'What the host said when asked for its models. `unclear`: neither yes nor no. `none`: there is no credential, or no list to ask for.',
    }),
    status: nullable(Type.Integer({ description: "The host's status, if it answered." })),
    error: nullable(UpstreamErrorView),
  },
  { ...closed, $id: 'CredentialVerdict' },
);
export const Rewrapped = Type.Object({ moved: Type.Integer() }, { ...closed, $id: 'Rewrapped' });

const webhookEvents = nullable(
  Type.Array(Type.Enum([...ACCOUNT_EVENTS]), {
    minItems: 1,
    maxItems: ACCOUNT_EVENTS.length,
    uniqueItems: true,
    description: 'The events it gets. Null: the ends of operations.',
  }),
);
export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    createdAt: moment('When it was registered.'),
    previousUntil: nullable(moment('Until when the secret before the last rotation signs as well.')),
    goneAt: nullable(moment('When its host answered 410: nothing is sent to it any more.')),
    events: webhookEvents,
  },
  { ...closed, $id: 'Webhook' },
);
export const NewWebhook = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'Where messages are posted.' }),
    events: Type.Optional(webhookEvents),
  },
  closed,
);
export const WebhookChange = Type.Object({ events: webhookEvents }, closed);
export const WebhookWithSecret = Type.Object(
  { webhook: Webhook, secret: Type.String({ description: 'Signs its messages. Shown this once.' }) },
  { ...closed, $id: 'WebhookWithSecret' },
);

export const Page = Type.Object(
  {
    after: Type.Optional(Type.String({ maxLength: 200, description: 'Where the page before ended: its `next`.' })),
    limit: Type.Optional(Type.String({ pattern: FORMS.pageLimit, description: 'At most 200; 50 when absent.' })),
  },
  closed,
);
export const listOfItems = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next: nullable(Type.String()) }, closed);

export const KeySearch = Type.Object(
  {
    ...Page.properties,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Part of the name, or how the id or the secret starts.',
      }),
    ),
    state: Type.Optional(keyState),
    account: Type.Optional(
      Type.String({ maxLength: 100, description: 'Of this account. Absent: of all the caller may see.' }),
    ),
    member: Type.Optional(Type.String({ maxLength: 100, description: 'Of this member.' })),
    model: Type.Optional(Type.String({ maxLength: 200, description: 'That may use this model.' })),
    expiringBefore: Type.Optional(
      Type.String({ pattern: FORMS.isoTime, description: 'That expire before this time.' }),
    ),
  },
  closed,
);

export type Account = Static<typeof Account>;
export type Member = Static<typeof Member>;
export type Key = Static<typeof Key>;
export type AuditEntry = Static<typeof AuditEntry>;
export type Page = Static<typeof Page>;
export type Webhook = Static<typeof Webhook>;

export const Credit = Type.Object(
  {
    kind,
    creditUsd: Type.String({ description: 'All that was paid in.' }),
    spentUsd: Type.String({ description: 'Charged so far.' }),
    heldUsd: Type.String({ description: 'Held for requests in progress.' }),
    leasedUsd: Type.String({
      description: 'Leased to gateway nodes for requests to come. Not spent; what they do not use is returned.',
    }),
    creditLimitUsd: Type.String({ description: 'How far a postpaid account may go below zero.' }),
    overdraftUsd: Type.String({ description: 'The older name of `creditLimitUsd`. Goes with the next release.' }),
    overrunUsd: Type.String({
      description: 'The part of `spentUsd` above what was reserved: usage that could not be known before the call.',
    }),
    availableUsd: nullable(Type.String({ description: 'What is left for holds and new leases. Null: no limit.' })),
  },
  { ...closed, $id: 'Credit' },
);
export const Deposit = Type.Object(
  {
    usd,
    id: Type.Optional(
      Type.String({ pattern: FORMS.chosenId, description: 'Names this payment; made up when absent.' }),
    ),
    memo: Type.Optional(Type.String({ maxLength: 200, description: 'Kept with the entry.' })),
  },
  closed,
);
export const Budget = Type.Object(
  {
    scope: Type.String({ description: '`account`, `key:<id>` or `member:<id>`.' }),
    span: Type.Enum(['day', 'month', 'total']),
    usd: Type.String({ description: 'The most that may be spent.' }),
    setBy: Type.Enum(['operator', 'member'], {
      description: 'Members and managing keys of the account change or remove only those that one of them has set.',
    }),
    spentUsd: Type.String({ description: 'Charged in the day or month that runs, or in all.' }),
    heldUsd: Type.String({ description: 'Set aside of it.' }),
  },
  { ...closed, $id: 'Budget' },
);
const budgetName = {
  scope: Type.String({
    pattern: FORMS.budgetScope,
    description: '`account`, `key:<id>` or `member:<id>`.',
  }),
  span: Type.Enum(['day', 'month', 'total'], { description: 'Days and months of UTC.' }),
};
export const BudgetChange = Type.Object({ ...budgetName, usd }, { ...closed, $id: 'BudgetChange' });
export const BudgetName = Type.Object(budgetName, closed);
export type Credit = Static<typeof Credit>;

const orderId = Type.String({ pattern: FORMS.chosenId, description: 'Made up when absent.' });
const orderTerms = {
  provider: Type.String({ pattern: FORMS.paymentProvider, description: 'A payment provider of the configuration.' }),
  amountMinor: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'What is to be paid, in the smallest unit of the currency.',
  }),
  currency: Type.String({ pattern: FORMS.currency, description: 'ISO 4217 in lower case.' }),
  creditUsd: usd,
};
export const NewOrder = Type.Object({ ...orderTerms, id: Type.Optional(orderId) }, closed);
export const Order = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    ...orderTerms,
    state: Type.Enum(['open', 'paid']),
    createdAt: moment('When it was made.'),
    paidAt: nullable(moment('When it was paid.')),
  },
  { ...closed, $id: 'Order' },
);
export type Order = Static<typeof Order>;
