// One line per finished request, in a fixed format that log pipelines may rely on. It never contains content, a secret
// or an upstream's address.

import { FAULT_RULES, type JsonObject } from '@trivium/protocol/canonical';
import type { RequestRecord } from '../kernel/record.ts';
import { formatNanoUsd } from '../kernel/usd.ts';
import { isoTimes } from './iso-time.ts';
import type { Log } from './log.ts';
import type { Redact } from './redact.ts';

const MAX_METADATA_ENTRIES = 16;
const MAX_METADATA_NAME = 64;
const MAX_METADATA_VALUE = 512;
export const MAX_LOSSES = 64;

/** The caller's own texts: bounded, flat and redacted. */
export const boundedMetadata = (metadata: JsonObject, redact: Redact): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(metadata).slice(0, MAX_METADATA_ENTRIES)) {
    if (value === null || typeof value === 'object') continue;
    kept[name.slice(0, MAX_METADATA_NAME)] = redact(String(value).slice(0, MAX_METADATA_VALUE));
  }
  return kept;
};

const roundMs = (durationMs: number): number => Math.round(durationMs * 100) / 100;

const attemptOf = ({
  provider,
  lane,
  fault,
  sealsStripped,
  durationMs,
  hedge,
  operatorCost,
}: RequestRecord['attempts'][number]) => ({
  provider,
  lane,
  fault,
  sealsStripped,
  hedge,
  // Usage of an attempt that did not answer the caller.
  operatorUsage: operatorCost?.usage,
  operatorNanoUsd: operatorCost?.nanoUsd,
  durationMs: roundMs(durationMs),
});

const isoTime = isoTimes();

/** Absent values are undefined: one object literal for every request; the serialiser leaves them out. */
const usageLine = (record: RequestRecord, redact: Redact): object => {
  const { fault, reading, bill, firstByteMs, losses, metadata } = record;
  // A stream that failed had already sent a 200.
  const begun = record.how === 'done' || firstByteMs !== undefined;
  return {
    level: 'info',
    msg: 'request',
    time: isoTime(record.receivedAtMs + record.durationMs),
    requestId: record.requestId,
    accountId: record.accountId,
    keyId: record.keyId,
    model: record.modelId,
    provider: record.provider,
    protocol: record.protocol,
    stream: record.stream,
    lane: record.lane,
    laneWhy: record.laneWhy,
    attempts: record.attempts.map(attemptOf),
    usage: reading?.usage ?? {},
    costUsd:
      bill === undefined || bill.cost.unpriced.length > 0
        ? undefined
        : formatNanoUsd(record.chargedNanoUsd ?? bill.cost.nanoUsd),
    // What is charged of implausible usage; the figures above are as reported.
    suspect: bill?.suspect === undefined ? undefined : { why: bill.suspect.why, charged: bill.usage },
    usageBasis: reading?.reported === true ? 'reported' : 'estimated',
    losses: losses === undefined ? [] : losses.length > MAX_LOSSES ? losses.slice(0, MAX_LOSSES) : losses,
    status: begun || fault === undefined ? 200 : FAULT_RULES[fault.kind].status,
    outcome: fault?.kind ?? (record.how === 'gone' ? 'cancelled' : 'ok'),
    durationMs: roundMs(record.durationMs),
    firstByteMs: firstByteMs === undefined ? undefined : roundMs(firstByteMs),
    metadata: metadata === undefined ? undefined : boundedMetadata(metadata, redact),
  };
};

export const usageLog =
  (log: Log) =>
  (records: readonly RequestRecord[]): void =>
    log.usage(records.map((record) => usageLine(record, log.redact)));
