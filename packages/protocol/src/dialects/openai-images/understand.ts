/** Unknown → an image call: generations in JSON, edits in the fields and files of a form. */

import type { ImageCall, ImageReference } from '../../canonical/image.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { parseSize } from '../../passes/image-dims.ts';
import { typeOfFile } from '../../passes/image-type.ts';
import { checkWith, compile, isGiven, malformed } from '../checking.ts';
import type { ImageOptions, RequestHead } from '../dialect.ts';
import type { FormFile } from '../forms.ts';
import type { ImageUnderstanding } from '../media-dialects.ts';
import { NO_TEXT_OPTIONS } from '../media-dialects.ts';
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

// The form of an edit: texts become typed values, files become references in their order.

/** Members of one type: a form sends them as text. */
const membersOf = (type: 'integer' | 'boolean'): ReadonlySet<string> =>
  new Set(
    Object.entries(ImagesWire.properties).flatMap(([name, schema]) =>
      'anyOf' in schema && schema.anyOf.some((form) => 'type' in form && form.type === type) ? [name] : [],
    ),
  );
const NUMBERS = membersOf('integer');
const SWITCHES = membersOf('boolean');
const NUMBER = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;
/** `image`, `image[]` and `image[0]` mean the same. */
const IMAGE = /^image(?:\[[0-9]{0,3}\])?$/;

type ImagesForm = { readonly body: JsonObject; readonly references: readonly ImageReference[] };

function readForm(fields: JsonObject, files: readonly FormFile[]): ImagesForm {
  const body: Record<string, Json> = {};
  const sources: ImageReference[] = [];
  let mask: ImageReference | undefined;
  for (const [name, value] of Object.entries(fields)) {
    if (IMAGE.test(name))
      for (const each of isJsonArray(value) ? value : [value]) sources.push(fileOf(each, files, 'image', 'source'));
    else if (name === 'mask') mask = fileOf(once(name, value), files, name, 'mask');
    else body[name] = typed(name, value);
  }
  if (sources.length === 0) throw malformed('image', 'is required');
  return { body, references: mask === undefined ? sources : [...sources, mask] };
}

/** A text that does not parse as its type stays unchanged; the validation refuses it by name. */
function typed(name: string, given: Json): Json {
  const value = once(name, given);
  if (typeof value !== 'string') throw malformed(name, 'must be a text, not a file');
  if (NUMBERS.has(name) && NUMBER.test(value)) return Number(value);
  if (SWITCHES.has(name) && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function once(name: string, value: Json): Json {
  if (isJsonArray(value)) throw malformed(name, 'must be given once');
  return value;
}

function fileOf(value: Json, files: readonly FormFile[], name: string, role: 'source' | 'mask'): ImageReference {
  const index = isJsonObject(value) ? value['file'] : undefined;
  const file = typeof index === 'number' ? files[index] : undefined;
  if (file === undefined) throw malformed(name, 'must be a file');
  if (file.pieces.length === 0) throw malformed(name, 'must not be empty');
  const mimeType = typeOfFile(file);
  if (mimeType === undefined) throw malformed(name, 'must be a PNG, JPEG, WebP or GIF image');
  return { role, path: name, file: { pieces: file.pieces, toBase64: file.toBase64, mimeType }, extras: {} };
}
