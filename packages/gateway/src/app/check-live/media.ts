/**
 * The cheapest question to hosts of vectors, ranks, pictures, sound and clips. A caller's request is understood, priced and
 * written as if it were one.
 */
import type { DialectId, JsonObject, VideoCall } from '@trivium/protocol/canonical';
import {
  type AnyDialect,
  type CallerDialect,
  type FormFile,
  type FormPart,
  fitVideo,
  requireCallerDialect,
} from '@trivium/protocol/dialects';
import { scanMembers } from '@trivium/protocol/framing';
import { quoteOf } from '../../calls/admit/quote.ts';
import { priceVideo } from '../../calls/endpoints/order-video.ts';
import { laneFor } from '../../calls/lanes/choose-lane.ts';
import type { Target } from '../../kernel/target.ts';
import type { VideoRoute } from '../../kernel/video.ts';
import type { Question } from './ask.ts';

/** What is asked: a model of a host, or a model of clips. */
export type CheckedPlace = Target | VideoRoute;

export const makesClips = (place: CheckedPlace): place is VideoRoute => place.dialect.operation === 'video';

export const upstreamModelOf = (place: CheckedPlace): string =>
  makesClips(place) ? place.target.upstreamModel : place.facts.upstreamModel;

export type Prepared = {
  readonly question: Question;
  /** What follows once the host has what the question brings. */
  readonly order?: JsonObject;
  /** Undefined: a part of it has no price. */
  readonly mostNanoUsd: bigint | undefined;
};

const CANNOT_WRITE = 'our codec does not write it for this host';
/** No model has this name. */
export const NO_MODEL = 'trivium-asks-for-no-model';

// Questions as a caller would write them.

type Asking = Exclude<AnyDialect['operation'], 'text'>;

type Asked = {
  readonly callers: DialectId;
  /** The first that a host can take. */
  readonly bodies: (format: DialectId) => readonly JsonObject[];
};

const SAMPLES_PER_SECOND = 8000;
const HEAD_BYTES = 44;

