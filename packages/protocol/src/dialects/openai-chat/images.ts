/**
 * `images` of a message or delta, added by hosts of models that generate images. The format's home has no such member.
 */
import type { MediaBlock } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { readDataUrl } from '../../passes/data-url.ts';

export function readImages(message: JsonObject): MediaBlock[] {
  return arrayAt(message, 'images').flatMap((image): MediaBlock[] => {
    const url = isJsonObject(image) ? stringAt(objectAt(image, 'image_url'), 'url') : undefined;
    if (url === undefined) return [];
    const inline = readDataUrl(url);
    return inline === undefined
      ? [{ kind: 'media', media: 'image', source: { via: 'url', url } }]
      : [
          {
            kind: 'media',
            media: 'image',
            mimeType: inline.mimeType,
            source: { via: 'inline', base64: inline.base64 },
          },
        ];
  });
}
