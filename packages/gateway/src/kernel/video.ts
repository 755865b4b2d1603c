/** What the engine needs for videos: hosts that make them, and somebody who writes operations down and looks after them. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { ReportedOperationState, VideoDialect, VideoTarget, VideoTask } from '@trivium/protocol/dialects';
import type { Caller } from '../accounts/caller.ts';
import type { RateCard, Rates } from '../prices/rates.ts';
import type { Tags } from './tags.ts';
import type { RequestSigner } from './upstream.ts';

/** A model's clips at one host under one credential. */
export type VideoRoute = {
  readonly provider: string;
  readonly routeKey: string;
  readonly modelId: string;
  readonly dialect: VideoDialect;
  readonly origin: string;
  /** What every path at this host begins with. */
  readonly basePath: string;
  readonly target: VideoTarget;
  readonly headers: readonly string[];
  readonly signer?: RequestSigner;
  readonly card: RateCard;
};

/** An operation about to be opened: who asks, what was asked for, and what it may cost. */
export type VideoOrder = {
  readonly requestId: string;
  readonly protocol: string;
  readonly caller: Caller;
  readonly tags?: Tags | undefined;
  readonly receivedAtMs: number;
  readonly idempotencyKey?: string;
  /** All that must be the same under one key. */
  readonly content: string;
  /** As the caller spelled it. */
  readonly model: string;
  readonly route: VideoRoute;
  readonly count: number;
  /** Of each clip: as agreed, and for hosts that charge by tokens how many. */
  readonly seconds?: number | undefined;
  readonly tokens?: number | undefined;
  readonly rates: Rates;
  readonly holdNanoUsd: bigint;
  readonly unpriced: readonly string[];
  readonly losses: readonly Loss[];
};

export type OpenedOperation =
  | { readonly kind: 'opened'; readonly id: string }
  /** Ordered before under the same key. */
  | { readonly kind: 'repeated'; readonly id: string }
  | { readonly kind: 'fault'; readonly fault: Fault };

/** What became of the one submission. */
export type Submission =
  | { readonly kind: 'accepted'; readonly task: VideoTask; readonly cadenceMs: number }
  | { readonly kind: 'refused'; readonly fault: Fault }
  /** Sent, and no answer: it may be in the making. */
  | { readonly kind: 'lost' };

export interface Operations {
  /** How long a host may take to say yes or no. */
  readonly submitMs: number;
  /** Written down with its money before anything is sent. */
  open(order: VideoOrder): Promise<OpenedOperation>;
  submitted(id: string, submission: Submission): Promise<void>;
  /** Of this account alone; reads what is written down and asks nobody. `origin`: where the caller reached us. */
  find(accountId: string, id: string, model: string, origin: string): Promise<ReportedOperationState | undefined>;
}
