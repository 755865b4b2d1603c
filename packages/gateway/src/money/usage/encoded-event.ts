/** A usage event as one line of JSON, serialized once, for the journal and for the database. */
import type { BegunRequest } from '../../kernel/record.ts';
import type { UsageEvent } from './event.ts';

export type EncodedEvent = { readonly requestId: string; readonly receivedAtMs: number; readonly json: string };

/** Characters that PostgreSQL's JSON cannot store: NUL and lone surrogates. */
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/g;

export const keptOf = (event: UsageEvent): EncodedEvent => ({
  requestId: event.requestId,
  receivedAtMs: event.receivedAtMs,
  json: storable(JSON.stringify(event)),
});

/** Hardly any event contains an escape. */
const storable = (json: string): string => (json.includes('\\u') ? json.replace(UNSTORABLE, '\\ufffd') : json);

/** A request that was admitted and has no end in the journal. */
export type Begun = BegunRequest & Pick<UsageEvent, 'requestId' | 'accountId'>;

/** The request's process died before it was over: only its start, and what is charged for it, are known. */
export const interruptedOf = (begun: Begun, costNano = 0n): UsageEvent => ({
  requestId: begun.requestId,
  accountId: begun.accountId,
  keyId: begun.keyId,
  memberId: begun.memberId,
  modelId: begun.modelId,
  protocol: begun.protocol,
  receivedAtMs: begun.receivedAtMs,
  provider: null,
  outcome: 'interrupted',
  status: INTERRUPTED_STATUS,
  durationMs: 0,
  firstByteMs: null,
  inputTokens: 0,
  outputTokens: 0,
  costNano: `${costNano}`,
  estimated: true,
  priceVersion: null,
  details: {
    stream: false,
    usage: {},
    lines: [],
    unpriced: [],
    attempts: [],
    losses: [],
    leftOut: [],
    tags: begun.tags,
  },
});

const INTERRUPTED_STATUS = 500;
