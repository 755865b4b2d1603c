/** An operation as it is written down, and what can happen to it. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { VideoTarget, VideoTask } from '@trivium/protocol/dialects';
import type { Suspect } from '../kernel/record.ts';
import type { Tags } from '../kernel/tags.ts';
import type { KeptRates } from '../prices/rates.ts';
import type { OperationState } from './states.ts';

/** What asking after it and charging for it need; nothing of what the caller wrote or showed. */
export type Ordered = {
  readonly target: VideoTarget;
  readonly count: number;
  /** Of each clip, where the model or the caller says. */
  readonly seconds?: number;
  /** Of each clip by our own count, for hosts that charge by tokens and do not tell them. */
  readonly tokens?: number;
  /** As they were when it was ordered. */
  readonly rates: KeptRates;
  readonly losses: readonly Loss[];
  /** Of its account, as they were when it was ordered. */
  readonly tags?: Tags;
};

/** A clip as it is kept: bytes in the row, a blob, or where the upstream keeps it. */
export type Clip = {
  readonly mimeType: string;
  readonly base64?: string;
  readonly blob?: { readonly id: string; readonly expiresAtMs: number };
  readonly url?: string;
};

type OperationResult = {
  readonly clips: readonly Clip[];
  /** Why each clip that was held back was. */
  readonly blocked: readonly string[];
  readonly bill: KeptBill;
};

/** What was charged, as it was charged. */
export type KeptBill = {
  readonly usage: Readonly<Record<string, number>>;
  readonly estimated: boolean;
  /** Digits: money is exact. */
  readonly nanoUsd: string;
  /** Of usage that cannot be true. */
  readonly suspect?: Suspect;
};

export type VideoOperation = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly protocol: string;
  /** As the caller spelled it, and the one it means. */
  readonly model: string;
  readonly modelId: string;
  readonly provider: string;
  readonly dialect: string;
  readonly routeKey: string;
  readonly ordered: Ordered;
  readonly state: OperationState;
  readonly task?: VideoTask;
  readonly percent?: number;
  readonly unanswered: number;
  readonly result?: OperationResult;
  readonly fault?: Fault;
  readonly note?: string;
  readonly receivedAtMs: number;
  readonly createdAtMs: number;
  /** When it is to be looked at next, and exactly so: whoever moves it on names the moment it saw. */
  readonly nextAt: string;
  readonly isDue: boolean;
  readonly isLate: boolean;
  readonly finishedAtMs?: number;
  readonly expiresAtMs: number;
};

export type NewOperation = Pick<
  VideoOperation,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'requestId'
  | 'protocol'
  | 'model'
  | 'modelId'
  | 'provider'
  | 'dialect'
  | 'routeKey'
  | 'ordered'
  | 'receivedAtMs'
> & {
  readonly idempotencyKey?: string;
  /** All that must be the same under one key. */
  readonly content: string;
};

/** Times are counted from the database's now. */
export type OperationEvent =
  | { readonly name: 'accepted'; readonly task: VideoTask; readonly nextInMs: number }
  | { readonly name: 'refused'; readonly fault: Fault }
  | { readonly name: 'lost'; readonly nextInMs: number }
  | {
      readonly name: 'waited';
      readonly seenNextAt: string;
      readonly percent?: number;
      readonly unanswered: number;
      readonly nextInMs: number;
    }
  | { readonly name: 'finished'; readonly result: OperationResult }
  | { readonly name: 'failed' | 'given-up' | 'cancelled'; readonly fault: Fault; readonly note?: string };
