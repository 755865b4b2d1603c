/** Streams in both directions: partial images in order, then exactly one completed image, and nothing after it. */
import type { Fault } from '../../canonical/fault.ts';
import type { ImageEvent } from '../../canonical/image.ts';
import { type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import { type Machine, NO_LOSSES } from '../../stream/machine.ts';
import type { AnswerContext, Frame } from '../dialect.ts';
import { formatLosses, shownImages } from '../images.ts';
import { objectIn } from '../upstream-answers.ts';
import { decodeApiFault, errorBody } from '../upstream-errors.ts';
import { decodeAnswer, decodeImage, isBlocked, traitsOf, usageOf, writeTraits, writeUsage } from './answer.ts';
import { spelling } from './stances.ts';

const UNFINISHED: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider ended the stream before the image was complete.',
};
const UNREADABLE: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent a stream that cannot be read.',
};

export function eventDecoder(): Machine<Frame, ImageEvent> {
  let partials = 0;
  let over = false;
  const finish = (event: ImageEvent): readonly ImageEvent[] => {
    over = true;
    return [event];
  };
  return {
    push({ data }) {
      if (over || data === '[DONE]') return [];
      const wire = objectIn(data);
      if (wire === undefined) return finish({ type: 'image-fault', fault: UNREADABLE });
      const type = stringAt(wire, 'type') ?? '';
      if (type === 'error' || wire['error'] !== undefined) return finish(failure(wire));
      if (type.endsWith('.completed'))
        return finish({
          type: 'image-completed',
          answer: { images: [decodeImage(wire)], ...usageOf(wire, 1), traits: traitsOf(wire) },
        });
      const base64 = stringAt(wire, 'b64_json');
      if (!type.endsWith('.partial_image') || base64 === undefined) return [];
      return [{ type: 'partial-image', index: partials++, base64, traits: traitsOf(wire) }];
    },
    end: () => (over ? [] : [{ type: 'image-fault', fault: UNFINISHED }]),
    losses: () => NO_LOSSES,
  };
}

/** Inside a stream an error has no status, only its type, code and message. */
function failure(wire: JsonObject): ImageEvent {
  if (isBlocked(400, wire)) return { type: 'image-completed', answer: decodeAnswer(wire) };
  const error = objectAt(wire, 'error');
  const isCallers =
    stringAt(error, 'type') === 'invalid_request_error' || stringAt(error, 'type') === 'image_generation_user_error';
  return { type: 'image-fault', fault: decodeApiFault(isCallers ? 400 : 500, wire) };
}

export function eventEncoder(context: AnswerContext): Machine<ImageEvent, Frame> {
  const kind = context.responseOptions.image?.action === 'edit' ? 'image_edit' : 'image_generation';
  const frame = (name: string, rest: JsonObject): Frame => {
    const type = `${kind}.${name}`;
    return { event: type, data: JSON.stringify({ type, ...rest }) };
  };
  const losses = new PathLosses();
  return {
    push(event) {
      if (event.type === 'image-fault') return [];
      if (event.type === 'partial-image') {
        const { index, base64, traits } = event;
        const head = { b64_json: base64, created_at: context.createdAtSeconds };
        return [
          frame('partial_image', { ...head, ...writeTraits(traits, { base64 }, context), partial_image_index: index }),
        ];
      }
      const { answer } = event;
      const [image] = shownImages(answer);
      if (image === undefined) return [];
      losses.addAll(formatLosses([image], context, spelling));
      return [
        frame('completed', {
          b64_json: image.base64 ?? '',
          created_at: context.createdAtSeconds,
          ...writeTraits(answer.traits, image, context),
          ...writeUsage(answer),
        }),
      ];
    },
    end: () => [],
    losses: () => losses.all,
  };
}

export const streamFault = (fault: Fault): string =>
  `event: error\ndata: ${JSON.stringify({ type: 'error', error: errorBody(fault) })}\n\n`;
