/**
 * A picture (or sound, film, file) that a model cannot read, in an earlier turn: a text stands in its place, so that a
 * conversation can go on with another model. In the newest turn it is what the caller asks about, and is refused.
 */
import type { TextCall } from '../canonical/call.ts';
import type { Block, MediaBlock, MediaKind, Turn } from '../canonical/content.ts';
import type { Call } from '../canonical/operation.ts';

/** The kinds of media in what the model has to answer: instructions, and everything after its own last turn. */
export function newestMedia(call: Call): readonly MediaKind[] | undefined {
  if (call.operation !== 'text') return undefined;
  const from = call.turns.findLastIndex(({ role }) => role === 'assistant') + 1;
  const kinds = new Set<MediaKind>();
  collect(call.system, kinds);
  for (const { blocks } of call.turns.slice(from)) collect(blocks, kinds);
  return [...kinds];
}

function collect(blocks: readonly Block[], kinds: Set<MediaKind>): void {
  for (const block of blocks) {
    if (block.kind === 'media') kinds.add(block.media);
    else if ('content' in block) collect(block.content, kinds);
  }
}

/** The call with a text for every file the model cannot read. */
export const withReadableMedia = (call: TextCall, reads: readonly MediaKind[]): TextCall => ({
  ...call,
  turns: call.turns.map((turn): Turn => ({ ...turn, blocks: turn.blocks.map((block) => readable(block, reads)) })),
});

function readable(block: Block, reads: readonly MediaKind[]): Block {
  switch (block.kind) {
    case 'media':
      return reads.includes(block.media) ? block : { kind: 'text', text: placeholder(block) };
    case 'tool-result':
    case 'document':
    case 'search-result':
      return { ...block, content: block.content.map((inner) => readable(inner, reads)) };
    default:
      return block;
  }
}

const WORDS: Readonly<Record<MediaKind, string>> = {
  image: 'An image',
  audio: 'A recording',
  video: 'A video',
  document: 'A file',
};

function placeholder({ media, name, title }: MediaBlock): string {
  const named = name ?? title;
  return `[${WORDS[media]}${named === undefined ? '' : ` (${named})`} was here, which you cannot read.]`;
}
