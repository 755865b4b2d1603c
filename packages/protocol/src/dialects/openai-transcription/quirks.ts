import type { TargetFacts } from '../dialect.ts';

/** How hosts of this format differ. */
export type TranscriptionQuirks = {
  /** States how long a recording is in `verbose_json`, which is asked for behind every form that is not priced by tokens. */
  readonly verbose: boolean;
  /** Streams the words of models that are priced by tokens. */
  readonly streams: boolean;
  /** Has a path for words in English. */
  readonly translates: boolean;
  /** Has the field `translate` in place of that path. */
  readonly translateField: boolean;
  /** States the usage of a stream only where `stream_include_usage` asks for it. */
  readonly streamUsageField: boolean;
};

export const COMMON_TRANSCRIPTION: TranscriptionQuirks = {
  verbose: true,
  streams: false,
  translates: true,
  translateField: false,
  streamUsageField: false,
};

export const quirksOf = ({ quirks }: TargetFacts): TranscriptionQuirks => quirks as TranscriptionQuirks;
