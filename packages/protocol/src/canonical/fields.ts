/**
 * Every field of a call by name. Each dialect declares a stance and a spelling for each of them, so a new field here,
 * or a new member of a canonical type, breaks the build until every dialect handles it.
 */
import type { OutputFormat, Reasoning, Sampling, TextCall, Tool, ToolChoice } from './call.ts';
import type { BlockKind } from './content.ts';
import type { EmbedCall, EmbedInput, EmbedText } from './embedding.ts';
import type { ImageCall, ReferenceRole } from './image.ts';
import type { LossReason } from './loss.ts';
import type { RerankCall } from './rerank.ts';
import type { VideoCall } from './video.ts';

type CallField = Exclude<
  keyof TextCall,
  | 'operation'
  | 'model'
  | 'stream'
  | 'turns'
  | 'sampling'
  | 'reasoning'
  | 'output'
  | 'tools'
  | 'toolChoice'
  | 'metadata'
  | 'usageWanted'
  | 'extras'
>;

export type CanonicalField =
  | `sampling.${keyof Sampling}`
  | `reasoning.${keyof Reasoning}`
  | `output.${OutputFormat['kind']}`
  | `tool.${Tool['kind']}`
  | `tool-choice.${ToolChoice['mode']}`
  | `block.${BlockKind}`
  | `call.${CallField}`
  | 'turn.name'
  | 'turn.system'
  | 'turn.prefill'
  | 'tool.strict'
  | 'block.cache'
  | 'block.citations'
  | 'block.seal'
  | 'extras';

/**
 * How a dialect handles a field when it writes an upstream request: sent as it is, sent in another form, approximated
 * (and reported), done by the gateway itself, dropped with a loss, or refused because dropping it would change the
 * meaning.
 */
export type Stance = 'native' | 'mapped' | 'approximated' | 'gateway' | 'dropped' | 'refused';

export type Stances = Readonly<Record<CanonicalField, Stance>>;
/** The wire name of each field in the caller's dialect, for headers and error messages. */
export type Spelling = Readonly<Record<CanonicalField, string>>;

/** A row for each field: its stance, and its name for callers. */
export type FieldTable<F extends string = CanonicalField> = Readonly<
  Record<F, readonly [stance: Stance, spelling: string]>
>;

export const stancesIn = <F extends string>(table: FieldTable<F>): Readonly<Record<F, Stance>> => columnOf(table, 0);
export const spellingIn = <F extends string>(table: FieldTable<F>): Readonly<Record<F, string>> => columnOf(table, 1);

const columnOf = <F extends string, C extends 0 | 1>(table: FieldTable<F>, column: C) =>
  Object.fromEntries(Object.entries<FieldTable<F>[F]>(table).map(([field, row]) => [field, row[column]])) as Readonly<
    Record<F, FieldTable<F>[F][C]>
  >;

/** The fields of an embedding call. Each embedding dialect declares a stance and a spelling for each. */
export type EmbedField =
  | `input.${EmbedInput['kind']}`
  | `input.${Exclude<keyof EmbedText, 'kind' | 'texts'>}`
  | 'input.parts'
  | `embed.${Exclude<keyof EmbedCall, 'operation' | 'model' | 'inputs' | 'extras'>}`
  | 'extras';

export type EmbedStances = Readonly<Record<EmbedField, Stance>>;
export type EmbedSpelling = Readonly<Record<EmbedField, string>>;
export type EmbedLoss = { readonly field: EmbedField; readonly why: LossReason };

/** The fields of a call for reranking. Each of its dialects declares a stance and a spelling for each. */
export type RerankField = `rerank.${Exclude<keyof RerankCall, 'operation' | 'model' | 'extras'>}` | 'extras';

export type RerankStances = Readonly<Record<RerankField, Stance>>;
export type RerankSpelling = Readonly<Record<RerankField, string>>;
export type RerankLoss = { readonly field: RerankField; readonly why: LossReason };

export type FieldLoss = { readonly field: CanonicalField; readonly why: LossReason };

/** The fields of an image call. Each image dialect declares a stance and a spelling for each. */
export type ImageField =
  | `image.${Exclude<keyof ImageCall, 'operation' | 'model' | 'stream' | 'prompt' | 'usualFormat' | 'extras'>}`
  | `reference.${ReferenceRole}`
  | 'extras';

export type ImageStances = Readonly<Record<ImageField, Stance>>;
export type ImageSpelling = Readonly<Record<ImageField, string>>;
export type ImageLoss = { readonly field: ImageField; readonly why: LossReason };

/** The fields of a video call. Each video dialect declares a rule for each, and each caller's dialect a spelling. */
export type VideoField = `video.${Exclude<keyof VideoCall, 'operation' | 'model'>}`;

export type VideoStances = Readonly<Record<VideoField, Stance>>;
export type VideoSpelling = Readonly<Record<VideoField, string>>;
export type VideoLoss = { readonly field: VideoField; readonly why: LossReason };
