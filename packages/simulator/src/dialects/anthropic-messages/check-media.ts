// Bytes inside a request: base64 that decodes, images that match their type, documents that are PDF.
import { asList, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { firstOf, imageTypeOf, isBase64 } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { turnsOf } from './conversation.ts';
import { at, type MessagesRefusal } from './refusal.ts';

export function checkMedia(body: JsonRecord): MessagesRefusal | undefined {
  return firstOf(
    turnsOf(body).flatMap((turn, index) =>
      turn.blocks.map((block, place) => () => checkBlock(block, ['messages', index, 'content', place])),
    ),
  );
}

function checkBlock(block: JsonRecord, path: Path): MessagesRefusal | undefined {
  const type = asText(block['type']);
  if (type === 'tool_result') {
    const inner = asList(block['content']).map(asRecord);
    return firstOf(inner.map((one, place) => () => checkBlock(one, [...path, type, 'content', place])));
  }
  if (type !== 'image' && type !== 'document') return undefined;
  const source = asRecord(block['source']);
  const kind = asText(source['type']);
  const here = [...path, type, 'source', kind];
  if (kind === 'url' && !/^https?:\/\//u.test(asText(source['url']))) {
    return at([...here, 'url'], 'Only HTTPS URLs are supported.');
  }
  if (kind !== 'base64') return undefined;
  const data = asText(source['data']);
  if (!isBase64(data)) return at([...here, 'data'], 'invalid base64 data');
  return type === 'image' ? checkImage(source, data, here) : checkPdf(data, here);
}

function checkImage(source: JsonRecord, data: string, path: Path): MessagesRefusal | undefined {
  const declared = asText(source['media_type']);
  const real = imageTypeOf(data);
  if (real === undefined) return at(path, 'Could not process image');
  if (real === declared) return undefined;
  const message = `The image was specified using the ${declared} media type, but the image appears to be a ${real} image`;
  return at([...path, 'data'], message);
}

const PDF_HEAD = '%PDF';

function checkPdf(data: string, path: Path): MessagesRefusal | undefined {
  const head = Buffer.from(data.slice(0, 8), 'base64').toString('latin1');
  return head.startsWith(PDF_HEAD) ? undefined : at([...path, 'data'], 'The PDF specified was not valid.');
}
