/** What the engine needs for videos: hosts that make them, and the service that stores and polls operations. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { StoredVideo, VideoDialect, VideoTarget, VideoTask } from '@trivium/protocol/dialects';
import type { Caller } from './caller.ts';
import type { RateCard, Rates } from './price.ts';
import type { RouteFacts } from './route.ts';
import type { Tags } from './tags.ts';
import type { RequestSigner } from './upstream.ts';

/** A model's videos at one host with one credential. */
export type VideoRoute = {
  readonly provider: string;
  readonly routeKey: string;
  readonly modelId: string;
  readonly dialect: VideoDialect;
  readonly origin: string;
  /** Prefix of every path at this host. */
  readonly basePath: string;
  readonly target: VideoTarget;
  readonly headers: readonly string[];
  readonly signer?: RequestSigner;
  readonly card: RateCard;
  readonly route: RouteFacts;
};

/** An operation about to be opened: its caller, what was ordered, and its maximum cost. */
export type VideoOrder = {
  readonly requestId: string;
  readonly protocol: string;
  readonly caller: Caller;
  readonly tags?: Tags | undefined;
  readonly receivedAtMs: number;
  readonly idempotencyKey?: string;
  /** Everything that must be equal under one idempotency key. */
  readonly content: string;
  /** As the caller spelled it. */
  readonly model: string;
  readonly route: VideoRoute;
  readonly count: number;
  /** Of each video: the agreed length, and for hosts that charge by tokens their number. */
  readonly seconds?: number | undefined;
  readonly tokens?: number | undefined;
  /** In pixels, where it is known. */
  readonly size?: string | undefined;
  readonly rates: Rates;
  readonly holdNanoUsd: bigint;
  readonly unpriced: readonly string[];
  readonly losses: readonly Loss[];
  /** The video it is made of. */
  readonly source?: VideoSource | undefined;
};

/** A finished video that another is made of: at the same host, with the same credential. */
export type VideoSource = Pick<VideoOrder, 'model' | 'seconds' | 'size'> & {
  /** Of its operation. */
  readonly id: string;
  readonly routeKey: string;
  readonly task: VideoTask;
};

export type OpenedOperation =
  | { readonly kind: 'opened'; readonly id: string }
  /** Ordered before under the same idempotency key, from this host and with these losses. */
  | { readonly kind: 'repeated'; readonly id: string; readonly provider: string; readonly losses: readonly Loss[] }
  | { readonly kind: 'fault'; readonly fault: Fault };

/** The result of the one submission. */
export type Submission =
  | { readonly kind: 'accepted'; readonly task: VideoTask; readonly cadenceMs: number }
  | { readonly kind: 'refused'; readonly fault: Fault }
  /** Sent without an answer: it may be running. */
  | { readonly kind: 'lost' };

export interface Operations {
  /** How long a host may take to accept or reject. */
  readonly submitMs: number;
  /** Stored with its hold before anything is sent. */
  open(order: VideoOrder): Promise<OpenedOperation>;
  submitted(id: string, submission: Submission): Promise<void>;
  // Of this account only; reads what is stored and asks no host. `origin`: the URL at which the caller reached us.
  find(accountId: string, id: string, origin: string): Promise<StoredVideo | undefined>;
  /** One more than the page has, if there are more. */
  list(accountId: string, page: VideoPage, origin: string): Promise<readonly StoredVideo[]>;
  /** The first clip, if the operation has ended with one. */
  clip(accountId: string, id: string): Promise<FoundClip | undefined>;
  /** With its clips. False: it is still being made. */
  remove(accountId: string, id: string): Promise<boolean>;
}

export type VideoPage = { readonly limit: number; readonly after?: string; readonly isAscending: boolean };

export type FoundClip = {
  readonly isOver: boolean;
  readonly clip?: StoredClip;
  /** Absent: its host named no task. */
  readonly source?: VideoSource;
};

/** Bytes in base64, or the blob that has them. */
export type StoredClip = {
  readonly mimeType: string;
  readonly base64?: string;
  readonly blob?: { readonly id: string };
};

/** Bytes behind a URL an upstream returned; must be read to the end or closed. */
export interface ClipFetcher {
  open(
    url: string,
    own: { readonly origin: string; readonly headers: readonly string[] },
  ): Promise<{ readonly content: AsyncIterable<Uint8Array>; close(): void }>;
}
