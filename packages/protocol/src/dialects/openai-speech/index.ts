/** Speech in the format of chat completions' home, both halves: JSON in, and bytes or events out. */
import { type Static, Type } from 'typebox';
import type { Fault } from '../../canonical/fault.ts';
import { type FieldTable, type SpeechField, type SpeechLoss, spellingIn, stancesIn } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { type Json, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import { SPEECH_FORMATS, type SpeechCall, type SpeechEvent } from '../../canonical/sound.ts';
import type { Usage } from '../../canonical/usage.ts';
import { LossList } from '../../passes/loss-list.ts';
import { anyObject, checkWith, compile, isGiven, Maybe } from '../checking.ts';
import type { EncodedCall, Frame, TargetFacts } from '../dialect.ts';
import { NO_TEXT_OPTIONS } from '../media-dialects.ts';
import type { SpeechDialect, SpeechServerHalf, SpeechUnderstanding } from '../sound-dialects.ts';
import { objectIn } from '../upstream-answers.ts';
import { decodeApiFault, errorBody } from '../upstream-errors.ts';
import { COMMON_SPEECH, quirksOf } from './quirks.ts';

const ID = 'openai-speech';

const fields: FieldTable<SpeechField> = {
  'speech.voice': ['native', 'voice'],
  'speech.instructions': ['native', 'instructions'],
  'speech.format': ['native', 'response_format'],
  'speech.speed': ['native', 'speed'],
  extras: ['native', 'extras'],
};
const spelling = spellingIn(fields);

// A caller's body → the canonical call.

const MAX_INPUT = 4096;

export const SpeechWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  input: Type.String({ minLength: 1, maxLength: MAX_INPUT }),
  voice: Maybe(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), anyObject({ maxProperties: 16 })])),
  instructions: Maybe(Type.String({ maxLength: MAX_INPUT })),
  response_format: Maybe(Type.Enum([...SPEECH_FORMATS])),
  speed: Maybe(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: Maybe(Type.Enum(['audio', 'sse'])),
  user: Maybe(Type.String()),
});
type SpeechWire = Static<typeof SpeechWire>;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(SpeechWire.properties));
const request = compile(SpeechWire);

function understand(body: JsonObject): SpeechUnderstanding {
  const wire = checkWith(request, body, '');
  let call: SpeechCall | undefined;
  return {
    model: wire.model,
    stream: true,
    responseOptions: {
      ...NO_TEXT_OPTIONS,
      speech: { format: wire.response_format ?? 'mp3', asEvents: wire.stream_format === 'sse' },
    },
    losses: isGiven(wire.user) ? [{ path: 'user', why: 'not-forwarded' }] : [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
    ...(typeof wire.user === 'string' && { user: wire.user }),
    call: () => (call ??= callOf(wire, body)),
    verbatim: () => ({ why: 'speech is asked for anew at each host' }),
  };
}

function callOf(wire: SpeechWire, body: JsonObject): SpeechCall {
  const unknown: [string, Json][] = Object.entries(body).filter(([name]) => !KNOWN.has(name));
  const { voice } = wire;
  return {
    operation: 'speech',
    model: wire.model,
    input: wire.input,
    ...(voice != null && { voice: typeof voice === 'string' ? voice : (body['voice'] as JsonObject) }),
    ...(wire.instructions != null && { instructions: wire.instructions }),
    format: wire.response_format ?? 'mp3',
    ...(wire.speed != null && { speed: wire.speed }),
    extras: unknown.length === 0 ? {} : { [ID]: Object.fromEntries(unknown) },
  };
}

// The canonical call → a request to a host of this format.

/** For callers that name none: every host of this format with names of its maker has it. */
const USUAL_SPEAKER = 'alloy';

function encodeCall(call: SpeechCall, target: TargetFacts): EncodedCall<SpeechLoss> {
  const { formats, instructions: takesInstructions } = quirksOf(target);
  const { voice = USUAL_SPEAKER, instructions, speed, extras } = call;
  const losses = new LossList<SpeechField>();
  if (!formats.includes(call.format))
    throw cannotCarry(
      'speech.format',
      `cannot be ${call.format} at this model's host, which has ${formats.join(', ')}`,
    );
  if (instructions !== undefined && !takesInstructions) losses.add('speech.instructions');
  if (Object.keys(extras).some((dialect) => dialect !== ID)) losses.add('extras');
  const body: JsonObject = {
    ...extras[ID],
    model: target.upstreamModel,
    input: call.input,
    voice,
    ...(instructions !== undefined && takesInstructions && { instructions }),
    response_format: call.format,
    ...(speed !== undefined && { speed }),
    ...(sendsEvents(target) && { stream_format: 'sse' }),
  };
  return { body, losses: losses.all };
}

/** What is charged by tokens is stated in events only. */
const sendsEvents = (target: TargetFacts): boolean => quirksOf(target).events && target.model.soundBy === 'tokens';

// Events, in both directions.

const BROKEN: Fault = { kind: 'upstream-broken', message: 'The upstream provider sent speech that cannot be read.' };

function readEvent({ data }: Frame): ReturnType<SpeechDialect['client']['readEvents']>[number] | undefined {
  if (data === '[DONE]') return undefined;
  const wire = objectIn(data);
  const type = stringAt(wire, 'type');
  if (type === 'speech.audio.delta') {
    const base64 = stringAt(wire, 'audio');
    return base64 === undefined ? { type: 'fault', fault: BROKEN } : { type: 'sound', base64 };
  }
  // One of the local servers has another name for it.
  if (type === 'speech.audio.done')
    return { type: 'sound-end', usage: usageOf(objectAt(wire, 'usage') ?? objectAt(wire, 'token_usage')) };
  if (wire === undefined) return { type: 'fault', fault: BROKEN };
  if (type === 'error' || wire['error'] !== undefined)
    return { type: 'fault', fault: { ...BROKEN, message: 'The upstream provider failed while it spoke.' } };
  return undefined;
}

function readEvents(frame: Frame): ReturnType<SpeechDialect['client']['readEvents']> {
  const event = readEvent(frame);
  return event === undefined ? [] : [event];
}

/** Zeros are what servers say that count nothing. */
function usageOf(usage: JsonObject | undefined): Usage {
  const [prompt, outputAudio] = [numberAt(usage, 'input_tokens') ?? 0, numberAt(usage, 'output_tokens') ?? 0];
  return prompt + outputAudio > 0 ? { prompt, outputAudio } : {};
}

function encodeEvent(event: SpeechEvent): string {
  if (event.type === 'sound') return sse({ type: 'speech.audio.delta', audio: event.base64 });
  const { prompt = 0, outputAudio = 0 } = event.usage;
  const usage = { input_tokens: prompt, output_tokens: outputAudio, total_tokens: prompt + outputAudio };
  return sse({ type: 'speech.audio.done', usage });
}

const sse = (body: JsonObject): string => `data: ${JSON.stringify(body)}\n\n`;

export const openaiSpeech: SpeechDialect & { readonly server: SpeechServerHalf } = {
  id: ID,
  operation: 'speech',
  stances: stancesIn(fields),
  quirks: (own) => ({ ...COMMON_SPEECH, ...own }),
  server: {
    understand,
    encodeEvent,
    streamFault: (fault) => sse({ type: 'error', error: errorBody(fault) }),
    spelling,
  },
  client: {
    encodeCall,
    sendsEvents,
    readEvents,
    voices: (target) => quirksOf(target).voices,
    decodeFault: decodeApiFault,
    sealRefusals: [],
  },
};
