/** Unknown → an image call: generations in JSON, edits in the fields and files of a form. */
import type { ImageCall, ImageReference } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { parseSize } from '../../passes/image-dims.ts';
import { checkWith, compile, isGiven, malformed } from '../checking.ts';
import type { ImageOptions, RequestHead } from '../dialect.ts';
import { NO_TEXT_OPTIONS } from '../images.ts';
import type { ImageUnderstanding } from '../media-dialects.ts';
import { readForm } from './form.ts';
import { ImagesWire, KNOWN_FIELDS } from './wire.ts';

const request = compile(ImagesWire);

export function understand(given: JsonObject, head?: RequestHead): ImageUnderstanding {
  const isEdit = head?.form === 'edits';
  const { body, references } = isEdit ? readForm(given, head?.files ?? []) : { body: given, references: [] };
  const wire = checkWith(request, body, '');
  const stream = wire.stream === true;
  if (stream && (wire.n ?? 1) > 1) throw malformed('n', 'must be 1 when the image is streamed');
  let call: ImageCall | undefined;
  return {
    model: wire.model,
    stream,
    responseOptions: { ...NO_TEXT_OPTIONS, image: imageOptionsOf(wire, isEdit) },
    losses: isGiven(wire.user) ? [{ path: 'user', why: 'not-forwarded' }] : [],
    media: references.map(({ path }) => ({ kind: 'image', path })),
    maxOutputTokens: undefined,
    metadata: undefined,
    ...(typeof wire.user === 'string' && { user: wire.user }),
    call: () => (call ??= callOf(wire, body, references)),
    verbatim: () => ({ why: 'images are rebuilt for each host' }),
  };
}

const imageOptionsOf = (wire: ImagesWire, isEdit: boolean): ImageOptions => ({
  action: isEdit ? 'edit' : 'generation',
  count: wire.n ?? 1,
  asUrl: wire.response_format === 'url',
  format: wire.output_format ?? undefined,
  blockReasons: true,
  traits: {
    ...(isGiven(wire.size) && { size: wire.size ?? 'auto' }),
    ...(isGiven(wire.quality) && { quality: wire.quality ?? 'auto' }),
    ...(isGiven(wire.background) && { background: wire.background ?? 'auto' }),
  },
});

function callOf(wire: ImagesWire, body: JsonObject, references: readonly ImageReference[]): ImageCall {
  const pixels = wire.size === 'auto' ? 'auto' : parseSize(wire.size ?? '');
  const unknown: [string, Json][] = Object.entries(body).filter(([name]) => !KNOWN_FIELDS.has(name));
  return {
    operation: 'image',
    model: wire.model,
    stream: wire.stream === true,
    prompt: wire.prompt,
    references,
    count: wire.n ?? 1,
    ...(pixels !== undefined && { pixels }),
    ...(wire.quality != null && { quality: wire.quality }),
    ...(wire.background != null && { background: wire.background }),
    ...(wire.output_format != null && { format: wire.output_format }),
    ...(wire.output_compression != null && { compression: wire.output_compression }),
    ...(wire.moderation != null && { moderation: wire.moderation }),
    ...(wire.input_fidelity != null && { fidelity: wire.input_fidelity }),
    ...(wire.partial_images != null && { partials: wire.partial_images }),
    extras: unknown.length === 0 ? {} : { 'openai-images': Object.fromEntries(unknown) },
  };
}
