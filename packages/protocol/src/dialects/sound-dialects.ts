/** The interfaces of wire formats for speech and for the words of recordings. Requests are rebuilt for each host. */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Fault } from '../canonical/fault.ts';
import type { SpeechField, SpeechLoss, Stance, TranscriptionField, TranscriptionLoss } from '../canonical/fields.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { SpeechCall, SpeechEvent, Transcript, TranscriptionCall } from '../canonical/sound.ts';
import type { EncodedCall, Frame, RequestHead, TargetFacts, Understanding } from './dialect.ts';
import type { HostJob } from './host-job.ts';
import type { TranscriptOptions } from './response-options.ts';

export type SpeechUnderstanding = Understanding<SpeechCall, SpeechLoss>;

export interface SpeechServerHalf {
  understand(body: JsonObject, head?: RequestHead): SpeechUnderstanding;
  /** For callers that read events. */
  encodeEvent(event: SpeechEvent): string;
  streamFault(fault: Fault): string;
  readonly spelling: Readonly<Record<SpeechField, string>>;
}

export interface SpeechDialect {
  readonly id: DialectId;
  readonly operation: 'speech';
  readonly argumentsAsValues?: never;
  readonly stances: Readonly<Record<SpeechField, Stance>>;
  quirks(own: object): object;
  readonly server?: SpeechServerHalf;
  readonly client: {
    encodeCall(call: SpeechCall, target: TargetFacts): EncodedCall<SpeechLoss>;
    /** The host is asked for events, because only they state what it charges; otherwise it answers with bytes. */
    sendsEvents(target: TargetFacts): boolean;
    readEvents(frame: Frame): readonly (SpeechEvent | { readonly type: 'fault'; readonly fault: Fault })[];
    /** Where a wav comes as its samples: how many a second. The gateway writes its head. */
    readonly bareWavRate?: number;
    /** Names that it speaks with, for menus; absent: not known. */
    voices?(target: TargetFacts): readonly string[];
    decodeFault(status: number, body: Json | undefined): Fault;
    readonly sealRefusals: readonly [];
  };
}

export type TranscriptionUnderstanding = Understanding<TranscriptionCall, TranscriptionLoss>;

/** An answer in the form the caller asked for. */
export type WrittenTranscript = { readonly text: string; readonly contentType: string };

/** What an event of a streamed transcript says, for the bill. */
export type TranscriptEvent =
  | { readonly type: 'words'; readonly text: string }
  | { readonly type: 'end'; readonly transcript: Transcript }
  | { readonly type: 'fault'; readonly fault: Fault };

export interface TranscriptionServerHalf {
  understand(body: JsonObject, head?: RequestHead): TranscriptionUnderstanding;
  /** Throws a GatewayError if the host gave too little for the form. */
  encodeAnswer(transcript: Transcript, options: TranscriptOptions): WrittenTranscript;
  encodeEvent(event: Exclude<TranscriptEvent, { type: 'fault' }>): string;
  streamFault(fault: Fault): string;
  readonly spelling: Readonly<Record<TranscriptionField, string>>;
}

export interface TranscriptionDialect {
  readonly id: DialectId;
  readonly operation: 'transcription';
  readonly argumentsAsValues?: never;
  readonly stances: Readonly<Record<TranscriptionField, Stance>>;
  quirks(own: object): object;
  readonly server?: TranscriptionServerHalf;
  readonly client: {
    encodeCall(call: TranscriptionCall, target: TargetFacts): EncodedCall<TranscriptionLoss>;
    decodeAnswer(body: Json, target: TargetFacts): Transcript;
    /** Whether the host streams what this call asks for; otherwise its whole answer becomes a stream of one piece. */
    streams(target: TargetFacts): boolean;
    readEvent(frame: Frame): TranscriptEvent | undefined;
    readonly job?: HostJob;
    decodeFault(status: number, body: Json | undefined): Fault;
    readonly sealRefusals: readonly [];
  };
}
