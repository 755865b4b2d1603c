/** An image answer that came in one piece, for the caller: as JSON, or as the events of a stream that is over at once. */
import { GatewayError, type ImageAnswer, type Json, NOTHING_PRODUCED } from '@trivium/protocol/canonical';
import { type AnswerContext, eventsOf, type ImageServerHalf } from '@trivium/protocol/dialects';
import { writeSse } from '@trivium/protocol/framing';
import { answersWithImages } from './image-pump.ts';
import type { MediaFetcher, Target } from './ports.ts';
import { type RedactUpstream, redactedImages } from './upstream-words.ts';
import type { WholeAnswer } from './whole-answer.ts';

const NOT_FETCHED = {
  kind: 'upstream-broken',
  message: 'The upstream provider made an image that could not be fetched.',
} as const;

export function imageAnswer(
  server: ImageServerHalf,
  target: Target,
  context: AnswerContext,
  body: Json,
  stream: boolean,
  results: MediaFetcher | undefined,
  redact: RedactUpstream = (text) => text,
): WholeAnswer | Promise<WholeAnswer> {
  if (!answersWithImages(target)) throw new Error(`an image call met the dialect ${target.dialect.id}`);
  const answer = redactedImages(target.dialect.client.decodeAnswer(body, target.facts), redact);
  const write = (whole: ImageAnswer): WholeAnswer => writeAnswer(server, whole, context, stream);
  const needsBytes = context.wishes.image?.asUrl !== true && answer.images.some(isElsewhere);
  return needsBytes ? withBytes(answer, results).then(write) : write(answer);
}

const isElsewhere = ({ base64, url }: ImageAnswer['images'][number]): boolean =>
  base64 === undefined && url !== undefined;

/** Every one of them, or the answer is broken: an image that is paid for and not given is worse than a failure. */
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
