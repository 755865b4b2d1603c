import type { SpeechFormat } from '../../canonical/sound.ts';
import type { TargetFacts } from '../dialect.ts';

/** How hosts of this format differ. */
export type SpeechQuirks = {
  /** Answers with events that state the usage where it is asked to. */
  readonly events: boolean;
  readonly instructions: boolean;
  readonly formats: readonly SpeechFormat[];
};

export const COMMON_SPEECH: SpeechQuirks = {
  events: false,
  instructions: true,
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
};

export const quirksOf = ({ quirks }: TargetFacts): SpeechQuirks => quirks as SpeechQuirks;
