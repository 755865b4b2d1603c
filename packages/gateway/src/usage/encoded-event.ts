/** A usage event as it travels: one line of JSON, written once, that the journal holds and the database reads. */
import type { UsageDetails, UsageEvent } from './event.ts';

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

export const eventIn = ({ json }: EncodedEvent): UsageEvent => JSON.parse(json);

/** What is known of a request that was let in and of which nothing more was heard. */
export type Begun = Pick<
  UsageEvent,
  'requestId' | 'accountId' | 'keyId' | 'memberId' | 'modelId' | 'protocol' | 'receivedAtMs'
> &
  Pick<UsageDetails, 'tags'>;

/** Its process died before it was over. What was charged for it is in the ledger: here nothing is known but that it ran. */
export const interruptedOf = (begun: Begun): UsageEvent => ({
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
  costNano: '0',
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

export type JournalLine = { readonly begun: Begun } | { readonly over: EncodedEvent };

export const beganJson = (begun: Begun): string => JSON.stringify({ begun });

export function readJournalLine(json: string): JournalLine {
  const read: { begun: Begun } | UsageEvent = JSON.parse(json);
  return 'begun' in read ? read : { over: { requestId: read.requestId, receivedAtMs: read.receivedAtMs, json } };
}
