/** A document's title, context and source as text, for formats that have no fields for them. */
import type { DocumentBlock, MediaBlock, SearchResultBlock } from '../canonical/content.ts';

/** What a file is called; a file's title is its name. */
export const fileNameOf = (block: MediaBlock): string | undefined => block.name ?? block.title;

/** `namesFile`: the format has a field for the name of this file, so the text need not say it. */
export function headlineOf(block: DocumentBlock | SearchResultBlock | MediaBlock, namesFile: boolean): string {
  const file = block.kind === 'media' && !namesFile ? fileNameOf(block) : undefined;
  const title = block.kind === 'media' ? file : block.title;
  const about = block.kind === 'search-result' ? block.source : block.context;
  return [title, about].filter((line) => typeof line === 'string' && line !== '').join('\n');
}
