/** What the listener for callers needs: its settings, and those it hands requests to. */
import type { Fault, ProtocolName } from '@trivium/protocol/canonical';
import type { LinkedBlobs } from '../blobs/linked-blob.ts';
import type { Engine } from '../request/engine.ts';
import type { BodyBounds } from './body.ts';
import type { Destinations } from './destination.ts';
import type { IsTrustedProxy } from './peer.ts';
import type { FinishReasonSpelling } from './request-head.ts';
import type { Mounts } from './route-table.ts';

export type DataPlaneSettings = {
  readonly mounts: Mounts;
  /** Where links to kept results lead. */
  readonly blobMount: string;
  readonly limits: {
    readonly bodyBytes: number;
    readonly headerBytes: number;
    readonly headerCount: number;
    readonly urlLength: number;
    readonly connections: number;
  };
  readonly bodyBounds: BodyBounds;
  readonly timeouts: {
    readonly headersMs: number;
    readonly requestMs: number;
    readonly keepAliveMs: number;
    readonly slowReaderMs: number;
  };
  readonly corsOrigins: readonly string[];
  readonly isTrustedProxy: IsTrustedProxy;
  /** How generative-content callers spell enum words. */
  readonly finishReason: FinishReasonSpelling;
};

/** Told of every exit of the data plane, whether or not it reached the engine. */
type OnReply = (seen: {
  readonly protocol: ProtocolName;
  readonly route: string;
  readonly requestId: string;
  readonly fault?: Fault;
  readonly cause?: unknown;
}) => void;

export type DataPlanePorts = {
  readonly engine: () => Engine;
  readonly blobs: LinkedBlobs;
  readonly settings: () => DataPlaneSettings;
  readonly destinations: () => Destinations;
  readonly nextId: () => string;
  /** Why no call could be served now; undefined while one can. */
  readonly unready: () => string | undefined;
  /** Answers from now on say that they are the last on their connection. */
  readonly closing: () => boolean;
  readonly onReply: OnReply;
};
