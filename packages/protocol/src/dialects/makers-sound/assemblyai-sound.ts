/** A recording is brought first, then its words are ordered, and asked for until they are there. Times are in ms. */
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';
import { textAt } from '../../passes/json-paths.ts';
import type { HeardWord } from '../../passes/spoken-segments.ts';
import { broken, refusedFor } from '../upstream-errors.ts';
import { filePart, transcriptionDialect } from './transcription.ts';

const TRANSCRIPTS = '/transcript';
/** What its own client does. */
const POLL_EVERY_MS = 3_000;
const WAITING: ReadonlySet<string> = new Set(['queued', 'processing']);
/** Reasons that are not the recording's. */
const ITS_OWN = /server error|internal|download/i;

export const assemblyaiTranscription = transcriptionDialect({
  id: 'assemblyai-transcription',
  carries: ['language'],
  times: true,
  speakers: true,
  write: ({ recording, model, language, needsSpeakers }) => ({
    body: {},
    form: [{ ...filePart('', recording), mimeType: 'application/octet-stream' }],
    order: {
      speech_models: [model],
      // Without either it hears English only.
      ...(language === undefined ? { language_detection: true } : { language_code: language }),
      ...(needsSpeakers && { speaker_labels: true }),
    },
  }),
  job: {
    pollEveryMs: POLL_EVERY_MS,
    order: {
      path: TRANSCRIPTS,
      body: (asked, brought) => {
        const url = textAt(brought, 'upload_url');
        return url === undefined || url === '' ? undefined : { ...asked, audio_url: url };
      },
    },
    begun: (body) => {
      const id = textAt(body, 'id');
      return id === undefined || id === ''
        ? { fault: broken('The upstream provider took a recording and did not name its transcript.').fault }
        : { path: `${TRANSCRIPTS}/${encodeURIComponent(id)}` };
    },
    read: (body) => (WAITING.has(textAt(body, 'status') ?? '') ? 'waiting' : 'done'),
  },
  read: (body) => {
    if (stringAt(body, 'status') === 'error') return failed(body);
    const text = stringAt(body, 'text') ?? (body['text'] === null ? '' : undefined);
    if (stringAt(body, 'status') !== 'completed' || text === undefined) return undefined;
    return {
      text,
      language: stringAt(body, 'language_code'),
      words: arrayAt(body, 'words').filter(isJsonObject).map(wordOf),
      seconds: numberAt(body, 'audio_duration'),
    };
  },
});

/** Nothing is charged for it, by the host either. */
function failed(body: JsonObject): never {
  const why = stringAt(body, 'error');
  if (why !== undefined && !ITS_OWN.test(why)) throw new GatewayError(refusedFor(why));
  throw broken('The upstream provider failed to write down the recording.');
}

function wordOf(word: JsonObject): HeardWord {
  const speaker = stringAt(word, 'speaker');
  return {
    word: stringAt(word, 'text') ?? '',
    start: (numberAt(word, 'start') ?? 0) / 1000,
    end: (numberAt(word, 'end') ?? 0) / 1000,
    ...(speaker !== undefined && { speaker }),
  };
}
