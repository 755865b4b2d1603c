/** A document's title, context and source as text, for formats that have no fields for them. */
import type { DocumentBlock, MediaBlock, SearchResultBlock } from '../canonical/content.ts';

export function headlineOf(block: DocumentBlock | SearchResultBlock | MediaBlock): string {
  // A file's title is its name, and every format has a field for that.
  const title = block.kind === 'media' ? undefined : block.title;
  const about = block.kind === 'search-result' ? block.source : block.context;
  return [title, about].filter((line) => typeof line === 'string' && line !== '').join('\n');
}
