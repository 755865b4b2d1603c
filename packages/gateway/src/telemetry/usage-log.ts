// One line per finished request, in a fixed form that log pipelines may rely on.

import type { JsonObject } from '@trivium/protocol/canonical';
import type { Log } from './log.ts';
import type { Redact } from './redact.ts';
import type { UsageRecord } from './usage-record.ts';

const MAX_METADATA_ENTRIES = 16;
const MAX_METADATA_NAME = 64;
const MAX_METADATA_VALUE = 512;
const MAX_LOSSES = 64;

/** The caller's own words: bounded, flat and redacted. */
const metadataOf = (metadata: JsonObject, redact: Redact): Readonly<Record<string, string>> => {
  const kept: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(metadata).slice(0, MAX_METADATA_ENTRIES)) {
    if (value === null || typeof value === 'object') continue;
    kept[name.slice(0, MAX_METADATA_NAME)] = redact(String(value).slice(0, MAX_METADATA_VALUE));
  }
  return kept;
};

const roundMs = (durationMs: number): number => Math.round(durationMs * 100) / 100;

export const usageLine = (record: UsageRecord, redact: Redact): object => ({
  requestId: record.requestId,
  accountId: record.accountId,
  keyId: record.keyId,
  model: record.model,
  provider: record.provider,
  protocol: record.protocol,
  stream: record.stream,
  lane: record.lane,
  laneWhy: record.laneWhy,
  attempts: record.attempts.map(({ provider, lane, fault, durationMs }) => ({
    provider,
    lane,
    fault,
    durationMs: roundMs(durationMs),
  })),
  usage: record.usage,
  usageBasis: record.usageBasis,
  losses: record.losses.slice(0, MAX_LOSSES).map(({ path, why }) => ({ path, why })),
  status: record.status,
  outcome: record.outcome,
  durationMs: roundMs(record.durationMs),
  firstByteMs: record.firstByteMs === undefined ? undefined : roundMs(record.firstByteMs),
  metadata: record.metadata === undefined ? undefined : metadataOf(record.metadata, redact),
});

export const usageLog =
  (log: Log) =>
  (record: UsageRecord): void =>
    log.usage(usageLine(record, log.redact));
