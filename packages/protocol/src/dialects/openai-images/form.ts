/** The form of an edit: texts become typed values, files become references in their order. */
import type { ImageReference } from '../../canonical/image.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { typeOfFile } from '../../passes/image-type.ts';
import { malformed } from '../checking.ts';
import type { FormFile } from '../dialect.ts';
import { ImagesWire } from './wire.ts';

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

export type ImagesForm = { readonly body: JsonObject; readonly references: readonly ImageReference[] };

export function readForm(fields: JsonObject, files: readonly FormFile[]): ImagesForm {
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
