/** Citations count bytes of UTF-8 in this dialect and UTF-16 units in ours; here they are turned into each other. */
import type { Citation } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';

/** More than any answer has; each one costs a walk over its text. */
const MAX_CITATIONS = 500;

const bytesOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/** How many bytes the first `units` of a text take. */
export function byteOffset(text: string, units: number): number {
  let bytes = 0;
  for (let at = 0; at < units && at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    bytes += bytesOf(codePoint);
    at += codePoint > 0xffff ? 2 : 1;
  }
  return bytes;
}

/** The unit that stands at a byte; the text's end for bytes beyond it. */
export function unitOffset(text: string, bytes: number): number {
  let at = 0;
  for (let seen = 0; at < text.length && seen < bytes; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    seen += bytesOf(codePoint);
    at += codePoint > 0xffff ? 2 : 1;
  }
  return at;
}

type WebCitation = Extract<Citation, { kind: 'web' }>;

/**
 * What a candidate cites, with offsets into the whole of its text. Segments count from the part they name:
 * `bytesBefore` is how much text stands before each, where the parts are known.
 */
export function readCitations(notes: JsonObject, text: string, bytesBefore: readonly number[] = []): WebCitation[] {
  const cited = arrayAt(objectAt(notes, 'citationMetadata'), 'citations').filter(isJsonObject);
  const direct = cited
    .slice(0, MAX_CITATIONS)
    .flatMap((each) => citation(stringAt(each, 'uri'), stringAt(each, 'title'), each, text, 0));
  const grounding = objectAt(notes, 'groundingMetadata');
  const chunks = arrayAt(grounding, 'groundingChunks');
  const supported = arrayAt(grounding, 'groundingSupports')
    .slice(0, MAX_CITATIONS)
    .filter(isJsonObject)
    .flatMap((support) => {
      const segment = objectAt(support, 'segment') ?? {};
      const before = bytesBefore[numberAt(segment, 'partIndex') ?? 0] ?? 0;
      const indices = arrayAt(support, 'groundingChunkIndices').slice(0, MAX_CITATIONS);
      return indices.flatMap((index) => {
        const chunk = typeof index === 'number' ? chunks[index] : undefined;
        const web = isJsonObject(chunk) ? objectAt(chunk, 'web') : undefined;
        return citation(stringAt(web, 'uri'), stringAt(web, 'title'), segment, text, before);
      });
    });
  return [...direct, ...supported].slice(0, MAX_CITATIONS);
}

/** More than are read: what is left out must be reported. */
export function hasTooManyCitations(notes: JsonObject): boolean {
  let count = arrayAt(objectAt(notes, 'citationMetadata'), 'citations').length;
  for (const support of arrayAt(objectAt(notes, 'groundingMetadata'), 'groundingSupports'))
    if (isJsonObject(support)) count += arrayAt(support, 'groundingChunkIndices').length;
  return count > MAX_CITATIONS;
}

function citation(
  url: string | undefined,
  title: string | undefined,
  range: JsonObject,
  text: string,
  before: number,
): WebCitation[] {
  const end = numberAt(range, 'endIndex');
  if (url === undefined || end === undefined) return [];
  const from = unitOffset(text, before + (numberAt(range, 'startIndex') ?? 0));
  return [{ kind: 'web', url, ...(title !== undefined && { title }), from, to: unitOffset(text, before + end) }];
}

/** `before` is how many bytes of text stand before the cited block; undefined where the citation has no like here. */
export function writeCitation(cited: Citation, text: string, before: number): JsonObject | undefined {
  if (cited.kind !== 'web') return undefined;
  return {
    startIndex: before + byteOffset(text, cited.from ?? 0),
    endIndex: before + byteOffset(text, cited.to ?? text.length),
    uri: cited.url,
    ...(cited.title !== undefined && { title: cited.title }),
  };
}