/** A second of silence, as a file. */
function silence(): Buffer {
  const file = Buffer.alloc(HEAD_BYTES + 2 * SAMPLES_PER_SECOND);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  file.writeUInt32LE(2 * SAMPLES_PER_SECOND, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(2 * SAMPLES_PER_SECOND, 40);
  return file;
}

const RECORDING: FormFile = {
  name: 'file',
  filename: 'second.wav',
  mimeType: 'audio/wav',
  seconds: 1,
  pieces: [silence()],
  toBase64: () => silence().toString('base64'),
};

/** Of each maker's own, one that every account has. */
const SPEAKERS: Readonly<Partial<Record<DialectId, string>>> = {
  'elevenlabs-speech': 'JBFqnCBsd6RMkjVDRZzb',
  'deepgram-speech': 'thalia',
  'mistral-speech': 'en_paul_neutral',
  'cartesia-speech': '6ccbfb76-1fc6-48f7-b71d-91ac6298247b',
};
const PICTURE = { prompt: 'A grey square.', n: 1 };

const ASKED: Readonly<Record<Asking, Asked>> = {
  embed: { callers: 'openai-embeddings', bodies: () => [{ input: 'Hello.' }] },
  rerank: {
    callers: 'cohere-rerank',
    bodies: () => [{ query: 'a greeting', documents: ['Hello.', 'A stone.'] }],
  },
  moderate: { callers: 'openai-moderations', bodies: () => [{ input: 'Hello.' }] },
  image: {
    callers: 'openai-images',
    bodies: () => [{ ...PICTURE, quality: 'low', size: '1024x1024' }, { ...PICTURE, size: '1024x1024' }, PICTURE],
  },
  speech: {
    callers: 'openai-speech',
    bodies: (format) => {
      const voice = SPEAKERS[format];
      const body = { input: 'Hi.', ...(voice !== undefined && { voice }) };
      return [{ ...body, response_format: 'mp3' }, { ...body, response_format: 'wav' }, { input: 'Hi.' }];
    },
  },
  transcription: {
    callers: 'openai-transcription',
    bodies: () => [{ file: { file: 0 }, response_format: 'json' }],
  },
};

const HEAD = { header: () => undefined, files: [RECORDING] };
const MAX_DEPTH = 8;

/** Or why there is no question. */
export function cheapest(place: CheckedPlace): Prepared | string {
  if (makesClips(place)) return cheapestClip(place);
  const { operation, id } = place.dialect;
  if (operation === 'text') return CANNOT_WRITE;
  const { callers, bodies } = ASKED[operation];
  for (const body of bodies(id)) {
    try {
      return asked(place, requireCallerDialect(callers), { model: place.modelId, ...body });
    } catch {
      // The next one asks for less.
    }
  }
  return CANNOT_WRITE;
}

function asked(target: Target, dialect: CallerDialect, body: JsonObject): Prepared | string {
  const text = JSON.stringify(body);
  const understanding = dialect.server.understand(body, HEAD);
  const called = { understanding, dialect, text, plan: [target], strict: false, caller: { accountId: '' } };
  const lane = laneFor({ ...called, members: scanMembers(text, MAX_DEPTH) }, target, {});
  if (lane instanceof Promise) return CANNOT_WRITE;
  const { holdNanoUsd, unpriced } = quoteOf(called, undefined);
  // Speech is read as it is made.
  const usual = target.dialect.operation === 'speech' ? target.streamPath : target.path;
  const path = (target.actionPaths?.[lane.action ?? ''] ?? usual) + (lane.suffix ?? '');
  return {
    question: { path, body: lane.body, readsBytes: readsBytes(target) },
    ...(lane.order && { order: lane.order }),
    mostNanoUsd: unpriced.length > 0 ? undefined : holdNanoUsd,
  };
}

const readsBytes = ({ dialect, facts }: Target): boolean =>
  dialect.operation === 'speech' && !dialect.client.sendsEvents(facts);

/** The same for a model that is not there; undefined where a request names none. */
export function forNoModel({ question }: Prepared, place: CheckedPlace): Question | undefined {
  const upstreamModel = upstreamModelOf(place);
  const escaped = encodeURIComponent(upstreamModel);
  const path = question.path.split(escaped).join(NO_MODEL).split(upstreamModel).join(NO_MODEL);
  const name = JSON.stringify(upstreamModel);
  const { body } = question;
  const named =
    typeof body === 'string'
      ? body.split(name).join(JSON.stringify(NO_MODEL))
      : body?.map(
          (part): FormPart => ('text' in part && part.text === upstreamModel ? { ...part, text: NO_MODEL } : part),
        );
  const isNamed = path !== question.path || JSON.stringify(named) !== JSON.stringify(body);
  return isNamed && named !== undefined ? { ...question, path, body: named } : undefined;
}

// Clips: the shortest and smallest that the host makes, without sound where there is a choice.

function shortestOf(route: VideoRoute): number | undefined {
  const { seconds } = route.target.limits;
  if (seconds === undefined) return undefined;
  return 'min' in seconds ? seconds.min : Math.min(...seconds);
}

function cheapestClip(route: VideoRoute): Prepared | string {
  const { limits } = route.target;
  const seconds = shortestOf(route);
  let best: Prepared | undefined;
  for (const resolution of limits.resolutions ?? [undefined]) {
    const call: VideoCall = {
      operation: 'video',
      model: route.modelId,
      prompt: PICTURE.prompt,
      count: 1,
      ...(seconds !== undefined && { seconds }),
      ...(resolution !== undefined && { resolution }),
      ...(limits.audio === 'choice' && { audio: false }),
    };
    try {
      const fitted = fitVideo(call, limits);
      const { path, body, headers } = route.dialect.submit(fitted.call, route.target);
      const { cost } = priceVideo({ route, call: fitted.call }).bill;
      const mostNanoUsd = cost.unpriced.length > 0 ? undefined : cost.nanoUsd;
      const question = { path: route.basePath + path, body: JSON.stringify(body), headers: headers.flat() };
      if (best === undefined || isCheaper(mostNanoUsd, best.mostNanoUsd)) best = { question, mostNanoUsd };
    } catch {
      // Another size may be made.
    }
  }
  return best ?? CANNOT_WRITE;
}

export const isCheaper = (one: bigint | undefined, other: bigint | undefined): boolean =>
  one !== undefined && (other === undefined || one < other);
