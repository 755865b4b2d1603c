/** A call for the words of a recording → the form that a host of this format reads. */
import type { TranscriptionField, TranscriptionLoss } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonArray, type Json } from '../../canonical/json.ts';
import type { Recording, TranscriptForm, TranscriptionCall } from '../../canonical/sound.ts';
import { LossList } from '../../passes/loss-list.ts';
import { typeOfRecording } from '../../passes/sound-type.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import type { FormPart } from '../forms.ts';
import { quirksOf } from './quirks.ts';
import { ID } from './understand.ts';

export function encodeCall(call: TranscriptionCall, target: TargetFacts): EncodedCall<TranscriptionLoss> {
  const { recording, language, prompt, temperature, extras, translate = false } = call;
  const { translates, translateField, streamUsageField } = quirksOf(target);
  const translatesByPath = translate && !translateField;
  if (translatesByPath && !translates)
    throw cannotCarry('transcription.translate', "are not made by this model's host");
  const losses = new LossList<TranscriptionField>();
  if (Object.keys(extras).some((dialect) => dialect !== ID)) losses.add('extras');
  if (translatesByPath && language !== undefined) losses.add('transcription.language');
  const form = askedForm(call, target);
  const times = form !== 'verbose_json' || call.times.length === 0 ? [] : call.times;
  const asksStream = call.stream && streams(target);
  const parts: FormPart[] = [
    { name: 'model', text: target.upstreamModel },
    ...textPart('language', translatesByPath ? undefined : language),
    ...textPart('translate', translate && translateField ? 'true' : undefined),
    ...textPart('prompt', prompt),
    ...textPart('response_format', form),
    ...textPart('temperature', temperature === undefined ? undefined : String(temperature)),
    ...times.map((time) => ({ name: 'timestamp_granularities[]', text: time })),
    ...textPart('stream', asksStream ? 'true' : undefined),
    ...textPart('stream_include_usage', asksStream && streamUsageField ? 'true' : undefined),
    ...Object.entries(extras[ID] ?? {}).flatMap(([name, value]) => extraParts(name, value)),
    // Last: a host that reads the form as it arrives knows the model by then.
    filePart(recording),
  ];
  return { body: {}, form: parts, losses: losses.all, ...(translatesByPath && { action: 'translate' }) };
}

/** Streams are asked for only where they state what is charged. */
export const streams = (target: TargetFacts): boolean => quirksOf(target).streams && target.model.soundBy === 'tokens';

/**
 * The form asked of the host: one that states what is charged. Text and subtitles are written from it by the gateway,
 * so that no form is cheaper than another.
 */
function askedForm(call: TranscriptionCall, target: TargetFacts): TranscriptForm {
  if (call.form === 'diarized_json') return 'diarized_json';
  if (target.model.soundBy !== 'tokens' && quirksOf(target).verbose) return 'verbose_json';
  if (call.form === 'json' || call.form === 'text') return 'json';
  throw cannotCarry('transcription.form', `cannot be ${call.form}: this model gives no times of what it hears`);
}

const textPart = (name: string, text: string | undefined): FormPart[] => (text === undefined ? [] : [{ name, text }]);

const extraParts = (name: string, value: Json): FormPart[] =>
  (isJsonArray(value) ? value : [value]).flatMap((text) => (typeof text === 'string' ? [{ name, text }] : []));

/** Hosts judge by the end of the name: it follows from the bytes where they are known. */
function filePart(recording: Recording): FormPart {
  const type = typeOfRecording(recording.pieces);
  return {
    name: 'file',
    file: { pieces: recording.pieces, toBase64: recording.toBase64 },
    filename: type === undefined ? (recording.filename ?? 'audio.wav') : `audio.${type.extension}`,
    mimeType: type?.mimeType ?? recording.mimeType ?? 'application/octet-stream',
  };
}
