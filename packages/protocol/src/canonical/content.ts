/** The content of a turn. The order of blocks is significant. */
import type { DialectId, Extras } from './dialect-id.ts';
import type { Json, JsonObject } from './json.ts';
import type { Sealed } from './sealed.ts';

/** A cache breakpoint after the node that carries it. */
export type CacheHint = { readonly ttl?: '5m' | '1h' };

export type MediaKind = 'image' | 'audio' | 'video' | 'document';

export type MediaSource =
  | { readonly via: 'inline'; readonly base64: string }
  | { readonly via: 'url'; readonly url: string };

/** Where in the sources a piece of text comes from. Offsets are UTF-16 units of the block's own text. */
export type Citation =
  | {
      readonly kind: 'characters';
      readonly document: number;
      readonly from: number;
      readonly to: number;
      readonly title?: string;
      readonly quote?: string;
    }
  | {
      readonly kind: 'pages';
      readonly document: number;
      readonly from: number;
      readonly to: number;
      readonly title?: string;
      readonly quote?: string;
    }
  | {
      readonly kind: 'blocks';
      readonly document: number;
      readonly from: number;
      readonly to: number;
      readonly title?: string;
      readonly quote?: string;
    }
  | {
      readonly kind: 'search-result';
      readonly result: number;
      readonly from: number;
      readonly to: number;
      readonly source?: string;
      readonly title?: string;
      readonly quote?: string;
    }
  | {
      readonly kind: 'web';
      readonly url: string;
      readonly title?: string;
      readonly quote?: string;
      readonly from?: number;
      readonly to?: number;
      readonly seal?: Sealed;
    };

export type TokenLogprob = {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[];
  readonly alternatives: readonly {
    readonly token: string;
    readonly logprob: number;
    readonly bytes?: readonly number[];
  }[];
};

type BlockBase = { readonly cache?: CacheHint; readonly extras?: Extras };

export type TextBlock = BlockBase & {
  readonly kind: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
  readonly logprobs?: readonly TokenLogprob[];
  readonly seal?: Sealed;
};
export type RefusalBlock = BlockBase & {
  readonly kind: 'refusal';
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[];
};
export type ThinkingBlock = BlockBase & {
  readonly kind: 'thinking';
  readonly text: string;
  readonly form: 'full' | 'summary';
  readonly seal?: Sealed;
};
/** Encrypted reasoning: the caller cannot read it and can only send it back. */
export type RedactedBlock = BlockBase & { readonly kind: 'redacted'; readonly seal: Sealed };
export type MediaBlock = BlockBase & {
  readonly kind: 'media';
  readonly media: MediaKind;
  readonly mimeType?: string;
  readonly source: MediaSource;
  readonly name?: string;
  readonly title?: string;
  readonly context?: string;
  readonly detail?: 'low' | 'medium' | 'high' | 'ultra' | 'auto';
  readonly clip?: { readonly start?: string; readonly end?: string; readonly framesPerSecond?: number };
  readonly citable?: boolean;
  readonly seal?: Sealed;
};
/** A document given as text or blocks rather than bytes. */
export type DocumentBlock = BlockBase & {
  readonly kind: 'document';
  readonly content: readonly Block[];
  readonly title?: string;
  readonly context?: string;
  readonly citable?: boolean;
};
export type SearchResultBlock = BlockBase & {
  readonly kind: 'search-result';
  readonly source: string | null;
  readonly title: string | null;
  readonly content: readonly Block[];
  readonly citable?: boolean;
};
export type ToolCallBlock = BlockBase & {
  readonly kind: 'tool-call';
  readonly id: string;
  /** True if the caller's dialect has no ids and the gateway generated this one. */
  readonly idMinted?: boolean;
  readonly name: string;
  readonly form: 'function' | 'custom';
  /** Text, because parsing and re-printing a model's JSON changes it (large integers, key order, spacing). */
  readonly argumentsJson: string;
  readonly seal?: Sealed;
};
export type ToolResultBlock = BlockBase & {
  readonly kind: 'tool-result';
  readonly callId: string;
  readonly name?: string;
  readonly content: readonly Block[];
  /** The result as an object, for dialects whose tool results are objects rather than content blocks. */
  readonly structured?: JsonObject;
  readonly isError: boolean;
};
/** A tool that the provider ran itself, and its result. */
export type ServerToolBlock = BlockBase & {
  readonly kind: 'server-tool';
  readonly id: string;
  readonly name: string;
  readonly argumentsJson: string;
  readonly result?: { readonly content: Json; readonly error?: string };
};
/** An opaque block: forwarded unchanged to its own dialect, a loss in every other. */
export type ForeignBlock = BlockBase & { readonly kind: 'foreign'; readonly dialect: DialectId; readonly wire: Json };

export type Block =
  | TextBlock
  | RefusalBlock
  | ThinkingBlock
  | RedactedBlock
  | MediaBlock
  | DocumentBlock
  | SearchResultBlock
  | ToolCallBlock
  | ToolResultBlock
  | ServerToolBlock
  | ForeignBlock;

export type BlockKind = Block['kind'];

/** The leading system turns become the call's `system`; later ones stay where the caller put them. */
export type Turn = {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly Block[];
  readonly name?: string;
  /** The answer continues this turn (prefill). Only on the last turn, and only if it is the assistant's. */
  readonly continues?: true;
  readonly extras?: Extras;
};
