/** What planning and pricing need to know of an operation, in one table. */

import type {
  Call,
  EmbedCall,
  ImageCall,
  OperationKind,
  SpeechCall,
  TaskType,
  TextCall,
  TranscriptionCall,
} from '@trivium/protocol/canonical';
import type { AnyDialect } from '@trivium/protocol/dialects';

export type OperationRules = {
  /** The output modality a model must have, and the error text for a model without it. */
  readonly modality: string;
  readonly lacking: string;
  /** The list of a model's targets for it, where the model has a separate one. */
  readonly targets: 'targets' | 'imageTargets';
  readonly taskType: TaskType;
  /** Images in its calls are passed on as the caller wrote them, so they need not be parsed. */
  readonly extractsImages: boolean;
  /** The prompt has to fit a context window, and the answer is capped in tokens. */
  readonly hasContext: boolean;
};

export const OPERATIONS: Readonly<Record<OperationKind, OperationRules>> = {
  text: {
    modality: 'text',
    lacking: 'does not answer with text',
    targets: 'targets',
    taskType: 'chat',
    extractsImages: true,
    hasContext: true,
  },
  embed: {
    modality: 'embedding',
    lacking: 'makes no embeddings',
    targets: 'targets',
    taskType: 'embedding',
    extractsImages: false,
    hasContext: false,
  },
  rerank: {
    modality: 'rerank',
    lacking: 'does not rank documents',
    targets: 'targets',
    taskType: 'embedding',
    extractsImages: false,
    hasContext: false,
  },
  moderate: {
    modality: 'moderation',
    lacking: 'does not moderate',
    targets: 'targets',
    taskType: 'embedding',
    extractsImages: false,
    hasContext: false,
  },
  image: {
    modality: 'image',
    lacking: 'makes no images',
    // Models that produce text and images have a separate path for each.
    targets: 'imageTargets',
    taskType: 'chat',
    extractsImages: false,
    hasContext: false,
  },
  speech: {
    modality: 'speech',
    lacking: 'does not speak',
    targets: 'targets',
    taskType: 'chat',
    extractsImages: false,
    hasContext: false,
  },
  transcription: {
    modality: 'transcription',
    lacking: 'does not write down recordings',
    targets: 'targets',
    taskType: 'chat',
    extractsImages: false,
    hasContext: false,
  },
};

export const asTextCall = (call: Call): TextCall | undefined => (call.operation === 'text' ? call : undefined);
export const asEmbedCall = (call: Call): EmbedCall | undefined => (call.operation === 'embed' ? call : undefined);
export const asImageCall = (call: Call): ImageCall | undefined => (call.operation === 'image' ? call : undefined);
export const asSpeechCall = (call: Call): SpeechCall | undefined => (call.operation === 'speech' ? call : undefined);
export const asTranscriptionCall = (call: Call): TranscriptionCall | undefined =>
  call.operation === 'transcription' ? call : undefined;

/** Whether its calls may ask for several answers at once. */
export const mayHaveCandidates = (dialect: AnyDialect): boolean =>
  dialect.operation === 'text' && dialect.stances['sampling.candidates'] === 'native';
