/** The input images: `image`, or `referenceImages` as SDKs write them. */
import type { ImageFile, ImageReference, ReferenceRole } from '../../canonical/image.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { isBase64 } from '../../passes/base64.ts';
import { typeOfFile } from '../../passes/image-type.ts';
import { malformed, unsupported } from '../checking.ts';
import { Members } from './settings.ts';

const MAX_REFERENCES = 64;

export const ROLE_WORDS: Readonly<Record<ReferenceRole, string>> = {
  source: 'REFERENCE_TYPE_RAW',
  mask: 'REFERENCE_TYPE_MASK',
  control: 'REFERENCE_TYPE_CONTROL',
  style: 'REFERENCE_TYPE_STYLE',
  subject: 'REFERENCE_TYPE_SUBJECT',
  content: 'REFERENCE_TYPE_CONTENT',
};
const ROLES: readonly ReferenceRole[] = ['source', 'mask', 'control', 'style', 'subject', 'content'];
const CONFIGS = ['maskImageConfig', 'controlImageConfig', 'styleImageConfig', 'subjectImageConfig'] as const;

export const USER_PROVIDED = 'MASK_MODE_USER_PROVIDED';
const MASK_MODES = [
  USER_PROVIDED,
  'MASK_MODE_DEFAULT',
  'MASK_MODE_BACKGROUND',
  'MASK_MODE_FOREGROUND',
  'MASK_MODE_SEMANTIC',
] as const;

export function readReferences(instance: Members): readonly ImageReference[] {
  const image = instance.take('image');
  const references = instance.take('referenceImages');
  const path = instance.at('referenceImages');
  if (image !== undefined && references !== undefined)
    throw malformed(path, `must not be given beside '${instance.at('image')}'`);
  if (image !== undefined) {
    const at = instance.at('image');
    return [{ role: 'source', path: at, file: readFile(image, at), extras: {} }];
  }
  if (references === undefined) return [];
  if (!isJsonArray(references)) throw malformed(path, 'must be a list');
  if (references.length === 0) throw malformed(path, 'must not be empty');
  if (references.length > MAX_REFERENCES) throw malformed(path, `holds more than ${MAX_REFERENCES} images`);
  const read = references.map((each, position) => readReference(each, `${path}[${position}]`));
  checkTogether(read, path);
  return read;
}

function checkTogether(references: readonly ImageReference[], path: string): void {
  const ids = new Set<number | undefined>();
  for (const { id, path: at } of references) {
    if (ids.has(id)) throw malformed(`${at}.referenceId`, 'is the id of another reference, too');
    ids.add(id);
  }
  if (references.every(({ role }) => role === 'mask')) throw malformed(path, 'holds a mask and no image to edit');
}

function readReference(value: Json, path: string): ImageReference {
  if (!isJsonObject(value)) throw malformed(path, 'must be an object');
  const members = new Members(value, path);
  const id = members.integer('referenceId');
  if (id === undefined) throw malformed(members.at('referenceId'), 'is required');
  const word = members.text('referenceType');
  const role = ROLES.find((one) => ROLE_WORDS[one] === word);
  if (role === undefined)
    throw malformed(members.at('referenceType'), `must be one of ${Object.values(ROLE_WORDS).join(', ')}`);
  const image = members.take('referenceImage');
  const config = Object.fromEntries(CONFIGS.flatMap((name) => entryOf(members, name)));
  const mode = role === 'mask' ? maskMode(members) : undefined;
  const isFound = role === 'mask' && mode !== USER_PROVIDED;
  if (image === undefined && !isFound) throw malformed(members.at('referenceImage'), 'is required');
  return {
    role,
    path,
    id,
    ...(image !== undefined && !isFound && { file: readFile(image, members.at('referenceImage')) }),
    extras: Object.keys(config).length === 0 ? {} : { 'google-predict': config },
  };
}

const entryOf = (members: Members, name: string): [string, JsonObject][] => {
  const config = members.object(name);
  return config === undefined ? [] : [[name, config]];
};

function maskMode(members: Members): string {
  const config = members.object('maskImageConfig');
  if (config === undefined) throw malformed(members.at('maskImageConfig'), 'is required');
  const mode = new Members(config, members.at('maskImageConfig')).word('maskMode', MASK_MODES);
  if (mode === undefined) throw malformed(`${members.at('maskImageConfig')}.maskMode`, 'is required');
  return mode;
}

function readFile(value: Json, path: string): ImageFile {
  if (!isJsonObject(value)) throw malformed(path, 'must be an object');
  const members = new Members(value, path);
  const base64 = members.text('bytesBase64Encoded');
  const mimeType = members.text('mimeType');
  if (base64 === undefined && members.take('gcsUri') !== undefined)
    throw unsupported(members.at('gcsUri'), 'cannot be read from here; give bytesBase64Encoded');
  if (base64 === undefined) throw malformed(members.at('bytesBase64Encoded'), 'is required');
  if (!isBase64(base64)) throw malformed(members.at('bytesBase64Encoded'), 'must be base64');
  if (mimeType !== undefined && !mimeType.startsWith('image/'))
    throw malformed(members.at('mimeType'), 'must be the type of an image');
  const type = typeOfFile({ base64 }) ?? mimeType;
  return { base64, ...(type !== undefined && { mimeType: type }) };
}
