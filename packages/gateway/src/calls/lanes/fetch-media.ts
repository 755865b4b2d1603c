/** Downloads files given by URL and sends their bytes, for upstreams that would not download them. */
import { type Block, cannotCarry, type MediaBlock, type TextCall } from '@trivium/protocol/canonical';
import type { FetchedMedia, MediaFetcher } from '../../kernel/media.ts';
import type { TargetSide } from '../../kernel/target.ts';

/** Requests with more of them are refused. */
const MAX_FETCHED = 20;
/** Files of one call at once: all of them together may be more than the fetcher accepts. */
const MAX_AT_ONCE = 4;

/** Returns the same call synchronously if nothing has to be downloaded. */
export function withFetchedMedia(
  call: TextCall,
  { dialect, facts }: TargetSide,
  fetcher: MediaFetcher | undefined,
): TextCall | Promise<TextCall> {
  const needsBytes = dialect.operation === 'text' ? dialect.client.needsBytes : undefined;
  if (fetcher === undefined || needsBytes === undefined) return call;
  const wanted = new Map<string, MediaBlock>();
  const visit = (block: Block): Block => {
    if (block.kind === 'media' && block.source.via === 'url' && needsBytes(block, facts))
      wanted.set(keyOf(block), block);
    return block;
  };
  eachBlock(call, visit);
  if (wanted.size === 0) return call;
  if (wanted.size > MAX_FETCHED)
    throw cannotCarry('block.media', `may be given by URL ${MAX_FETCHED} times at most here`);
  return fetchAll([...wanted], fetcher).then((fetched) => eachBlock(call, (block) => inlined(block, fetched)));
}

const keyOf = ({ media, source }: MediaBlock): string => `${media} ${source.via === 'url' ? source.url : ''}`;

async function fetchAll(
  wanted: readonly (readonly [string, MediaBlock])[],
  fetcher: MediaFetcher,
): Promise<ReadonlyMap<string, FetchedMedia>> {
  const fetched = new Map<string, FetchedMedia>();
  const left = [...wanted];
  const fetchNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [key, { media, source }] = next;
      fetched.set(key, await fetcher.fetch(source.via === 'url' ? source.url : '', media));
    }
  };
  try {
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, fetchNext));
    return fetched;
  } finally {
    left.length = 0;
  }
}

function inlined(block: Block, fetched: ReadonlyMap<string, FetchedMedia>): Block {
  const found = block.kind === 'media' && block.source.via === 'url' ? fetched.get(keyOf(block)) : undefined;
  if (block.kind !== 'media' || found === undefined) return block;
  return { ...block, mimeType: found.mimeType, source: { via: 'inline', base64: found.base64 } };
}

/** Media appear in turns, and inside tool results and documents. */
const eachBlock = (call: TextCall, change: (block: Block) => Block): TextCall => ({
  ...call,
  turns: call.turns.map((turn) => ({ ...turn, blocks: turn.blocks.map((block) => inside(block, change)) })),
});

const inside = (block: Block, change: (block: Block) => Block): Block =>
  block.kind === 'tool-result' || block.kind === 'document' || block.kind === 'search-result'
    ? { ...block, content: block.content.map((inner) => inside(inner, change)) }
    : change(block);
