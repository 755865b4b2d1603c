// Answers and streams of the images dialect.
import { asText, type JsonRecord } from '../../json-value.ts';
import type { PictureDelivery, PictureOrder } from '../../pictures/order.ts';
import type { StreamFrame } from '../../wire.ts';
import type { Renderer, Reply } from '../dialect.ts';
import type { ChatProfile } from '../openai-chat/profiles.ts';
import { badRequest } from '../openai-chat/refusal.ts';
import { refusalReply, statusReply } from '../openai-chat/status-replies.ts';
import { json, replyOnly } from '../replies.ts';
import type { ImageFamily } from './models.ts';

export interface ImageFacts {
  readonly body: JsonRecord;
  readonly isEdit: boolean;
  readonly family: ImageFamily | undefined;
  readonly createdS: number;
  readonly inputImages: number;
}

const TOKENS_PER_IMAGE = 272;
const TOKENS_PER_INPUT_IMAGE = 323;
const SAFETY =
  'Your request was rejected by the safety system. If you believe this is an error, contact us at help.openai.com and include the request ID.';

export function renderPictures(
  delivery: PictureDelivery,
  order: PictureOrder,
  facts: ImageFacts,
  profile: ChatProfile,
): { readonly reply: Reply; readonly frames: readonly StreamFrame[] } {
  if (delivery.outcomes.some(({ blocked }) => blocked)) {
    const refusal = { ...badRequest(SAFETY, null, 'moderation_blocked'), type: 'image_generation_user_error' };
    return { reply: refusalReply(refusal, profile), frames: [] };
  }
  return {
    reply: json(200, answer(delivery, order, facts), profile.answerHeaders),
    frames: streamOf(delivery, order, facts),
  };
}

function traits({ knobs, outcomes }: PictureDelivery, { body }: ImageFacts): object {
  const [first] = outcomes;
  const type = first !== undefined && !first.blocked ? first.picture.type : 'png';
  if (knobs.manner === 'odd-words')
    return { size: '2048x2048', quality: 'ultra', background: 'checkered', output_format: type };
  const size = asText(body['size']);
  return {
    size: size === '' || size === 'auto' ? '1024x1024' : size,
    quality: asText(body['quality']) || 'high',
    background: asText(body['background']) || 'opaque',
    output_format: type,
  };
}

function usageOf(order: PictureOrder, { outcomes }: PictureDelivery, { inputImages }: ImageFacts): object {
  const text = order.prompt.split(/\s+/u).length;
  const image = inputImages * TOKENS_PER_INPUT_IMAGE;
  const output = outcomes.length * TOKENS_PER_IMAGE;
  return {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    total_tokens: text + image + output,
  };
}

function answer(delivery: PictureDelivery, order: PictureOrder, facts: ImageFacts): object {
  const { family, body, createdS: created } = facts;
  const revised = delivery.knobs.manner === 'revised' ? { revised_prompt: 'A better prompt.' } : {};
  const data = delivery.outcomes.map((outcome) => {
    if (outcome.blocked) return {};
    if (outcome.url !== undefined || body['response_format'] === 'url')
      return { url: outcome.url ?? 'https://img.example/1.png', ...revised };
    return { b64_json: outcome.picture.bytes.toString('base64'), ...revised };
  });
  if (family?.countsTokens !== true) return { created, data };
  return { created, ...traits(delivery, facts), data, usage: usageOf(order, delivery, facts) };
}

function streamOf(delivery: PictureDelivery, order: PictureOrder, facts: ImageFacts): readonly StreamFrame[] {
  const kind = facts.isEdit ? 'image_edit' : 'image_generation';
  const shared = { created_at: facts.createdS, ...traits(delivery, facts) };
  const frame = (name: string, data: object, isEnd: boolean): StreamFrame => {
    const type = `${kind}.${name}`;
    return { kind: isEnd ? 'finish' : 'piece', event: type, data: JSON.stringify({ type, ...data }), tokens: 1, isEnd };
  };
  const partials = delivery.partials.map(({ bytes }, index) =>
    frame('partial_image', { b64_json: bytes.toString('base64'), ...shared, partial_image_index: index }, false),
  );
  const [first] = delivery.outcomes;
  if (first === undefined || first.blocked) return partials;
  const usage = usageOf(order, delivery, facts);
  const completed = { b64_json: first.picture.bytes.toString('base64'), ...shared, usage };
  return [...partials, frame('completed', completed, true)];
}

export function rendererOf(profile: ChatProfile): Renderer {
  const error = { type: 'server_error', code: 'server_error', message: 'The server had an error.', param: null };
  return {
    ...replyOnly((fault) => statusReply(fault, profile)),
    streamHeaders: { 'content-type': 'text/event-stream; charset=utf-8', ...profile.answerHeaders },
    errorFrame: () => ({ kind: 'error', event: 'error', data: JSON.stringify({ type: 'error', error }), tokens: 1 }),
  };
}
