/** Citations, both ways. */
import type { Citation } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { LOST_CITATIONS } from '../upstream-answers.ts';

/** Reads a citation's opaque index: by owner if an upstream wrote it, by envelope if a caller did. */
export type IndexReader = (encryptedIndex: string) => Sealed | undefined;

export function readCitation(wire: JsonObject, readIndex: IndexReader): Citation | undefined {
  const quote = stringAt(wire, 'cited_text');
  const quoted = quote === undefined ? {} : { quote };
  const at = (name: string): number => numberAt(wire, name) ?? 0;
  const documentTitle = stringAt(wire, 'document_title');
  const title = stringAt(wire, 'title');
  const document = {
    document: at('document_index'),
    ...(documentTitle !== undefined && { title: documentTitle }),
    ...quoted,
  };
  switch (wire['type']) {
    case 'char_location':
      return { kind: 'characters', ...document, from: at('start_char_index'), to: at('end_char_index') };
    case 'page_location':
      return { kind: 'pages', ...document, from: at('start_page_number'), to: at('end_page_number') };
    case 'content_block_location':
      return { kind: 'blocks', ...document, from: at('start_block_index'), to: at('end_block_index') };
    case 'search_result_location': {
      const source = stringAt(wire, 'source');
      return {
        kind: 'search-result',
        result: at('search_result_index'),
        from: at('start_block_index'),
        to: at('end_block_index'),
        ...(source !== undefined && { source }),
        ...(title !== undefined && { title }),
        ...quoted,
      };
    }
    case 'web_search_result_location': {
      const seal = readIndex(stringAt(wire, 'encrypted_index') ?? '');
      return {
        kind: 'web',
        url: stringAt(wire, 'url') ?? '',
        ...(title !== undefined && { title }),
        ...quoted,
        ...(seal !== undefined && { seal }),
      };
    }
    default:
      return undefined;
  }
}

/** Of a type this format has gained since. */
const isUnread = (citation: Json): boolean =>
  !isJsonObject(citation) || readCitation(citation, () => undefined) === undefined;

export const answerLosses = (body: Json): readonly Loss[] =>
  isJsonObject(body) && arrayAt(body, 'content').some(hasUnread) ? LOST_CITATIONS : [];

const hasUnread = (block: Json): boolean =>
  isJsonObject(block) && block['type'] === 'text' && arrayAt(block, 'citations').some(isUnread);

/** `encryptedIndex` is the text for the opaque index of a web citation. */
export function writeCitation(citation: Citation, encryptedIndex: string): JsonObject {
  const cited_text = citation.quote ?? '';
  switch (citation.kind) {
    case 'characters':
      return {
        type: 'char_location',
        cited_text,
        document_index: citation.document,
        document_title: citation.title ?? null,
        start_char_index: citation.from,
        end_char_index: citation.to,
      };
    case 'pages':
      return {
        type: 'page_location',
        cited_text,
        document_index: citation.document,
        document_title: citation.title ?? null,
        start_page_number: citation.from,
        end_page_number: citation.to,
      };
    case 'blocks':
      return {
        type: 'content_block_location',
        cited_text,
        document_index: citation.document,
        document_title: citation.title ?? null,
        start_block_index: citation.from,
        end_block_index: citation.to,
      };
    case 'search-result':
      return {
        type: 'search_result_location',
        cited_text,
        source: citation.source ?? null,
        title: citation.title ?? null,
        search_result_index: citation.result,
        start_block_index: citation.from,
        end_block_index: citation.to,
      };
    case 'web':
      return {
        type: 'web_search_result_location',
        cited_text,
        url: citation.url,
        title: citation.title ?? null,
        encrypted_index: encryptedIndex,
      };
  }
}
