// The interface of a vendor dialect: it reads requests, refuses them as the vendor would, and renders neutral scripts.
import type { ServiceAccounts } from '../cloud/service-accounts.ts';
import type { PictureDelivery, PictureOrder } from '../pictures/order.ts';
import type { CallFacts } from '../scenarios/ask.ts';
import type { ShapedScript } from '../scenarios/script.ts';
import type { Framing, StreamFrame, VendorRequest } from '../wire.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface StatusFault {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfterS: number | undefined;
}

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
