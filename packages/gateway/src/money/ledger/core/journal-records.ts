/**
 * What a node writes to its journal before it acts, one line of JSON per record. From the records of a dead epoch,
 * `replay` derives everything the node still owed the ledger database.
 */

import type { Release, Settle } from './commands.ts';
import type { Nano } from './ledger-state.ts';
import type { StoreUsage, UsageLine } from './usage-line.ts';

/**
 * The end of a request, with its usage. `usage` is absent in journals of old releases, which kept usage in a separate
 * journal.
 */
export type EndRecord =
  | {
      readonly at: 'settle';
      readonly request: string;
      readonly cost: Nano;
      readonly estimated: boolean;
      readonly memo: string;
      usage?: UsageLine;
    }
  | { readonly at: 'release'; readonly request: string; usage?: UsageLine };

export type JournalRecord =
  /** Written before the request goes upstream. `lease` is empty on the strict path. */
  | {
      readonly at: 'admit';
      readonly request: string;
      readonly account: string;
      readonly lease: string;
      readonly amount: Nano;
      readonly priceVersion: string;
      /** The start of the usage event, for its row if the process dies. Absent in old journals, as `usage` is. */
      readonly begun?: object | undefined;
    }
  | { readonly at: 'extend'; readonly request: string; readonly amount: Nano }
  | { readonly at: 'checkpoint'; readonly request: string; readonly cost: Nano }
  | EndRecord
  /** Usage of a request that has no other record. */
  | { readonly at: 'usage'; readonly request: string; readonly usage: UsageLine };

type Admission = {
  readonly account: string;
  readonly lease: string;
  readonly priceVersion: string;
  readonly begun: object | undefined;
  amount: Nano;
  checkpoint: Nano;
};

export type Owed = Settle | Release | StoreUsage;

/** Makes the usage of a request whose process died, with the cost it is charged. */
export type Interrupted = (begun: object, request: string, account: string, cost: Nano) => UsageLine;

/**
 * First the requests that ended, in that order; then those that ran when the node died, settled at their last
 * checkpoint, as estimates.
 */
export function* replay(records: Iterable<JournalRecord>, interrupted?: Interrupted): Generator<Owed> {
  const unended = new Map<string, Admission>();
  yield* endsIn(records, unended);
  for (const [request, admission] of unended) {
    const { account, begun, amount, checkpoint } = admission;
    const cost = checkpoint < amount ? checkpoint : amount;
    const usage = begun && interrupted?.(begun, request, account, cost);
    const end: EndRecord =
      cost === 0n ? { at: 'release', request } : { at: 'settle', request, cost, estimated: true, memo: '' };
    yield* owedFor(usage === undefined ? end : { ...end, usage }, admission);
  }
}

/**
 * What a live node posts again to a database that may have lost the latest postings: every request that has ended, and
 * the release of every lease that no request uses any more. What the database still has stays as it is.
 */
export function* repost(records: Iterable<JournalRecord>, used: ReadonlySet<string>): Generator<Owed> {
  const leases = new Map<string, Release>();
  yield* endsIn(records, new Map(), ({ account, lease }) => {
    if (lease !== '' && !used.has(lease)) leases.set(lease, { do: 'release', account, hold: lease });
  });
  yield* leases.values();
}

/** Leaves in `unended` the requests that have not ended. */
function* endsIn(
  records: Iterable<JournalRecord>,
  unended: Map<string, Admission>,
  onAdmission: (admission: Admission) => void = () => undefined,
): Generator<Owed> {
  for (const record of records) {
    const admission = unended.get(record.request);
    if (record.at === 'admit') {
      const { account, lease, priceVersion, amount, begun } = record;
      // Each new segment repeats the admissions of the requests still running when it was started.
      if (admission !== undefined) admission.amount = amount;
      else {
        const admitted = { account, lease, priceVersion, begun, amount, checkpoint: 0n };
        unended.set(record.request, admitted);
        onAdmission(admitted);
      }
    } else if (record.at === 'usage') yield { do: 'usage', usage: record.usage };
    else if (record.at === 'settle' || record.at === 'release') {
      unended.delete(record.request);
      yield* owedFor(record, admission);
    } else if (admission === undefined) continue;
    else if (record.at === 'extend') admission.amount = record.amount;
    else admission.checkpoint = record.cost;
  }
}

/** Without its admission a request's account is unknown; the usage row names it itself. */
function* owedFor(end: EndRecord, admission: Admission | undefined): Generator<Owed> {
  const { request, usage } = end;
  const withUsage = usage === undefined ? {} : { usage };
  if (admission !== undefined && end.at === 'settle') {
    const { account, lease, priceVersion } = admission;
    const { cost, estimated, memo } = end;
    yield { do: 'settle', account, request, lease, cost, priceVersion, estimated, memo, ...withUsage };
  } else if (admission !== undefined && isKnown(admission))
    yield { do: 'release', account: admission.account, hold: request, ...withUsage };
  else if (usage !== undefined) yield { do: 'usage', usage };
}

/** The ledger database learns of a request under a lease from its first checkpoint. */
const isKnown = ({ lease, checkpoint }: Admission): boolean => lease === '' || checkpoint > 0n;

/** Amounts are decimal strings: JSON numbers are not exact. */
export function recordToJson(record: JournalRecord): string {
  const { at, request } = record;
  switch (at) {
    case 'admit': {
      const { account, lease, amount, priceVersion, begun } = record;
      return JSON.stringify({ at, request, account, lease, amount: `${amount}`, priceVersion, begun });
    }
    case 'settle': {
      const { cost, estimated, memo, usage } = record;
      return withUsage(JSON.stringify({ at, request, cost: `${cost}`, estimated, memo }), usage);
    }
    case 'extend':
      return JSON.stringify({ at, request, amount: `${record.amount}` });
    case 'checkpoint':
      return JSON.stringify({ at, request, cost: `${record.cost}` });
    case 'release':
    case 'usage':
      return withUsage(JSON.stringify({ at, request }), record.usage);
  }
}

/** `usage.json` is serialized already, and by far the longest part of a line. */
const withUsage = (json: string, usage: UsageLine | undefined): string =>
  usage?.json === undefined ? json : `${json.slice(0, -1)},"usage":${usage.json}}`;

export function recordFromJson(json: string): JournalRecord {
  const record = JSON.parse(json);
  if (record.amount !== undefined) record.amount = BigInt(record.amount);
  if (record.cost !== undefined) record.cost = BigInt(record.cost);
  if (record.usage !== undefined) {
    const { receivedAtMs } = record.usage;
    record.usage = { requestId: record.request, receivedAtMs, json: JSON.stringify(record.usage) };
  }
  return record;
}
