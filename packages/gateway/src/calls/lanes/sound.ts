/** Speech as it is made, as bytes or as events; and the words of recordings, in one piece or as they are heard. */
import { type Fault, type Loss, NOTHING_PRODUCED, type Produced, type Usage } from '@trivium/protocol/canonical';
import type {
  AnswerContext,
  Frame,
  SpeechDialect,
  SpeechServerHalf,
  TranscriptEvent,
  TranscriptionDialect,
  TranscriptionServerHalf,
} from '@trivium/protocol/dialects';
import { FramingError, SseReader } from '@trivium/protocol/framing';
import type { UsageReading } from '../../kernel/record.ts';
import type { Target } from '../../kernel/target.ts';
import { charactersOf } from '../../money/prices/sound.ts';
import type { WholeAnswer } from '../lane.ts';
import { asSpeechCall } from '../operations.ts';
import type { Planned } from '../request.ts';
import { type Over, StreamTranslator, type Translator, type TranslatorLimits } from './translator.ts';
import { wavHead } from './wav-head.ts';
import { parseAnswer } from './whole.ts';

const NO_LOSSES: readonly Loss[] = [];
const NO_SPEECH: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent something that is no speech.',
};
const CUT_SHORT: Fault = { kind: 'upstream-broken', message: 'The upstream provider broke off its speech.' };

/** Undefined if it is not sound, or not streamed. */
export function soundStream(
  { dialect, understanding }: Planned,
  target: Target,
  context: AnswerContext,
  limits: TranslatorLimits,
): Translator | undefined {
  if (dialect.operation === 'speech' && target.dialect.operation === 'speech') {
    const call = asSpeechCall(understanding.call());
    const characters = call === undefined ? 0 : charactersOf(call.input);
    return new SpeechStream(dialect.server, target.dialect.client, target, context, characters, limits.eventLength);
  }
  if (dialect.operation !== 'transcription' || target.dialect.operation !== 'transcription') return undefined;
  const { client } = target.dialect;
  return client.streams(target.facts) ? new TranscriptStream(dialect.server, client, limits.eventLength) : undefined;
}

// Speech.

/** The types by which players and clients know the formats that can be asked for. */
const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** By the first bytes, which are right where a label may be wrong. */
function typeOf(beginning: string, format: string): string {
  if (format === 'pcm' && !beginning.startsWith('RIFF')) return 'audio/pcm';
  if (beginning.startsWith('RIFF')) return 'audio/wav';
  if (beginning.startsWith('OggS')) return 'audio/ogg';
  if (beginning.startsWith('fLaC')) return 'audio/flac';
  if (beginning.startsWith('ID3')) return 'audio/mpeg';
  return TYPES[format] ?? 'audio/mpeg';
}

/** JSON or markup where sound was asked for: a host's way to say no with a good status. */
const WORDS = /^\s*(?:\{|<!|<html)/i;

class SpeechStream implements Translator {
  readonly streams = true;
  readonly asEvents = false;
  readonly isWhole = false;
  readonly readsBytes?: true;
  fault: Fault | undefined;
  over: Over | undefined;
  hasContent = false;
  progress = 0;
  events = 0;
  readonly producedCharacters = 0;
  readonly #server: SpeechServerHalf;
  readonly #client: SpeechDialect['client'];
  readonly #byTokens: boolean;
  readonly #format: string;
  readonly #showsEvents: boolean;
  readonly #characters: number;
  /** Of a wav that comes as its samples. */
  readonly #bareRate: number | undefined;
  readonly #reader: SseReader | undefined;
  #contentType: string | undefined;
  #usage: Usage = {};
  #out = '';

  constructor(
    server: SpeechServerHalf,
    client: SpeechDialect['client'],
    { facts }: Target,
    { responseOptions: { speech } }: AnswerContext,
    characters: number,
    eventLength: number,
  ) {
    this.#server = server;
    this.#client = client;
    this.#byTokens = facts.model.soundBy === 'tokens';
    this.#format = speech?.format ?? 'mp3';
    this.#bareRate = this.#format === 'wav' ? client.bareWavRate : undefined;
    this.#showsEvents = speech?.asEvents === true;
    this.#characters = characters;
    if (client.sendsEvents(facts)) this.#reader = new SseReader(eventLength);
    else this.readsBytes = true;
  }

  get contentType(): string | undefined {
    return this.#showsEvents ? undefined : (this.#contentType ?? TYPES[this.#format]);
  }

  push(piece: string): string {
    this.#out = '';
    if (this.#reader === undefined) this.#bytes(piece);
    else
      this.#frames((take) => {
        this.#reader?.push(piece, take);
      });
    return this.#out;
  }

  end(): string {
    this.#out = '';
    if (this.over !== undefined) return '';
    if (this.#reader !== undefined) {
      this.#frames((take) => {
        this.#reader?.end(take);
      });
      // Events end with the one that states the usage: what breaks off before it is not whole.
      if (this.over === undefined) this.fault ??= CUT_SHORT;
    } else if (this.hasContent) this.#finish();
    else this.fault ??= NO_SPEECH;
    return this.#out;
  }

  get reading(): UsageReading {
    const isTold = this.#byTokens ? this.#usage.outputAudio !== undefined : true;
    return { usage: { ...this.#usage, characters: this.#characters }, reported: isTold, ...NOTHING_PRODUCED };
  }

  produced(): Produced {
    return NOTHING_PRODUCED;
  }

  losses(): readonly Loss[] {
    return NO_LOSSES;
  }

  #frames(read: (take: (frame: Frame) => void) => void): void {
    try {
      read((frame) => this.#take(frame));
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      this.fault ??= NO_SPEECH;
    }
  }

  #take(frame: Frame): void {
    if (this.over !== undefined || this.fault !== undefined) return;
    this.events++;
    for (const event of this.#client.readEvents(frame)) this.#read(event);
  }

  #read(event: ReturnType<SpeechDialect['client']['readEvents']>[number]): void {
    if (event.type === 'fault') this.fault = event.fault;
    else if (event.type === 'sound') this.#bytes(Buffer.from(event.base64, 'base64').toString('latin1'));
    else {
      this.#usage = event.usage;
      this.progress++;
      if (this.hasContent) this.#finish();
      else this.fault = NO_SPEECH;
    }
  }

  #bytes(bytes: string): void {
    if (bytes === '') return;
    if (!this.hasContent) {
      const isBare = this.#bareRate !== undefined && !bytes.startsWith('RIFF');
      if (!isBare && this.#format !== 'pcm' && WORDS.test(bytes)) {
        this.fault = NO_SPEECH;
        return;
      }
      if (isBare) this.#write(wavHead(this.#bareRate ?? 0));
      this.#contentType ??= isBare ? TYPES['wav'] : typeOf(bytes, this.#format);
    }
    this.#write(bytes);
  }

  #write(bytes: string): void {
    this.hasContent = true;
    this.progress++;
    this.#out += this.#showsEvents
      ? this.#server.encodeEvent({ type: 'sound', base64: Buffer.from(bytes, 'latin1').toString('base64') })
      : bytes;
  }

  #finish(): void {
    this.over = 'ended';
    if (this.#showsEvents) this.#out += this.#server.encodeEvent({ type: 'sound-end', usage: this.#usage });
  }
}

