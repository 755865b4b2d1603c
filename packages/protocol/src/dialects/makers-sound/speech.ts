/** Speech at hosts with formats of their own. Each is a row: what it calls things, and what it lacks. */
import type { DialectId } from '../../canonical/dialect-id.ts';
import { type SpeechField, type SpeechLoss, type Stance, stancesIn } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import type { SpeechCall, SpeechFormat } from '../../canonical/sound.ts';
import { LossList } from '../../passes/loss-list.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import type { SpeechDialect } from '../sound-dialects.ts';
import { decodeMakerFault } from './faults.ts';

/** What is left of a call when the shared checks are done. */
type Spoken = {
  readonly input: string;
  readonly model: string;
  readonly format: SpeechFormat;
  readonly voice: string | undefined;
  readonly instructions: string | undefined;
  readonly speed: number | undefined;
};

export type SpeakingHost = {
  readonly id: DialectId;
  readonly formats: readonly SpeechFormat[];
  /** What a name of a voice looks like: others are refused before the host is asked. */
  readonly voices: RegExp;
  readonly voice: 'required' | 'optional';
  /** Models that are a voice: another is not asked for. */
  readonly isVoice?: (model: string) => boolean;
  readonly instructions?: true;
  /** The slowest and the fastest; absent: there is one pace. */
  readonly speed?: readonly [number, number];
  /** A wav is asked for as its samples, of this rate, and gets its head from the gateway. */
  readonly bareWav?: number;
  write(spoken: Spoken): Pick<EncodedCall, 'body' | 'suffix'>;
  /** The host answers with events; otherwise with bytes. */
  readonly readEvents?: SpeechDialect['client']['readEvents'];
};

const stance = (carries: boolean): Stance => (carries ? 'mapped' : 'dropped');

export const speechDialect = (host: SpeakingHost): SpeechDialect => ({
  id: host.id,
  operation: 'speech',
  stances: stancesIn<SpeechField>({
    'speech.voice': ['mapped', 'voice'],
    'speech.instructions': [stance(host.instructions === true), 'instructions'],
    'speech.format': ['mapped', 'response_format'],
    'speech.speed': [stance(host.speed !== undefined), 'speed'],
    extras: ['dropped', 'extra fields'],
  }),
  quirks: (own) => own,
  client: {
    encodeCall: (call, target) => encodeCall(host, call, target),
    sendsEvents: () => host.readEvents !== undefined,
    readEvents: host.readEvents ?? (() => []),
    ...(host.bareWav !== undefined && { bareWavRate: host.bareWav }),
    decodeFault: decodeMakerFault,
    sealRefusals: [],
  },
});

function encodeCall(host: SpeakingHost, call: SpeechCall, { upstreamModel }: TargetFacts): EncodedCall<SpeechLoss> {
  const { input, format, instructions, speed, extras } = call;
  if (!host.formats.includes(format))
    throw cannotCarry(
      'speech.format',
      `cannot be ${format} at this model's host, which has ${host.formats.join(', ')}`,
    );
  const losses = new LossList<SpeechField>();
  if (instructions !== undefined && host.instructions !== true) losses.add('speech.instructions');
  if (Object.keys(extras).length > 0) losses.add('extras');
  const spoken = {
    input,
    model: upstreamModel,
    format,
    voice: voiceOf(host, call, upstreamModel, losses),
    instructions: host.instructions === true ? instructions : undefined,
    speed: paceOf(host, speed, losses),
  };
  return { ...host.write(spoken), losses: losses.all };
}

function voiceOf(
  { voices, voice: need, isVoice }: SpeakingHost,
  { voice }: SpeechCall,
  model: string,
  losses: LossList<SpeechField>,
): string | undefined {
  if (isVoice?.(model) === true) {
    if (voice !== undefined) losses.add('speech.voice');
    return undefined;
  }
  if (voice === undefined && need === 'optional') return undefined;
  if (typeof voice === 'string' && voices.test(voice)) return voice;
  throw cannotCarry('speech.voice', "must be one of this model's host");
}

function paceOf({ speed: range }: SpeakingHost, speed: number | undefined, losses: LossList<SpeechField>) {
  if (speed === undefined || speed === 1) return undefined;
  if (range === undefined) {
    losses.add('speech.speed');
    return undefined;
  }
  const [slowest, fastest] = range;
  if (speed < slowest || speed > fastest)
    throw cannotCarry('speech.speed', `must be from ${slowest} to ${fastest} at this model's host`);
  return speed;
}
