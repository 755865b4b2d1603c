/**
 * A stream of an answer, in the strictest grammar of all dialects, so that encoding only ever forgets.
 *
 *   stream := answer-start (block | usage-update | answer-note)* (answer-end+ | prompt-blocked | answer-fault)
 *   block  := block-start (block-delta | block-note | block-seal)* block-end       addressed by index, may overlap
 *
 * A seal comes last in its block; on a tool call it may also come first, where the upstream sends both at once. One `answer-end` for each candidate. `stream/grammar.ts` is this comment as code.
 */
import type { Citation, MediaKind, TokenLogprob } from './content.ts';
import type { DialectId, Extras } from './dialect-id.ts';
import type { Fault } from './fault.ts';
import type { Json } from './json.ts';
import type { Sealed } from './sealed.ts';
import type { Usage } from './usage.ts';

export const FINISH_REASONS = [
  'stop',
  'stop-sequence',
  'length',
  'context-full',
  'tool-call',
  'filter',
  'refusal',
  'recitation',
  'pause',
  'bad-tool-call',
  'no-image',
  'other',
] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];

export type Finish = {
  readonly reason: FinishReason;
  /** The upstream's original value, kept for the request record and for callers of the same dialect. */
  readonly raw?: string;
  readonly stopMatched?: string;
  readonly message?: string;
};

export type OpenBlock =
  | { readonly kind: 'text' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'thinking'; readonly form: 'full' | 'summary' }
  | { readonly kind: 'redacted'; readonly seal: Sealed }
  | { readonly kind: 'media'; readonly media: MediaKind; readonly mimeType: string; readonly url?: string }
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      /** True if the upstream sent no id and the gateway generated this one. */
      readonly idMinted?: boolean;
      readonly name: string;
      readonly form: 'function' | 'custom';
    }
  | { readonly kind: 'server-tool'; readonly id: string; readonly name: string }
  | { readonly kind: 'foreign'; readonly dialect: DialectId; readonly wire: Json };

export type BlockNote = {
  readonly citation?: Citation;
  readonly logprobs?: readonly TokenLogprob[];
  /** Base64 of a piece of media. */
  readonly bytes?: string;
  /** The result of a server tool. */
  readonly result?: { readonly content: Json; readonly error?: string };
  readonly extras?: Extras;
};

export type Event =
  | { readonly type: 'answer-start'; readonly id: string; readonly model: string; readonly createdAtSeconds?: number }
  | { readonly type: 'block-start'; readonly index: number; readonly candidate: number; readonly block: OpenBlock }
  | { readonly type: 'block-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'block-note'; readonly index: number; readonly note: BlockNote }
  | { readonly type: 'block-seal'; readonly index: number; readonly seal: Sealed }
  | { readonly type: 'block-end'; readonly index: number }
  | { readonly type: 'usage-update'; readonly usage: Usage }
  | { readonly type: 'answer-note'; readonly candidate: number; readonly extras: Extras }
  | { readonly type: 'answer-end'; readonly candidate: number; readonly finish: Finish }
  | { readonly type: 'prompt-blocked'; readonly reason: string; readonly message?: string; readonly extras?: Extras }
  | { readonly type: 'answer-fault'; readonly fault: Fault };
