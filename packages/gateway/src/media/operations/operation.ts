/** An operation as it is stored, and its events. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { VideoTarget, VideoTask } from '@trivium/protocol/dialects';
import type { Suspect } from '../../kernel/record.ts';
import type { Tags } from '../../kernel/tags.ts';
import type { KeptRates } from '../../money/prices/rates.ts';
import type { OperationState } from './states.ts';

/** What polling and charging need; nothing of the caller's prompt or media. */
export type Ordered = {
  readonly target: VideoTarget;
  readonly count: number;
  /** Per clip, if the model or the caller states it. */
  readonly seconds?: number;
  /** Per clip by our own estimate, for hosts that charge by tokens and do not report them. */
  readonly tokens?: number;
  /** In pixels, if the host was asked for one that we know. */
  readonly size?: string;
  /** The operation whose video it is made of. */
  readonly remixOf?: string;
  /** As of the time of the order. */
  readonly rates: KeptRates;
  readonly losses: readonly Loss[];
  /** Of its account, as of the time of the order. */
  readonly tags?: Tags;
};

/** A stored clip: bytes in the row, a blob, or the upstream's URL. */
export type Clip = {
  readonly mimeType: string;
  readonly base64?: string;
  readonly blob?: { readonly id: string; readonly expiresAtMs: number };
  readonly url?: string;
};

type OperationResult = {
  readonly clips: readonly Clip[];
  /** The reason for each clip that was withheld. */
  readonly blocked: readonly string[];
  readonly bill: KeptBill;
};

/** What was charged. */
export type KeptBill = {
  readonly usage: Readonly<Record<string, number>>;
  readonly estimated: boolean;
  /** Decimal digits, so that the amount is exact. */
  readonly nanoUsd: string;
  /** For implausible usage. */
  readonly suspect?: Suspect;
};

export type VideoOperation = {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly protocol: string;
  /** As the caller spelt it, and the model it resolves to. */
  readonly model: string;
  readonly modelId: string;
  readonly provider: string;
  readonly dialect: string;
  readonly routeKey: string;
  readonly ordered: Ordered;
  readonly state: OperationState;
  readonly task?: VideoTask;
  readonly percent?: number;
  /** Polls without progress since the last progress, and those of them in which the host denied knowing the task. */
  readonly unanswered: number;
  readonly denials: number;
  readonly result?: OperationResult;
  readonly fault?: Fault;
  readonly note?: string;
  readonly receivedAtMs: number;
  readonly createdAtMs: number;
  /** When it is polled next, as exact text: an update names the value it read (optimistic locking). */
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
  /** All that must be equal for a repetition under one idempotency key. */
  readonly content: string;
};

/** Times are relative to the database's clock. */
export type OperationEvent =
  | { readonly name: 'accepted'; readonly task: VideoTask; readonly nextInMs: number }
  | { readonly name: 'refused'; readonly fault: Fault }
  | { readonly name: 'lost'; readonly nextInMs: number }
  | {
      readonly name: 'waited';
      readonly seenNextAt: string;
      readonly percent?: number;
      readonly unanswered: number;
      readonly denials: number;
      readonly nextInMs: number;
    }
  | { readonly name: 'finished'; readonly result: OperationResult }
  | { readonly name: 'failed' | 'given-up' | 'cancelled'; readonly fault: Fault; readonly note?: string };
