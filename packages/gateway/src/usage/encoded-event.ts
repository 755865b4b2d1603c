/** A usage event as it travels: one line of JSON, written once, that the journal holds and the database reads. */
import type { BegunRequest } from '../kernel/record.ts';
import type { UsageEvent } from './event.ts';

export type EncodedEvent = { readonly requestId: string; readonly receivedAtMs: number; readonly json: string };

/** What PostgreSQL's JSON cannot hold: the zero character, and halves of characters. */
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/g;

export const keptOf = (event: UsageEvent): EncodedEvent => ({
  requestId: event.requestId,
  receivedAtMs: event.receivedAtMs,
  json: storable(JSON.stringify(event)),
});

/** Hardly any event holds an escape at all. */
const storable = (json: string): string => (json.includes('\\u') ? json.replace(UNSTORABLE, '\\ufffd') : json);

/** A request that was let in and of which nothing more was heard. */
export type Begun = BegunRequest & Pick<UsageEvent, 'requestId' | 'accountId'>;

/** Its process died before it was over. Nothing is known but that it ran, and what is charged for it. */
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
