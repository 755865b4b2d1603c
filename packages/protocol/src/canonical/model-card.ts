// One model in a model list, independent of dialect. Pure data: the catalogue fills it, the dialects' model-list
// encoders read it.

export const MODALITIES = ['text', 'image', 'video', 'audio', 'file'] as const;
export type Modality = (typeof MODALITIES)[number];

/** Output modalities in the catalogue's terms; those beyond MODALITIES are outputs only, no model reads them. */
export const OUTPUT_MODALITIES = [
  ...MODALITIES,
  'embedding',
  'rerank',
  'moderation',
  // Models that speak, and models that write down what they hear: neither converses.
  'speech',
  'transcription',
] as const;
export type OutputModality = (typeof OUTPUT_MODALITIES)[number];

/** Of models that read only: vectors, scores and judgements cost nothing beyond their input. */
type OfReader = 'embedding' | 'rerank' | 'moderation';
export const isOfReader = (modality: OutputModality): modality is OfReader =>
  modality === 'embedding' || modality === 'rerank' || modality === 'moderation';
export const readsAlone = (outputs: readonly OutputModality[]): boolean => outputs.some(isOfReader);

export const PRICE_KINDS = [
  'prompt',
  'completion',
  'input_cache_read',
  'input_cache_write_5_min',
  'input_cache_write_1_h',
  'input_cache_write',
  'web_search',
  'internal_reasoning',
  'video',
  'image',
  'audio',
  'audio_and_video',
] as const;
export type PriceKind = (typeof PRICE_KINDS)[number];

export const PRICE_UNITS = ['perMTokens', 'perCount', 'perSecond'] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

/** Bounds in thousands of tokens; `null` stands for "no bound", as the wire writes it. */
export interface TokenRange {
  readonly unit: 'kTokens';
  readonly gte?: number | null;
  readonly lte?: number | null;
  readonly gt?: number | null;
  readonly lt?: number | null;
}

export interface PriceConditions {
  readonly prompt_tokens?: TokenRange;
  readonly completion_tokens?: TokenRange;
}

/** `value` is for display only: billing works on the catalogue's exact prices, never on this number. */
export interface PriceItem {
  readonly value: number;
  readonly unit: PriceUnit;
  readonly currency: 'USD';
  readonly conditions?: PriceConditions;
}

export type Pricings = Readonly<Partial<Record<PriceKind, readonly PriceItem[]>>>;

export interface ModelCard {
  /** `<owner>/<name>` */
  readonly id: string;
  /** The maker's names for the model, the plainest first; absent if only the id is known. */
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  /** YYYY-MM-DD */
  readonly createdDay: string;
  readonly ownedBy: string;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
  readonly reasoning: boolean;
  /** True for embedding models; the modalities in model lists have no value for that. */
  readonly embedding?: boolean;
  /** Tokens; 0 when the model has no such limit (pure image and video models). */
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  /** YYYY-MM-DD, the vendor's announced shutdown day. */
  readonly retiring?: string;
  readonly pricings: Pricings;
}
