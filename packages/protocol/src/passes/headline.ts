/** What is told of a document beside its content, in words: for formats that have no place for titles, contexts and sources. */
import type { DocumentBlock, MediaBlock, SearchResultBlock } from '../canonical/content.ts';

export function headlineOf(block: DocumentBlock | SearchResultBlock | MediaBlock): string {
  const about = block.kind === 'search-result' ? block.source : block.context;
  return [block.title, about].filter((line) => typeof line === 'string' && line !== '').join('\n');
}
