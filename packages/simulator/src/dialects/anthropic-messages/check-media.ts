// Bytes inside a request: base64 that decodes, images that match their type, documents that are PDF.
import { asRecord, asRecords, asText, type JsonRecord } from '../../json-value.ts';
import { firstOf, imageTypeOf, isBase64 } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { at, type MessagesRefusal } from './refusal.ts';

const PDF_HEAD = '%PDF';

export function checkMedia(blocks: readonly JsonRecord[], path: Path): MessagesRefusal | undefined {
  return firstOf(blocks, (block, place) => {
    const type = asText(block['type']);
    const here = [...path, place, type];
    if (type === 'tool_result') return checkMedia(asRecords(block['content']), [...here, 'content']);
    if (type !== 'image' && type !== 'document') return undefined;
    const source = asRecord(block['source']);
    return checkSource(source, type, [...here, 'source', asText(source['type'])]);
  });
}

function checkSource(source: JsonRecord, type: 'image' | 'document', path: Path): MessagesRefusal | undefined {
  if (source['type'] === 'url' && !/^https?:\/\//u.test(asText(source['url'])))
    return at([...path, 'url'], 'Only HTTPS URLs are supported.');
  if (source['type'] !== 'base64') return undefined;
  const data = asText(source['data']);
  if (!isBase64(data)) return at([...path, 'data'], 'invalid base64 data');
  if (type === 'document') {
    const head = Buffer.from(data.slice(0, 8), 'base64').toString('latin1');
    return head.startsWith(PDF_HEAD) ? undefined : at([...path, 'data'], 'The PDF specified was not valid.');
  }
  const declared = asText(source['media_type']);
  const real = imageTypeOf(data);
  if (real === undefined) return at(path, 'Could not process image');
  if (real === declared) return undefined;
  const message = `The image was specified using the ${declared} media type, but the image appears to be a ${real} image`;
  return at([...path, 'data'], message);
}
