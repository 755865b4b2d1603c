/** Spoken text and recordings in canonical form: text in and sound out, or a recording in and its words out. */
import type { Extras } from './dialect-id.ts';
import type { RawBytes } from './image.ts';
import type { JsonObject } from './json.ts';
import type { Usage } from './usage.ts';

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

export type SpeechCall = {
  readonly operation: 'speech';
  readonly model: string;
  readonly input: string;
  /** A name, or the object with which a format refers to a recorded one. */
  readonly voice?: string | JsonObject;
  readonly instructions?: string;
  readonly format: SpeechFormat;
  /** 1 is the usual pace. */
  readonly speed?: number;
  readonly extras: Extras;
};

export type SpeechEvent =
  | { readonly type: 'sound'; readonly base64: string }
  | { readonly type: 'sound-end'; readonly usage: Usage };

/** A recording: its bytes in pieces, what the caller calls it, and how long it is as far as its bytes say. */
export type Recording = RawBytes & {
  readonly filename?: string;
  readonly mimeType?: string;
  readonly seconds?: number;
};

export const TRANSCRIPT_FORMS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
/** How the caller reads the words: the names of the format in which most clients ask. */
export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number];

export type TranscriptionCall = {
  readonly operation: 'transcription';
  readonly model: string;
  readonly stream: boolean;
  readonly recording: Recording;
  /** The words are to be in English, whatever language is spoken. */
  readonly translate?: boolean;
  /** ISO 639-1. */
  readonly language?: string;
  readonly prompt?: string;
  readonly temperature?: number;
  readonly form: TranscriptForm;
  /** Times of words, of segments, or of both. */
  readonly times: readonly ('word' | 'segment')[];
  readonly extras: Extras;
};

export type SpokenWord = { readonly word: string; readonly start: number; readonly end: number };

export type SpokenSegment = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker?: string;
  /** What else the host says about it. */
  readonly rest?: JsonObject;
};

export type Transcript = {
  readonly text: string;
  readonly language?: string;
  readonly seconds?: number;
  readonly words?: readonly SpokenWord[];
  readonly segments?: readonly SpokenSegment[];
  /** Members of the host's answer that have no other place here. */
  readonly rest?: JsonObject;
  readonly usage: Usage;
};
