import type { SpeechFormat } from '../../canonical/sound.ts';
import type { TargetFacts } from '../dialect.ts';

/** How hosts of this format differ. */
export type SpeechQuirks = {
  /** Answers with events that state the usage where it is asked to. */
  readonly events: boolean;
  readonly instructions: boolean;
  readonly formats: readonly SpeechFormat[];
  /** Those that every model of the host has; empty: not known. */
  readonly voices: readonly string[];
};

export const COMMON_SPEECH: SpeechQuirks = {
  events: false,
  instructions: true,
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  voices: [],
};

export const quirksOf = ({ quirks }: TargetFacts): SpeechQuirks => quirks as SpeechQuirks;
