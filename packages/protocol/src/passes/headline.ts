/** What is told of a document beside its content, in words: for formats that have no place for titles, contexts and sources. */
import type { DocumentBlock, MediaBlock, SearchResultBlock } from '../canonical/content.ts';

export function headlineOf(block: DocumentBlock | SearchResultBlock | MediaBlock): string {
  // A file's title is its name, for which every format has a place.
  const title = block.kind === 'media' ? undefined : block.title;
  const about = block.kind === 'search-result' ? block.source : block.context;
  return [title, about].filter((line) => typeof line === 'string' && line !== '').join('\n');
}
