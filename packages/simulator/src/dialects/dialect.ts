// The interface of a vendor dialect: it reads requests, refuses them as the vendor would, and renders neutral scripts.
import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceAccounts } from '../cloud/service-accounts.ts';
import type { PictureDelivery, PictureOrder } from '../pictures/order.ts';
import type { CallFacts } from '../scenarios/ask.ts';
import type { ShapedScript } from '../scenarios/script.ts';

export interface VendorRequest {
  /** Profile name, e.g. `openai`. */
  readonly vendor: string;
  /** Label after `@` in the address; seals are bound to it. */
  readonly host: string;
  readonly method: string;
  /** Path below the vendor, without query. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Number of this request: ids are derived from it. */
  readonly sequence: number;
  readonly createdS: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** One event of a stream before framing. `piece` frames carry `tokens`; `block` frames only add structure. */
export interface StreamFrame {
  readonly kind: 'open' | 'block' | 'piece' | 'finish' | 'usage' | 'done' | 'error';
  /** Set on the last frame of dialects without an end marker besides the finish. */
  readonly isEnd?: boolean;
  readonly event?: string;
  readonly data: string;
  readonly tokens: number;
}

export interface StatusFault {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfterS: number | undefined;
}

export type Framing = 'events' | 'json-array' | 'aws-events';

export interface Renderer {
  readonly plain: (script: ShapedScript) => Reply;
  readonly streamHeaders: Readonly<Record<string, string>>;
  readonly frames: (script: ShapedScript) => Iterable<StreamFrame>;
  readonly errorReply: (fault: StatusFault) => Reply;
  readonly errorFrame: (place: 'first' | 'mid') => StreamFrame;
  /** How frames become a body (default: server-sent events). */
  readonly framing?: Framing;
}

export type UnderstoodRequest =
  | { readonly kind: 'refused'; readonly reply: Reply; readonly reason: string; readonly body: unknown }
  | {
      readonly kind: 'reply';
      readonly reply: Reply;
      readonly renderer: Renderer;
      /** For billed replies: the request, the model, and the cost. */
      readonly body?: unknown;
      readonly model?: string;
      readonly promptTokens?: number;
    }
  | {
      readonly kind: 'pictures';
      readonly order: PictureOrder;
      readonly streamed: boolean;
      readonly body: unknown;
      readonly renderer: Renderer;
      readonly render: (delivery: PictureDelivery) => {
        readonly reply: Reply;
        readonly frames: readonly StreamFrame[];
      };
    }
  | {
      readonly kind: 'ask';
      readonly ask: CallFacts;
      readonly choices: number;
      readonly streamed: boolean;
      readonly body: unknown;
      readonly renderer: Renderer;
    };

export interface DialectOptions {
  readonly lenient: boolean;
  /** The only bearer credential accepted; undefined: any. */
  readonly credential: string | undefined;
  readonly serviceAccounts: ServiceAccounts;
}

export interface SimulatedDialect {
  readonly name: string;
  readonly vendors: readonly string[];
  readonly paths: readonly Pick<RegExp, 'test'>[];
  readonly understand: (request: VendorRequest, options: DialectOptions) => UnderstoodRequest;
}
