/**
 * Citations count UTF-8 bytes in this dialect and UTF-16 units in the canonical form; this module converts between
 * them.
 */
import type { Citation } from '../../canonical/content.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { isWebUrl } from '../../passes/data-url.ts';
import { LOST_CITATIONS } from '../upstream-answers.ts';

/** More than any answer has; each one costs a pass over its text. */
const MAX_CITATIONS = 500;

const bytesOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/** Number of UTF-8 bytes of the first `units` of a text. */
export function byteOffset(text: string, units: number): number {
  let bytes = 0;
  for (let at = 0; at < units && at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    bytes += bytesOf(codePoint);
    at += codePoint > 0xffff ? 2 : 1;
  }
  return bytes;
}

/** The unit at a byte offset; the text's end for offsets beyond it. */
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
 * Citations of a further chunk beside those before it: hosts send new ones only, or all of them again. Beyond the limit
 * the first one too many is kept, so that the loss is seen.
 */
export function withFurtherCitations(before: Json | undefined, metadata: Json): Json {
  if (!isJsonObject(before) || !isJsonObject(metadata)) return metadata;
  const citations = arrayAt(before, 'citations');
  if (citations.length > MAX_CITATIONS) return before;
  const known = new Set(citations.map((each) => JSON.stringify(each)));
  const further = arrayAt(metadata, 'citations').filter((each) => !known.has(JSON.stringify(each)));
  return { ...before, ...metadata, citations: [...citations, ...further] };
}

/**
 * The citations of a candidate, with offsets into its whole text. Segments count from the part they name: `bytesBefore`
 * is the number of text bytes before each part, if the parts are known.
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
        const source = sourceAt(chunks, index);
        return citation(source?.url, source?.title, segment, text, before);
      });
    });
  return [...direct, ...supported].slice(0, MAX_CITATIONS);
}

/** Web pages, places on maps, and results from the caller's own stores if they have a URL. */
const SOURCES = ['web', 'retrievedContext', 'maps'] as const;

function sourceAt(chunks: readonly Json[], index: Json): { url: string; title: string | undefined } | undefined {
  const chunk = typeof index === 'number' ? chunks[index] : undefined;
  for (const kind of SOURCES) {
    const source = isJsonObject(chunk) ? objectAt(chunk, kind) : undefined;
    const url = stringAt(source, 'uri');
    if (url !== undefined && (kind === 'web' || isWebUrl(url))) return { url, title: stringAt(source, 'title') };
  }
  return undefined;
}

/** More citations than are read, or sources without a URL or a range: leaving them out must be reported. */
export function hasUnreadCitations(notes: JsonObject): boolean {
  const cited = arrayAt(objectAt(notes, 'citationMetadata'), 'citations');
  if (cited.some((each) => !isJsonObject(each) || stringAt(each, 'uri') === undefined || !hasRange(each))) return true;
  let count = cited.length;
  const grounding = objectAt(notes, 'groundingMetadata');
  const chunks = arrayAt(grounding, 'groundingChunks');
  for (const support of arrayAt(grounding, 'groundingSupports')) {
    const indices = isJsonObject(support) ? arrayAt(support, 'groundingChunkIndices') : [];
    count += indices.length;
    if (count > MAX_CITATIONS || indices.some((index) => sourceAt(chunks, index) === undefined)) return true;
    if (indices.length > 0 && isJsonObject(support) && !hasRange(objectAt(support, 'segment'))) return true;
  }
  return count > MAX_CITATIONS;
}

const hasRange = (range: JsonObject | undefined): boolean => numberAt(range, 'endIndex') !== undefined;

/** The same for a complete answer. */
export const answerLosses = (body: Json): readonly Loss[] =>
  isJsonObject(body) && arrayAt(body, 'candidates').some((each) => isJsonObject(each) && hasUnreadCitations(each))
    ? LOST_CITATIONS
    : [];

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

/** `before` is the number of text bytes before the cited block; undefined if the citation has no equivalent here. */
export function writeCitation(cited: Citation, text: string, before: number): JsonObject | undefined {
  if (cited.kind !== 'web') return undefined;
  return {
    startIndex: before + byteOffset(text, cited.from ?? 0),
    endIndex: before + byteOffset(text, cited.to ?? text.length),
    uri: cited.url,
    ...(cited.title !== undefined && { title: cited.title }),
  };
}