// The words of recordings.

const TOO_MANY_WORDS: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent more words than an event may have.',
};

class TranscriptStream extends StreamTranslator {
  hasContent = false;
  readonly isWhole = false;
  readonly #server: TranscriptionServerHalf;
  readonly #client: TranscriptionDialect['client'];
  readonly #maxLength: number;
  #words = '';

  constructor(server: TranscriptionServerHalf, client: TranscriptionDialect['client'], eventLength: number) {
    super(eventLength, false);
    this.#server = server;
    this.#client = client;
    this.#maxLength = eventLength;
  }

  losses(): readonly Loss[] {
    return NO_LOSSES;
  }

  protected take(frame: Frame): void {
    if (this.over !== undefined || this.fault !== undefined) return;
    const event = this.#client.readEvent(frame);
    if (event === undefined) return;
    if (event.type === 'fault') this.fault = event.fault;
    else this.#write(event);
  }

  #write(event: Exclude<TranscriptEvent, { type: 'fault' }>): void {
    this.hasContent = true;
    this.progress++;
    if (event.type === 'words') {
      this.#words += event.text;
      // The last event has all of them.
      if (this.#words.length > this.#maxLength) this.fault = TOO_MANY_WORDS;
      else this.out += this.#server.encodeEvent(event);
      return;
    }
    const { transcript } = event;
    // A host may end without the words it gave before.
    const text = transcript.text === '' ? this.#words.trim() : transcript.text;
    this.out += this.#server.encodeEvent({ type: 'end', transcript: { ...transcript, text } });
    this.meter.report(transcript.usage);
    this.over = 'ended';
  }

  protected finish(): void {
    this.fault ??= { kind: 'upstream-broken', message: 'The upstream provider broke off the words of the recording.' };
  }
}

/** A whole answer in the caller's form; as the events of a stream that ends at once where events were asked for. */
export function transcriptAnswer(
  server: TranscriptionServerHalf,
  target: Target,
  { responseOptions: { transcript: options } }: AnswerContext,
  body: string,
  stream: boolean,
): WholeAnswer {
  const { dialect, facts } = target;
  if (dialect.operation !== 'transcription' || options === undefined)
    throw new Error(`a recording met the dialect ${dialect.id}`);
  const transcript = dialect.client.decodeAnswer(parseAnswer(body, dialect), facts);
  const { usage, text: words } = transcript;
  const reading: UsageReading = {
    usage,
    reported: Object.keys(usage).length > 0,
    producedCharacters: words.length,
    producedPieces: words === '' ? 0 : 1,
  };
  const spare = {
    reading: { ...reading, ...(usage.audioSeconds !== undefined && NOTHING_PRODUCED) },
    losses: NO_LOSSES,
  };
  if (!stream) return { ...server.encodeAnswer(transcript, options), ...spare };
  const events: readonly Exclude<TranscriptEvent, { type: 'fault' }>[] = [
    { type: 'words', text: words },
    { type: 'end', transcript },
  ];
  return { text: events.map((event) => server.encodeEvent(event)).join(''), ...spare, asEvents: true };
}
