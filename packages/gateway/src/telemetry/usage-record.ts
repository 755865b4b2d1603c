// What is kept of one finished request. Never holds content, a secret or an upstream's address.

import type { FaultKind, JsonObject, Loss, Usage } from '@trivium/protocol/canonical';

export interface UsageAttempt {
  readonly provider: string;
  readonly lane: string;
  /** Absent when the attempt succeeded. */
  readonly fault?: FaultKind;
  /** Present when the attempt was made without seals, because the upstream had refused them. */
  readonly sealsStripped?: true;
  readonly durationMs: number;
}

export interface UsageRecord {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** Catalogue id, as resolved. */
  readonly model: string;
  /** Of the attempt that answered; absent when none did. */
  readonly provider?: string;
  /** The inbound protocol. */
  readonly protocol: string;
  readonly stream: boolean;
  readonly lane?: 'verbatim' | 'translated';
  /** Why a request left the verbatim lane. */
  readonly laneWhy?: string;
  readonly attempts: readonly UsageAttempt[];
  readonly usage: Usage;
  /** `estimated`: the upstream reported nothing, or the stream broke before it did. */
  readonly usageBasis: 'reported' | 'estimated';
  readonly losses: readonly Loss[];
  /** HTTP status sent to the caller. */
  readonly status: number;
  readonly outcome: 'ok' | FaultKind;
  readonly durationMs: number;
  /** To the first byte sent to the caller; absent when nothing was sent. */
  readonly firstByteMs?: number;
  /** As the caller gave it. */
  readonly metadata?: JsonObject;
}
