/** What callers of sound choose for their answer. */
import type { SpeechFormat, TranscriptForm } from '../canonical/sound.ts';

export type SpeechOptions = {
  readonly format: SpeechFormat;
  /** The caller reads events instead of bytes. */
  readonly asEvents: boolean;
};

export type TranscriptOptions = {
  readonly form: TranscriptForm;
  readonly times: readonly ('word' | 'segment')[];
  readonly translates: boolean;
};
