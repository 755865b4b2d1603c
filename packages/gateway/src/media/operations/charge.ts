/** What a finished operation costs, and its record. */
import type { VideoProgress } from '@trivium/protocol/canonical';
import type { Bill, RequestRecord } from '../../kernel/record.ts';
import { costOf } from '../../money/prices/cost.ts';
import { videoTokenLimit, withinLimits } from '../../money/prices/plausible.ts';
import { recallRates } from '../../money/prices/rates.ts';
import { clipUsage } from '../../money/prices/video.ts';
import type { KeptBill, Ordered, VideoOperation } from './operation.ts';

type Done = Extract<VideoProgress, { state: 'done' }>;

/** Charges what was delivered, never more than was ordered: a clip withheld by moderation costs nothing. */
export function billOf(ordered: Ordered, { videos, ...figures }: Done): KeptBill {
  const clips = Math.min(videos.length, ordered.count);
  const [seconds, tokens] = [some(figures.seconds), some(figures.tokens)];
  const length = lesser(seconds, ordered.seconds);
  const counted = tokens === undefined ? ordered.tokens : tokens / Math.max(1, clips);
  const reported = clipUsage(clips, { seconds: length, tokens: ordered.tokens === undefined ? undefined : counted });
  const { usage, why } = withinLimits(reported, [videoTokenLimit(clips * (ordered.tokens ?? 0))]);
  const { nanoUsd } = costOf(usage, recallRates(ordered.rates));
  const isOurCount = ordered.tokens !== undefined && tokens === undefined;
  const bill = { usage: { ...usage }, estimated: clips > 0 && isOurCount, nanoUsd: `${nanoUsd}` };
  return why.length === 0 ? bill : { ...bill, suspect: { why, reported } };
}

/** No clip has none: a host that reports 0 has not reported it. */
const some = (figure: number | undefined): number | undefined =>
  figure !== undefined && figure > 0 ? figure : undefined;

const lesser = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

/** As for any request; its duration is that from the order to the end. */
export function recordOf(operation: VideoOperation): RequestRecord {
  const { ordered, result, fault, finishedAtMs = operation.receivedAtMs, receivedAtMs, provider } = operation;
  const durationMs = Math.max(0, finishedAtMs - receivedAtMs);
  const bill = result === undefined ? undefined : asBill(result.bill, ordered);
  return {
    how: fault === undefined ? 'done' : fault.kind === 'cancelled' ? 'gone' : 'fault',
    ...(fault !== undefined && { fault }),
    ...(bill !== undefined && {
      bill,
      reading: { usage: bill.usage, reported: !bill.estimated, producedCharacters: 0, producedPieces: 0 },
    }),
    provider,
    lane: 'translated',
    losses: ordered.losses,
    requestId: operation.requestId,
    protocol: operation.protocol,
    operation: 'video',
    accountId: operation.accountId,
    keyId: operation.keyId,
    modelId: operation.modelId,
    stream: false,
    attempts: [
      {
        provider,
        lane: 'translated',
        ...(fault !== undefined && { fault: fault.kind }),
        startMs: 0,
        endMs: durationMs,
        durationMs,
      },
    ],
    receivedAtMs,
    durationMs,
    firstByteMs: undefined,
    metadata: undefined,
    tags: ordered.tags,
  };
}

const asBill = ({ usage, estimated, suspect }: KeptBill, { rates }: Ordered): Bill => ({
  usage,
  estimated,
  ...(suspect !== undefined && { suspect }),
  cost: costOf(usage, recallRates(rates)),
});
