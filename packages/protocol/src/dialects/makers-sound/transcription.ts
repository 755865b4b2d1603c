/** The words of recordings at hosts with formats of their own. Each is a row: what it calls things, and what it lacks. */
import type { DialectId } from '../../canonical/dialect-id.ts';
import { type Stance, stancesIn, type TranscriptionField, type TranscriptionLoss } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { Recording, SpokenSegment, Transcript, TranscriptionCall } from '../../canonical/sound.ts';
import type { Usage } from '../../canonical/usage.ts';
import { LossList } from '../../passes/loss-list.ts';
import { typeOfRecording } from '../../passes/sound-type.ts';
import { type HeardWord, spokenSegments } from '../../passes/spoken-segments.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import type { FormPart } from '../forms.ts';
import type { TranscriptionDialect } from '../sound-dialects.ts';
import { broken } from '../upstream-errors.ts';
import { decodeMakerFault } from './faults.ts';

/** What is left of a call when the shared checks are done. */
type AskedWords = Pick<TranscriptionCall, 'recording' | 'language' | 'prompt' | 'temperature' | 'stream'> & {
  readonly model: string;
  /** Words in English, whatever is spoken. */
  readonly translate: boolean;
  /** The caller's form needs times, or the names of speakers. */
  readonly needsTimes: boolean;
  readonly needsSpeakers: boolean;
};

export type Heard = {
  readonly text: string;
  readonly language?: string | undefined;
  readonly words?: readonly HeardWord[];
  readonly segments?: readonly SpokenSegment[];
  readonly seconds?: number | undefined;
  readonly usage?: Usage;
};

type Optional = 'language' | 'prompt' | 'temperature';

export type ListeningHost = {
  readonly id: DialectId;
  readonly carries: readonly Optional[];
  /** Answers with the times of what it heard. */
  readonly times: boolean;
  readonly speakers: boolean;
  /** Times are of segments only. */
  readonly segmentsOnly?: true;
  /** Refuses a language where times are asked for. */
  readonly languageOrTimes?: true;
  readonly translates?: true;
  write(asked: AskedWords): Pick<EncodedCall, 'body' | 'form' | 'suffix' | 'order'>;
  /** Undefined: there are no words in it. */
  read(body: JsonObject): Heard | undefined;
  readonly readEvent?: TranscriptionDialect['client']['readEvent'];
  /** It answers later. */
  readonly job?: TranscriptionDialect['client']['job'];
};

export const transcriptionDialect = (host: ListeningHost): TranscriptionDialect => ({
  id: host.id,
  operation: 'transcription',
  stances: stancesIn<TranscriptionField>({
    'transcription.translate': [host.translates === true ? 'mapped' : 'refused', 'translations'],
    'transcription.language': [stance(host, 'language'), 'language'],
    'transcription.prompt': [stance(host, 'prompt'), 'prompt'],
    'transcription.temperature': [stance(host, 'temperature'), 'temperature'],
    'transcription.form': [host.times ? 'gateway' : 'refused', 'response_format'],
    'transcription.times': ['gateway', 'timestamp_granularities'],
    extras: ['dropped', 'extra fields'],
  }),
  quirks: (own) => own,
  client: {
    encodeCall: (call, target) => encodeCall(host, call, target),
    decodeAnswer: (body) => transcriptOf(host, body),
    streams: () => host.readEvent !== undefined,
    readEvent: host.readEvent ?? (() => undefined),
    decodeFault: decodeMakerFault,
    ...(host.job && { job: host.job }),
    sealRefusals: [],
  },
});

const stance = ({ carries }: ListeningHost, field: Optional): Stance =>
  carries.includes(field) ? 'mapped' : 'dropped';

function encodeCall(
  host: ListeningHost,
  call: TranscriptionCall,
  { upstreamModel }: TargetFacts,
): EncodedCall<TranscriptionLoss> {
  const { recording, form, stream, translate = false, extras } = call;
  if (translate && host.translates !== true)
    throw cannotCarry('transcription.translate', "are not made by this model's host");
  const needsSpeakers = form === 'diarized_json';
  const needsTimes = form !== 'json' && form !== 'text';
  if (needsSpeakers && !host.speakers)
    throw cannotCarry('transcription.form', `cannot be ${form}: this model does not say who speaks`);
  if (needsTimes && !host.times)
    throw cannotCarry('transcription.form', `cannot be ${form}: this model gives no times of what it hears`);
  const losses = new LossList<TranscriptionField>();
  const own: { [Field in Optional]?: Exclude<TranscriptionCall[Field], undefined> } = {};
  for (const field of ['language', 'prompt', 'temperature'] as const) {
    if (call[field] === undefined) continue;
    const isIn = host.carries.includes(field) && !(field === 'language' && needsTimes && host.languageOrTimes === true);
    if (isIn) Object.assign(own, { [field]: call[field] });
    else losses.add(`transcription.${field}`);
  }
  if (host.segmentsOnly === true && call.times.includes('word')) losses.add('transcription.times');
  if (Object.keys(extras).length > 0) losses.add('extras');
  const asked = { ...own, recording, stream, translate, needsTimes, needsSpeakers, model: upstreamModel };
  return { ...host.write(asked), losses: losses.all };
}

export function transcriptOf(host: Pick<ListeningHost, 'read'>, body: Json): Transcript {
  const heard = isJsonObject(body) ? host.read(body) : undefined;
  if (heard === undefined) throw broken('The upstream provider sent an answer without the words of the recording.');
  const { text, language, words, usage = {} } = heard;
  const segments = heard.segments ?? (words && spokenSegments(text, words));
  const seconds = heard.seconds ?? words?.at(-1)?.end;
  return {
    text,
    ...(language !== undefined && { language }),
    ...(seconds !== undefined && { seconds }),
    ...(words !== undefined && { words: words.map(({ word, start, end }) => ({ word, start, end })) }),
    ...(segments !== undefined && { segments }),
    // Only what the host says is charged as its figure: the end of the last word is not the length.
    usage: { ...(heard.seconds !== undefined && { audioSeconds: heard.seconds }), ...usage },
  };
}

// What hosts with forms share.

export const textPart = (name: string, value: string | number | boolean | undefined): readonly FormPart[] =>
  value === undefined ? [] : [{ name, text: String(value) }];

/** Its name and type follow from its bytes where they are known. Without a name it is the whole body. */
export function filePart(name: string, recording: Recording): FormPart {
  const type = typeOfRecording(recording.pieces);
  return {
    name,
    file: { pieces: recording.pieces, toBase64: recording.toBase64 },
    filename: type === undefined ? (recording.filename ?? 'audio.wav') : `audio.${type.extension}`,
    mimeType: type?.mimeType ?? recording.mimeType ?? 'application/octet-stream',
  };
}
