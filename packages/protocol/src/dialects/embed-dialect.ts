/** The interface of a wire format for embeddings: the two halves of `dialect.ts` without streaming. */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { EmbedAnswer, EmbedCall } from '../canonical/embedding.ts';
import type { Fault } from '../canonical/fault.ts';
import type { EmbedLoss, EmbedSpelling, EmbedStances } from '../canonical/fields.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type {
  AnswerContext,
  EncodedAnswer,
  EncodedCall,
  Reading,
  RequestHead,
  TargetFacts,
  Understanding,
} from './dialect.ts';

export type EmbedUnderstanding = Understanding<EmbedCall, EmbedLoss>;

export interface EmbedDialect {
  readonly id: DialectId;
  readonly operation: 'embed';
  /** Embedding calls have no tool arguments. */
  readonly argumentsAsValues?: never;
  readonly stances: EmbedStances;
  quirks(own: object): object;
  readonly server: {
    /** Throws a GatewayError with the caller's field name. */
    understand(body: JsonObject, head?: RequestHead): EmbedUnderstanding;
    encodeAnswer(answer: EmbedAnswer, context: AnswerContext): EncodedAnswer;
    readonly spelling: EmbedSpelling;
  };
  readonly client: {
    /** Throws a GatewayError `unsupported` if dropping something would change the vectors. */
    encodeCall(call: EmbedCall, target: TargetFacts): EncodedCall<EmbedLoss>;
    decodeAnswer(body: Json, target: TargetFacts): EmbedAnswer;
    decodeFault(status: number, body: Json | undefined): Fault;
    /** Embedding calls contain no seals. */
    readonly sealRefusals: readonly [];
  };
  readonly verbatim: { answer(body: Json, context: AnswerContext, target: TargetFacts): Reading };
}
