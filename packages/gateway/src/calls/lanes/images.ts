/** Images, streamed or not: events of many megabytes, partial images first, one completed image last. */
import {
  GatewayError,
  type ImageAnswer,
  type ImageEvent,
  type Loss,
  NOTHING_PRODUCED,
} from '@trivium/protocol/canonical';
import { type AnswerContext, eventsOf, type Frame, type ImageServerHalf } from '@trivium/protocol/dialects';
import { writeSse } from '@trivium/protocol/framing';
import type { Machine } from '@trivium/protocol/stream';
import type { MediaFetcher } from '../../kernel/media.ts';
import { type RedactUpstream, redactedImages } from '../../kernel/redact.ts';
import { answersWithImages, type Target } from '../../kernel/target.ts';
import type { WholeAnswer } from '../lane.ts';
import { StreamTranslator } from './translator.ts';
import { parseAnswer } from './whole.ts';

const NOT_FETCHED = {
  kind: 'upstream-broken',
  message: 'The upstream provider made an image that could not be fetched.',
} as const;

/** Undefined if either end does not stream: the upstream is then asked for a non-streamed answer. */
export function imageStream(
  server: ImageServerHalf,
  target: Target,
  context: AnswerContext,
  maxEventLength: number,
): ImageStream | undefined {
  if (!answersWithImages(target)) return undefined;
  const [callers, hosts] = [server.streaming, target.dialect.client.streaming];
  if (callers === undefined || hosts?.streams(target.facts) !== true) return undefined;
  return new ImageStream(hosts.eventDecoder(target.facts), callers.eventEncoder(context), maxEventLength);
}

export class ImageStream extends StreamTranslator {
  hasContent = false;
  readonly isWhole = false;
  readonly #decoder: Machine<Frame, ImageEvent>;
  readonly #encoder: Machine<ImageEvent, Frame>;

  constructor(decoder: Machine<Frame, ImageEvent>, encoder: Machine<ImageEvent, Frame>, maxEventLength: number) {
    super(maxEventLength, false);
    this.#decoder = decoder;
    this.#encoder = encoder;
  }

  losses(): readonly Loss[] {
    return [...this.#decoder.losses(), ...this.#encoder.losses()];
  }

  protected take(frame: Frame): void {
    this.#events(this.#decoder.push(frame));
  }

  protected finish(): void {
    this.#events(this.#decoder.end());
  }

  #events(events: readonly ImageEvent[]): void {
    for (const event of events) {
      if (this.fault !== undefined || this.over !== undefined) return;
      if (event.type === 'image-fault') this.fault = event.fault;
      else this.#write(event);
    }
  }

  #write(event: ImageEvent): void {
    if (event.type === 'image-completed') this.meter.report(event.answer.usage);
    this.hasContent = true;
    this.progress++;
    for (const frame of this.#encoder.push(event)) this.out += writeSse(frame);
    // Nothing follows a completed image, whatever else the upstream sends.
    if (event.type === 'image-completed') this.over = 'ended';
  }
}

export type ImageReading = {
  /** The caller reads events, even if the upstream answered in one piece. */
  readonly stream: boolean;
  /** For images that upstreams return as a URL. */
  readonly results?: MediaFetcher | undefined;
  readonly redact: RedactUpstream;
};

/** A non-streamed image answer: as JSON, or as the events of a stream that ends at once. */
export function imageAnswer(
  server: ImageServerHalf,
  target: Target,
  context: AnswerContext,
  body: string,
  { stream, results, redact }: ImageReading,
): WholeAnswer | Promise<WholeAnswer> {
  if (!answersWithImages(target)) throw new Error(`an image call met the dialect ${target.dialect.id}`);
  const { client } = target.dialect;
  const answer = redactedImages(client.decodeAnswer(parseAnswer(body, target.dialect), target.facts), redact);
  const write = (whole: ImageAnswer): WholeAnswer => writeAnswer(server, whole, context, stream);
  const needsBytes = context.responseOptions.image?.asUrl !== true && answer.images.some(isElsewhere);
  return needsBytes ? withBytes(answer, results).then(write) : write(answer);
}

const isElsewhere = ({ base64, url }: ImageAnswer['images'][number]): boolean =>
  base64 === undefined && url !== undefined;

/** All of them, or the answer fails: an image that is paid for and not delivered is worse than a failure. */
async function withBytes(answer: ImageAnswer, results: MediaFetcher | undefined): Promise<ImageAnswer> {
  if (results === undefined) throw new GatewayError(NOT_FETCHED);
  const images = answer.images.map(async (image) => {
    if (!isElsewhere(image)) return image;
    const { base64, mimeType } = await results.fetch(image.url ?? '', 'image').catch((cause: unknown) => {
      throw new GatewayError(NOT_FETCHED, { cause });
    });
    return { ...image, base64, mimeType };
  });
  return { ...answer, images: await Promise.all(images) };
}

function writeAnswer(
  server: ImageServerHalf,
  answer: ImageAnswer,
  context: AnswerContext,
  stream: boolean,
): WholeAnswer {
  const reading = { usage: answer.usage, reported: true, ...NOTHING_PRODUCED };
  if (!stream || server.streaming === undefined) {
    const { body, losses } = server.encodeAnswer(answer, context);
    return { text: JSON.stringify(body), reading, losses };
  }
  const encoder = server.streaming.eventEncoder(context);
  const frames = [...eventsOf(answer).flatMap((event) => encoder.push(event)), ...encoder.end()];
  return { text: frames.map(writeSse).join(''), reading, losses: encoder.losses(), asEvents: true };
}
