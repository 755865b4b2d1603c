/** Records of requests in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, listOfItems, moment, nullable, UpstreamErrorView } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const word = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: FORMS.plainText, description }));
const form = (pattern: string, description: string) => Type.Optional(Type.String({ pattern, description }));

const filters = {
  from: form(FORMS.isoTime, 'Received at or after this time (default: 24 hours before `until`).'),
  until: form(FORMS.isoTime, 'Received before this time (default: now).'),
  id: word('The id of the request, or of its answer (`chatcmpl-…`, `msg_…`, `resp_…`).'),
  key: word('The id of the API key.'),
  member: word('The id of the member the key belongs to.'),
  model: word('The model that served it, or was called last; may end in `*`.'),
  askedModel: word('The model as the caller wrote it; may end in `*`.'),
  provider: word('The provider that answered, or was called last.'),
  protocol: word('`chat`, `responses`, `messages` or `genai`.'),
  operation: word(
    '`text`, `embed`, `rerank`, `moderate`, `image`, `video`, `passthrough`, `speech` or `transcription`.',
  ),
  outcome: word(
    'Comma-separated: `ok`, `failed`, `caller`, `upstream`, `gateway` (the responsible party), `interrupted`, or kinds of errors such as `over-rate`.',
  ),
  conversation: word('Only calls of this conversation, as `conversation` of a request names it.'),
  status: form(FORMS.statusClass, 'The HTTP status the caller got, e.g. `429` or `5xx`.'),
  minCostUsd: form(FORMS.usd, 'Charged at least this much, in US dollars.'),
  minDurationMs: form(FORMS.wholeNumber, 'Took at least this long, in ms.'),
};
const ofAll = { account: word('Only this account.'), ...filters };

const paging = {
  after: word('Cursor: `next` of the previous page.'),
  limit: form(FORMS.pageLimit, 'Page size, at most 200. Default: 50.'),
  order: Type.Optional(
    Type.Enum(['newest', 'oldest'], { description: 'By the time they were received. Default: `newest`.' }),
  ),
};
const bound = {
  limit: form(FORMS.wholeNumber, 'Maximum rows, up to 1,000,000. Default: 100,000.'),
  order: paging.order,
};
const bars = {
  bucketSeconds: form(
    FORMS.wholeNumber,
    'Width of a bar. Default: at most 60 bars; whole hours for periods beyond two hours.',
  ),
};

type RequestFilters = typeof ofAll;

/** For all accounts, or for the account in the path. */
const questionsOn = (known: RequestFilters) => ({
  live: Type.Object(known, closed),
  page: Type.Object({ ...known, ...paging }, closed),
  rows: Type.Object({ ...known, ...bound }, closed),
  bars: Type.Object({ ...known, ...bars }, closed),
});

export const QUESTIONS = questionsOn(ofAll);
/** Without `account`: the path names it. */
export const ACCOUNT_QUESTIONS = questionsOn(filters as RequestFilters);

export type RequestQuery = Static<typeof QUESTIONS.live>;

const ms = (description: string) => nullable(Type.Number({ description: `${description}, in ms.` }));
const optionalMs = (description: string) => Type.Optional(Type.Number({ description }));
const usage = Type.Record(Type.String(), Type.Number(), { description: 'Usage dimensions and their quantities.' });

