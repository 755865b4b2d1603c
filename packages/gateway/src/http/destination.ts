/** From a request's target to its route, cached: a gateway serves the same few paths all day long. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@trivium/protocol/canonical';
import type { Engine } from '../calls/engine.ts';
import { BoundedMap } from '../kernel/bounded-map.ts';
import type { RefusedRequest } from '../kernel/record.ts';
import type { RecordedProtocol } from '../kernel/recorded-protocol.ts';
import type { LinkedBlobs } from '../media/blobs/linked-blob.ts';
import type { BodyBounds } from './body.ts';
import type { Connections } from './connections.ts';
import type { FinishReasonSpelling } from './head.ts';
import { type ParsedTarget, parseTarget } from './path-policy.ts';
import type { IsTrustedProxy } from './peer.ts';
import {
  FALLBACK_PROTOCOL,
  type MountedPath,
  type Mounts,
  type OpenProtocol,
  placeOf,
  type Route,
  routeOf,
} from './route-table.ts';

export type Destination = {
  /** Undefined if the target is not canonical. */
  readonly target: ParsedTarget | undefined;
  readonly place: MountedPath | undefined;
  readonly route: Route | undefined;
};

/** Enough for every route with every model in use; requests for other paths only evict entries. */
const MAX_REMEMBERED = 512;

export class Destinations {
  readonly #mounts: Mounts;
  readonly #maxLength: number;
  readonly #known: Readonly<Record<OpenProtocol, BoundedMap<string, Destination>>> = {
    chat: new BoundedMap(MAX_REMEMBERED),
    messages: new BoundedMap(MAX_REMEMBERED),
  };

  constructor(mounts: Mounts, maxLength: number) {
    this.#mounts = mounts;
    this.#maxLength = maxLength;
  }

  find(target: string, open: OpenProtocol = FALLBACK_PROTOCOL): Destination {
    const remembered = this.#known[open];
    const known = remembered.get(target);
    if (known !== undefined) return known;
    const found = this.#read(target, open);
    remembered.set(target, found);
    return found;
  }

  #read(text: string, open: OpenProtocol): Destination {
    const target = parseTarget(text, this.#maxLength);
    const place = target === undefined ? undefined : placeOf(target.segments, this.#mounts, open);
    return { target, place, route: place === undefined ? undefined : routeOf(place) };
  }
}

// What the public server needs: its settings, and the handlers of its requests.

/** Of WebSockets. */
type SocketBounds = {
  readonly enabled: boolean;
  /** Open in this process. */
  readonly connections: number;
  readonly perKey: number;
  readonly perAccount: number;
  readonly frameBytes: number;
  /** Calls of one connection under way at once, each in a lane of its own. */
  readonly streams: number;
  /** Frames of one connection that wait for earlier calls of their lane. */
  readonly queued: number;
  readonly idleMs: number;
  readonly durationMs: number;
};

export type DataPlaneSettings = {
  readonly mounts: Mounts;
  /** The path of links to stored results. */
  readonly blobMount: string;
  readonly limits: {
    readonly bodyBytes: number;
    readonly headerBytes: number;
    readonly headerCount: number;
    readonly urlLength: number;
    readonly connections: number;
    readonly unpackRatio: number;
  };
  readonly bodyBounds: BodyBounds;
  readonly timeouts: {
    readonly headersMs: number;
    readonly requestMs: number;
    readonly keepAliveMs: number;
    readonly slowReaderMs: number;
  };
  readonly sockets: SocketBounds;
  readonly corsOrigins: readonly string[];
  readonly isTrustedProxy: IsTrustedProxy;
  /** How generative-content clients spell enum values. */
  readonly finishReason: FinishReasonSpelling;
};

/** Called at every exit of the data plane, whether or not the request reached the engine. */
type OnReply = (seen: {
  readonly protocol: RecordedProtocol;
  readonly route: string;
  readonly requestId: string;
  readonly fault?: Fault;
  readonly cause?: unknown;
}) => void;

export type DataPlanePorts = {
  readonly engine: () => Engine;
  readonly blobs: LinkedBlobs;
  readonly connections: Connections;
  readonly settings: () => DataPlaneSettings;
  readonly destinations: () => Destinations;
  readonly nextId: () => string;
  /** Why no call can be served now; undefined while ready. */
  readonly unready: () => string | undefined;
  /** Shutting down: answers from now on close their connection. */
  readonly closing: () => boolean;
  /** Sign-in from programs: whether it has answered, at a path that no protocol has. */
  readonly signIn?: (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
  readonly onReply: OnReply;
  readonly onRefused: (refused: RefusedRequest) => void;
};
