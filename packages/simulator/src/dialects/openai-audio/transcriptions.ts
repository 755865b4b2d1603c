// OpenAI's words of recordings. What is heard is the length of the file: nothing here understands speech.
import { asText, type JsonRecord } from '../../json-value.ts';
import { type PictureFormFile, readForm } from '../../pictures/form.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { checkCredential, checkMethod, unknownModel } from '../openai-chat/check.ts';
import type { ChatProfile } from '../openai-chat/profiles.ts';
import { badRequest, type ChatRefusal } from '../openai-chat/refusal.ts';
import { refused, statusReply } from '../openai-chat/status-replies.ts';
import { json, replyOnly } from '../replies.ts';
import { findCall, SOUND_VENDORS, soundPaths, soundProfileOf } from './clouds.ts';
import { findSoundFamily } from './models.ts';
import { secondsOf } from './sound.ts';

const MAX_BYTES = 26_214_400;
const TRANSLATIONS = '/audio/translations';

export const openaiTranscriptions: SimulatedDialect = {
  name: 'openai-transcriptions',
  vendors: SOUND_VENDORS,
  paths: soundPaths('transcriptions|translations'),
  understand,
};

function understand(given: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const profile = soundProfileOf(given.vendor);
  const { request, refusal: lost, deployment } = findCall(given);
  const early =
    lost ?? checkMethod(request) ?? (options.lenient ? undefined : checkCredential(request.headers, profile, options));
  if (early !== undefined) return refused(early, profile);
  const form = readForm(request.headers['content-type'] ?? '', request.body);
  if (form === undefined) return refused(badRequest('Could not parse multipart form', null), profile);
  const { files } = form;
  const fields = deployment === undefined ? form.fields : { ...form.fields, model: deployment };
  const seen = { ...fields, files: files.map(({ name, filename, type }) => ({ name, filename, type })) };
  const refusal = options.lenient ? undefined : checkForm(fields, files, profile);
  if (refusal !== undefined) return refused(refusal, profile, seen);
  const sound = Buffer.from(files[0]?.base64 ?? '', 'base64');
  return {
    kind: 'reply',
    reply: replyOf(fields, sound, profile, request.path.endsWith(TRANSLATIONS)),
    renderer: replyOnly((fault) => statusReply(fault, profile)),
    body: seen,
    model: fields['model'] ?? '',
    promptTokens: 0,
  };
}

const ENDINGS = /\.(?:flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/iu;
const FORMATS = new Set(['json', 'text', 'srt', 'verbose_json', 'vtt']);

function checkForm(
  fields: Readonly<Record<string, string>>,
  files: readonly PictureFormFile[],
  { vendor }: ChatProfile,
): ChatRefusal | undefined {
  const [file] = files;
  if (files.length !== 1 || file?.name !== 'file') return badRequest('Missing required parameter: file', 'file');
  const model = fields['model'] ?? '';
  const family = findSoundFamily(model, vendor, 'listen');
  if (family === undefined) return unknownModel(model);
  if (!ENDINGS.test(file.filename)) return badRequest(`Unrecognized file format: ${file.filename}`, 'file');
  if (Buffer.from(file.base64, 'base64').length > MAX_BYTES)
    return { ...badRequest('Maximum content size limit (26214400) exceeded', null), status: 413 };
  const format = fields['response_format'] ?? 'json';
  if (!FORMATS.has(format) && !(format === 'diarized_json' && model.endsWith('-diarize')))
    return badRequest(`response_format '${format}' is not compatible with model '${model}'.`, 'response_format');
  if (vendor === 'groq' && (format === 'srt' || format === 'vtt'))
    return badRequest('response_format must be one of [json text verbose_json]', 'response_format');
  if (family.byTokens && format !== 'json' && format !== 'diarized_json')
    return badRequest(
      `response_format '${format}' is not compatible with model '${model}'. Use 'json' instead.`,
      'response_format',
    );
  if (fields['timestamp_granularities[]'] !== undefined && format !== 'verbose_json')
    return badRequest('timestamp_granularities needs verbose_json', 'timestamp_granularities');
  return undefined;
}

const TOKENS_PER_SECOND = 10;

function replyOf(fields: JsonRecord, sound: Buffer, profile: ChatProfile, translates: boolean): Reply {
  const seconds = secondsOf(sound);
  const halves = [`This is a recording of ${sound.length} bytes.`, ` It lasts ${seconds.toFixed(2)} seconds.`];
  const text = halves.join('');
  const model = asText(fields['model']);
  const byTokens = findSoundFamily(model, profile.vendor, 'listen')?.byTokens === true;
  const usage = byTokens ? tokens(seconds, text) : { type: 'duration', seconds: Math.ceil(seconds) };
  const segments = halves.map((half, id) => ({
    id,
    start: (seconds * id) / 2,
    end: (seconds * (id + 1)) / 2,
    text: half,
    seek: 0,
    tokens: [],
    temperature: 0,
    avg_logprob: -0.2,
    compression_ratio: 1,
    no_speech_prob: 0.01,
  }));
  const words = text.split(' ').map((word, at, all) => ({
    word,
    start: (seconds * at) / all.length,
    end: (seconds * (at + 1)) / all.length,
  }));
  const { answerHeaders } = profile;
  if (byTokens && fields['stream'] === 'true') return events(halves, text, usage, answerHeaders);
  const plain = (body: string, type = 'text/plain'): Reply => ({
    status: 200,
    headers: { ...answerHeaders, 'content-type': type },
    body,
  });
  switch (fields['response_format']) {
    case 'text':
    case 'srt':
    case 'vtt':
      return plain(`${text}\n`);
    case 'verbose_json':
      return json(
        200,
        {
          task: translates ? 'translate' : 'transcribe',
          language: 'english',
          duration: seconds,
          text,
          segments,
          ...(fields['timestamp_granularities[]'] !== undefined && { words }),
          ...(profile.vendor === 'openai' && { usage }),
          ...(profile.vendor === 'groq' && { x_groq: { id: 'req_simulated' } }),
        },
        answerHeaders,
      );
    case 'diarized_json': {
      const spoken = segments.map(({ id, start, end, text: said }) => ({
        type: 'transcript.text.segment',
        id: `seg_${id}`,
        start,
        end,
        text: said,
        speaker: id === 0 ? 'A' : 'B',
      }));
      return json(200, { task: 'transcribe', duration: seconds, text, segments: spoken, usage }, answerHeaders);
    }
    default:
      return json(200, { text, ...(profile.vendor === 'openai' && { usage }) }, answerHeaders);
  }
}

const tokens = (seconds: number, text: string) => {
  const [heard, written] = [Math.ceil(seconds * TOKENS_PER_SECOND), text.split(' ').length];
  return {
    type: 'tokens',
    input_tokens: heard,
    input_token_details: { text_tokens: 0, audio_tokens: heard },
    output_tokens: written,
    total_tokens: heard + written,
  };
};

function events(
  pieces: readonly string[],
  text: string,
  usage: object,
  headers: Readonly<Record<string, string>>,
): Reply {
  const all = [
    ...pieces.map((delta) => ({ type: 'transcript.text.delta', delta })),
    { type: 'transcript.text.done', text, usage },
  ];
  return {
    status: 200,
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
    body: all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  };
}