const rowMembers = {
  id: Type.String(),
  receivedAt: moment('Time of arrival.'),
  accountId: nullable(Type.String({ description: 'Null: the credential was missing or not valid.' })),
  keyId: nullable(Type.String()),
  keyName: nullable(Type.String({ description: 'Name of a database key.' })),
  memberId: nullable(Type.String()),
  askedModel: nullable(Type.String({ description: 'Model as written by the caller.' })),
  model: nullable(
    Type.String({
      description: 'Serving model; else last called; else first planned. Null: refused.',
    }),
  ),
  provider: nullable(Type.String({ description: 'Answering provider; else last called. Null: none was called.' })),
  protocol: Type.String(),
  operation: nullable(Type.String()),
  stream: Type.Boolean(),
  lane: nullable(Type.String({ description: '`verbatim` or `translated`.' })),
  outcome: Type.String({ description: '`ok`, `interrupted`, or the kind of error.' }),
  outcomeClass: Type.Enum(['ok', 'caller', 'upstream', 'gateway'], {
    description: 'Responsible party: caller, upstream or gateway.',
  }),
  status: Type.Integer({ description: 'The HTTP status the caller got; 200 of a stream that broke off.' }),
  refused: Type.Boolean({ description: 'Refused before admission; no provider was called.' }),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cachedTokens: Type.Integer({ description: 'Cached input tokens.' }),
  costUsd: nullable(
    Type.String({ description: 'Amount charged. Null: nothing was charged, or some usage has no price.' }),
  ),
  estimated: Type.Boolean({ description: 'Some of the usage is estimated by the gateway.' }),
  firstTokenMs: ms('From its arrival to the first content'),
  durationMs: Type.Number({ description: 'From its arrival to its end, in ms.' }),
};

export const RequestRow = Type.Object(
  {
    ...rowMembers,
    attempts: Type.Integer({ description: 'Number of attempts.' }),
    losses: Type.Integer({ description: 'Number of losses.' }),
  },
  { ...closed, $id: 'RequestRow' },
);

export const RequestAttempt = Type.Object(
  {
    provider: Type.String(),
    model: nullable(Type.String()),
    lane: Type.String(),
    outcome: Type.String({ description: '`ok`, or the kind of error.' }),
    status: nullable(Type.Integer({ description: "Status of the provider's answer. Null: no answer." })),
    startMs: optionalMs('Start of the attempt. All times of attempts count from the arrival of the request.'),
    connectedMs: optionalMs('A new connection was established.'),
    sentMs: optionalMs('The request was sent.'),
    headMs: optionalMs('Status and headers arrived.'),
    firstContentMs: optionalMs('The first content arrived.'),
    endMs: optionalMs('The attempt failed, or its answer was passed on completely.'),
    waitMs: optionalMs('The pause before it.'),
    retryAfterMs: optionalMs('Wait requested by the provider.'),
    hedge: Type.Optional(Type.Enum(['won', 'lost'], { description: 'One of two parallel attempts.' })),
    sealsStripped: Type.Optional(Type.Boolean()),
    credential: Type.Optional(
      Type.Integer({ description: 'Position of the credential in the configuration, from 1. Operators only.' }),
    ),
    error: Type.Optional(UpstreamErrorView),
    operatorCost: Type.Optional(
      Type.Object(
        { usage, estimated: Type.Boolean(), costUsd: Type.String() },
        { ...closed, description: 'Usage of an attempt that did not answer the caller. Operators only.' },
      ),
    ),
  },
  { ...closed, $id: 'RequestAttempt' },
);

const weighed = Type.Object(
  {
    provider: Type.String(),
    model: Type.String(),
    fit: nullable(Type.String()),
    room: nullable(Type.String()),
    firstTokenMs: ms('As measured when the plan was made'),
    waiting: Type.Integer({ description: 'Requests that waited for it.' }),
    usdPerMillion: nullable(
      Type.Number({ description: 'US dollars per million tokens, three input tokens to one output token.' }),
    ),
    isMaker: Type.Boolean(),
    holdsCache: Type.Boolean(),
    contextLength: nullable(Type.Integer()),
  },
  closed,
);

