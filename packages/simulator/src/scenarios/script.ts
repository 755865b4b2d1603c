// A model's output, independent of wire format: each dialect renders the same script in its own form.

/** One piece is one token and, on a stream, one chunk. */
export type Piece =
  | { readonly kind: 'reasoning'; readonly text: string }
  /** Reasoning that the vendor shows only as an opaque seal. */
  | { readonly kind: 'sealed-reasoning'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string; readonly logprob?: number; readonly source?: Source }
  /** A search the vendor runs itself; without `found` it is still running when the answer ends. */
  | { readonly kind: 'search'; readonly query: string; readonly found?: readonly Source[] }
  | { readonly kind: 'image'; readonly mimeType: string; readonly base64: string }
  | { readonly kind: 'refusal'; readonly text: string }
  | {
      readonly kind: 'call-start';
      readonly call: number;
      readonly id: string;
      readonly name: string;
      /** For a tool that takes any text. */
      readonly isFree?: true;
    }
  | { readonly kind: 'call-arguments'; readonly call: number; readonly text: string };

export type PieceOf<K extends Piece['kind']> = Extract<Piece, { kind: K }>;

export function piecesOf<K extends Piece['kind']>(pieces: readonly Piece[], kind: K): readonly PieceOf<K>[] {
  return pieces.filter((piece): piece is PieceOf<K> => piece.kind === kind);
}

/** The source of a passage of text. */
export interface Source {
  readonly url: string;
  readonly title: string;
  readonly quote: string;
}

export type ScriptFinish =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'function-call'
  | 'prompt-blocked'
  | 'pause'
  | 'context-full'
  | 'malformed-call'
  | 'recitation';

export interface TokenUsage {
  /** Includes the cached tokens, read and written. */
  readonly prompt: number;
  readonly cached: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  /** Includes the reasoning tokens. */
  readonly completion: number;
  readonly reasoning: number;
}

export type UsageManner =
  | 'standard'
  | 'finish-and-alone'
  | 'every-chunk'
  | 'absent'
  | 'in-choice'
  | 'x-groq'
  | 'negative'
  | 'odd';

export type CallManner = 'standard' | 'index-missing' | 'index-zero' | 'late-name' | 'id-repeated';

/** Deviations of real hosts from the vendor that defined the dialect. */
export interface Manner {
  readonly reasoningField?: 'reasoning' | 'reasoning_content' | 'both';
  readonly usage?: UsageManner;
  readonly calls?: CallManner;
}

export interface Script {
  readonly pieces: readonly Piece[];
  readonly finish: ScriptFinish;
  /** Overrides the counted usage. */
  readonly usage?: TokenUsage;
  readonly manner?: Manner;
}

/** A script after token limits and stop sequences, with its bill. */
export interface ShapedScript extends Script {
  readonly usage: TokenUsage;
  readonly stopMatched?: string;
}
