// The neutral view of a request: everything a scenario may depend on, read from the body by the dialect.

interface AskedTool {
  readonly name: string;
  /** JSON Schema of the arguments; undefined if none was given. */
  readonly schema: unknown;
  /** Takes any text instead of JSON. */
  readonly isFree?: true;
}

export interface UserText {
  readonly text: string;
  /** How many results of tools follow it. */
  readonly resultsAfter: number;
}

/** A turn as far as it counts here; results stand before a text in the same turn. `text` is absent if the user did not speak. */
export interface CountedTurn {
  readonly text?: string | undefined;
  readonly results: number;
}

export function userTextsOf(turns: readonly CountedTurn[]): readonly UserText[] {
  let resultsAfter = 0;
  return turns
    .toReversed()
    .flatMap(({ text, results }) => {
      const said = text === undefined ? [] : [{ text, resultsAfter }];
      resultsAfter += results;
      return said;
    })
    .reverse();
}

export interface CallFacts {
  readonly model: string;
  /** Without any `@simulate` instruction. */
  readonly lastUserText: string;
  /** The texts that may carry `@simulate`, in order of rising precedence. */
  readonly instructionTexts: readonly string[];
  /** Every text of the user, in order. */
  readonly userTexts: readonly UserText[];
  /** Results that end the conversation; empty if it ends otherwise. */
  readonly toolResults: readonly string[];
  /** The conversation ends with a turn that the vendor paused and now continues. */
  readonly isContinuation?: boolean;
  readonly tools: readonly AskedTool[];
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelCalls: boolean;
  readonly output:
    | { readonly kind: 'text' | 'json' }
    | {
        readonly kind: 'schema';
        readonly schema: unknown;
        /** A string is said without quotes. */
        readonly isBare?: boolean;
      };
  /** The caller wants an image besides text. */
  readonly wantsPicture?: boolean;
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  /** Number of turns so far: keeps call ids unique within a conversation. */
  readonly turn: number;
  readonly promptTokens: number;
}