export const RequestDecision = Type.Object(
  {
    decidedBy: Type.String(),
    modelsBy: nullable(
      Type.Object({ taskType: Type.String(), complexity: Type.String(), estimated: Type.Boolean() }, closed),
    ),
    promptTokens: nullable(Type.Object({ atLeast: Type.Number(), atMost: Type.Number() }, closed)),
    order: Type.Array(weighed),
    policies: Type.Optional(
      Type.Array(Type.Object({ member: Type.String(), policy: Type.String() }, closed), {
        description: 'What routing policies set, and which of them. Absent: none applied.',
      }),
    ),
    canary: Type.Optional(
      Type.Object(
        {
          policy: Type.String(),
          percent: Type.Number({ description: 'Its share at the time.' }),
          sentTo: nullable(Type.Object({ provider: Type.String(), model: Type.String() }, closed)),
        },
        {
          ...closed,
          description:
            'The canary that was drawn for, and its target if the request was sent there first. Absent: none.',
        },
      ),
    ),
    onLimit: Type.Optional(
      Type.Object(
        { model: Type.String(), budget: Type.String({ description: 'Its template, e.g. `each member per month`.' }) },
        {
          ...closed,
          description: 'The model asked for did not fit a budget, whose template names this one. Absent: it fitted.',
        },
      ),
    ),
  },
  { ...closed, $id: 'RequestDecision' },
);

export const RequestDetail = Type.Object(
  {
    ...rowMembers,
    cause: nullable(Type.String({ description: 'Cause of failure in one line. Null: no failure.' })),
    problem: nullable(Type.String({ description: 'Error message sent to the caller.' })),
    unrecorded: Type.Integer({ description: 'Refused requests before it that have no record.' }),
    strict: Type.Boolean(),
    client: nullable(
      Type.String({ description: 'Kind of the program in which the person signed in. Null: a key called.' }),
    ),
    laneWhy: nullable(Type.String()),
    stages: Type.Array(
      Type.Object({ name: Type.Enum(['admit', 'upstream']), startMs: Type.Number(), endMs: Type.Number() }, closed),
    ),
    attempts: Type.Array(RequestAttempt),
    decision: nullable(RequestDecision),
    leftOut: Type.Array(
      Type.Object(
        {
          provider: Type.String(),
          model: Type.String(),
          why: Type.String(),
          policy: Type.Optional(Type.String({ description: 'The routing policy that left it out.' })),
          contextLength: Type.Optional(Type.Integer()),
        },
        closed,
      ),
    ),
    losses: Type.Array(Type.Object({ field: Type.String(), why: Type.String() }, closed)),
    usage,
    suspect: nullable(Type.Object({ why: Type.Array(Type.String()), reported: usage }, closed)),
    costLines: Type.Array(
      Type.Object(
        {
          meter: Type.String(),
          kind: Type.String(),
          quantity: Type.Number(),
          unit: Type.String(),
          priceUsd: Type.String(),
          amountUsd: Type.String(),
        },
        closed,
      ),
    ),
    unpriced: Type.Array(Type.String({ description: 'Usage that has no price.' })),
    priceVersion: nullable(Type.String()),
    metadata: nullable(Type.Record(Type.String(), Type.String())),
    conversation: nullable(
      Type.String({
        description:
          'The same for all calls that the caller put into one conversation: a hash of its `x-session-id`, of the session of an agent, of `prompt_cache_key`, or of the id of the stored conversation.',
      }),
    ),
    tags: Type.Record(Type.String(), Type.String(), {
      description: 'Tags its account has declared; empty where the request has none.',
    }),
  },
  { ...closed, $id: 'RequestDetail' },
);

export const RequestHistogram = Type.Object(
  {
    from: moment('The start of the first bar that can be.'),
    until: moment('The end of the span.'),
    bucketSeconds: Type.Integer(),
    bars: Type.Array(
      Type.Object(
        {
          at: moment('Start of the bar.'),
          ok: Type.Integer(),
          caller: Type.Integer(),
          upstream: Type.Integer(),
          gateway: Type.Integer(),
        },
        closed,
      ),
    ),
  },
  { ...closed, $id: 'RequestHistogram' },
);

export const RequestRows = listOfItems(RequestRow);

export type RequestRow = Static<typeof RequestRow>;
export type RequestDetail = Static<typeof RequestDetail>;
export type RequestAttempt = Static<typeof RequestAttempt>;
export type RequestDecision = Static<typeof RequestDecision>;
