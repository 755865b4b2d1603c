/**
 * Takes clips from the upstream: small ones that it sends as bytes go into the answer, all others into the blob store.
 */
import type { VideoFile } from '@trivium/protocol/canonical';
import type { ClipFetcher, VideoRoute } from '../../kernel/video.ts';
import type { Clip, VideoOperation } from './operation.ts';

interface ClipStore {
  put(
    content: AsyncIterable<Uint8Array>,
    about: { readonly accountId: string; readonly contentType: string; readonly expiresAtMs: number },
  ): Promise<{ readonly id: string; readonly expiresAtMs: number }>;
}

export type DeliveryPorts = {
  readonly fetcher: ClipFetcher;
  readonly clipStore: ClipStore;
  /** Clips that the upstream sends as bytes are part of the answer up to this size. */
  readonly inlineBytes: () => number;
};

/** All of them, or it throws: a clip that is paid for and not delivered is worse than one that is late. */
export const deliver = (
  operation: VideoOperation,
  route: VideoRoute,
  videos: readonly VideoFile[],
  ports: DeliveryPorts,
): Promise<readonly Clip[]> => Promise.all(videos.map((video) => deliverOne(operation, route, video, ports)));

const BASE64_PER_BYTE = 4 / 3;

async function deliverOne(
  { accountId, expiresAtMs }: VideoOperation,
  route: VideoRoute,
  { base64, url, mimeType, needsCredential }: VideoFile,
  { fetcher, clipStore, inlineBytes }: DeliveryPorts,
): Promise<Clip> {
  const about = { accountId, contentType: mimeType, expiresAtMs };
  if (base64 !== undefined) {
    if (base64.length <= inlineBytes() * BASE64_PER_BYTE) return { mimeType, base64 };
    return { mimeType, blob: await clipStore.put(piecesOf(base64), about) };
  }
  if (url === undefined) throw new Error('a clip without bytes and without an address');
  // Some hosts return a clip as a path without a host.
  const address = url.startsWith('/') ? `${route.origin}${route.basePath}${url}` : url;
  const signed = needsCredential === true ? await signedHeaders(route, address) : [];
  const { content, close } = await fetcher.open(address, { origin: route.origin, headers: signed });
  try {
    const { id, expiresAtMs: until } = await clipStore.put(content, about);
    return { mimeType, blob: { id, expiresAtMs: until } };
  } finally {
    close();
  }
}

/** The credential the clip was ordered with; it must be sent to that host only. */
async function signedHeaders({ headers, signer, origin }: VideoRoute, url: string): Promise<readonly string[]> {
  const { pathname, search } = new URL(url);
  const signed = await signer?.sign({ origin, path: pathname + search, headers, body: '', method: 'GET' });
  return [...headers, ...(signed ?? [])];
}

const PIECE_CHARACTERS = 4 * 65_536;

async function* piecesOf(base64: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < base64.length; at += PIECE_CHARACTERS)
    yield Buffer.from(base64.slice(at, at + PIECE_CHARACTERS), 'base64');
}
