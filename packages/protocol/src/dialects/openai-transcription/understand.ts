/** The fields and the file of a form → a call for the words of a recording. */
import { type Static, Type } from 'typebox';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { type Recording, TRANSCRIPT_FORMS, type TranscriptionCall } from '../../canonical/sound.ts';
import { checkWith, compile, isGiven, Maybe, malformed } from '../checking.ts';
import type { RequestHead } from '../dialect.ts';
import type { FormFile } from '../forms.ts';
import { NO_TEXT_OPTIONS } from '../media-dialects.ts';
import type { TranscriptionUnderstanding } from '../sound-dialects.ts';

export const ID = 'openai-transcription';

/** What the home of this format takes; larger files are split by the programs that send them. */
const MAX_RECORDING_BYTES = 25 * 1024 * 1024;

const TIMES = ['word', 'segment'] as const;

export const TranscriptionWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  language: Maybe(Type.String({ maxLength: 64 })),
  prompt: Maybe(Type.String()),
  response_format: Maybe(Type.Enum([...TRANSCRIPT_FORMS])),
  temperature: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  timestamp_granularities: Maybe(Type.Array(Type.Enum([...TIMES]), { maxItems: 2 })),
  stream: Maybe(Type.Boolean()),
  user: Maybe(Type.String()),
});
type TranscriptionWire = Static<typeof TranscriptionWire>;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(TranscriptionWire.properties));
const request = compile(TranscriptionWire);

const TRANSLATION_FORMS: ReadonlySet<string> = new Set(['json', 'text', 'srt', 'verbose_json', 'vtt']);

export function understand(fields: JsonObject, head?: RequestHead): TranscriptionUnderstanding {
  const translates = head?.form === 'translations';
  const { body, extras, recording } = readForm(fields, head?.files ?? []);
  const wire = checkWith(request, body, '');
  const form = wire.response_format ?? 'json';
  if (translates && !TRANSLATION_FORMS.has(form)) throw malformed('response_format', 'is not known for translations');
  const times = wire.timestamp_granularities ?? [];
  if (times.length > 0 && form !== 'verbose_json')
    throw malformed('timestamp_granularities', 'is for response_format verbose_json');
  let call: TranscriptionCall | undefined;
  return {
    model: wire.model,
    stream: wire.stream === true && !translates,
    responseOptions: { ...NO_TEXT_OPTIONS, transcript: { form, times, translates } },
    losses: isGiven(wire.user) ? [{ path: 'user', why: 'not-forwarded' }] : [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
    ...(typeof wire.user === 'string' && { user: wire.user }),
    extraPaths: () => Object.keys(extras),
    call: () => (call ??= callOf(wire, recording, translates, extras)),
    verbatim: () => ({ why: 'forms are written anew for each host' }),
  };
}

const callOf = (
  wire: TranscriptionWire,
  recording: Recording,
  translate: boolean,
  extras: JsonObject,
): TranscriptionCall => ({
  operation: 'transcription',
  model: wire.model,
  stream: wire.stream === true && !translate,
  recording,
  ...(translate && { translate }),
  ...(wire.language != null && wire.language !== '' && { language: wire.language }),
  ...(wire.prompt != null && wire.prompt !== '' && { prompt: wire.prompt }),
  ...(wire.temperature != null && { temperature: wire.temperature }),
  form: wire.response_format ?? 'json',
  times: wire.timestamp_granularities ?? [],
  extras: Object.keys(extras).length === 0 ? {} : { [ID]: extras },
});

// Clients write lists as `x[]`, as `x` several times, or as JSON: they mean the same.

type Form = { readonly body: JsonObject; readonly extras: JsonObject; readonly recording: Recording };

function readForm(fields: JsonObject, files: readonly FormFile[]): Form {
  const body: Record<string, Json> = {};
  const extras: Record<string, Json> = {};
  let recording: Recording | undefined;
  for (const [written, value] of Object.entries(fields)) {
    const name = written.endsWith('[]') ? written.slice(0, -2) : written;
    if (name === 'file') recording = recordingOf(once(name, value), files);
    else if (KNOWN.has(name)) body[name] = typed(name, value);
    else extras[written] = textsOf(written, value);
  }
  if (recording === undefined) throw malformed('file', 'is required');
  return { body, extras, recording };
}

const NUMBER = /^[0-9]{1,6}(?:\.[0-9]{1,15})?$/;

/** A text that does not parse as its type stays unchanged; the validation refuses it by name. */
function typed(name: string, value: Json): Json {
  if (name === 'timestamp_granularities') return listOf(value);
  const text = once(name, value);
  if (typeof text !== 'string') throw malformed(name, 'must be a text, not a file');
  if (name === 'temperature' && NUMBER.test(text)) return Number(text);
  if (name === 'stream' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  // Some clients write null as a text.
  if (name === 'stream' && (text === '' || text === 'null')) return null;
  return text;
}

function listOf(value: Json): Json {
  if (isJsonArray(value)) return value;
  if (typeof value !== 'string' || !value.startsWith('[')) return [value];
  try {
    const list: Json = JSON.parse(value);
    return list;
  } catch {
    return [value];
  }
}

function textsOf(name: string, value: Json): Json {
  const values = isJsonArray(value) ? value : [value];
  if (values.some((each) => typeof each !== 'string')) throw malformed(name, 'must be a text, not a file');
  return value;
}

function once(name: string, value: Json): Json {
  if (isJsonArray(value)) throw malformed(name, 'must be given once');
  return value;
}

function recordingOf(value: Json, files: readonly FormFile[]): Recording {
  const index = isJsonObject(value) ? value['file'] : undefined;
  const file = typeof index === 'number' ? files[index] : undefined;
  if (file === undefined) throw malformed('file', 'must be a file');
  if (file.pieces.length === 0) throw malformed('file', 'must not be empty');
  const bytes = file.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (bytes > MAX_RECORDING_BYTES)
    throw new GatewayError({
      kind: 'too-large',
      message: `The recording is larger than ${MAX_RECORDING_BYTES} bytes.`,
      field: 'file',
    });
  const { filename, mimeType, seconds } = file;
  return {
    pieces: file.pieces,
    toBase64: file.toBase64,
    ...(filename !== undefined && { filename }),
    ...(mimeType !== undefined && { mimeType }),
    ...(seconds !== undefined && { seconds }),
  };
}
