/** Files behind URLs, and masks. */
import type { ImageFile, MediaKind } from '@trivium/protocol/canonical';

export type FetchedMedia = { readonly mimeType: string; readonly base64: string };

/** Downloads files from callers' URLs, for upstreams that cannot. Rejects with a GatewayError. */
export interface MediaFetcher {
  fetch(url: string, kind: MediaKind): Promise<FetchedMedia>;
}

/** The mask with white where it was transparent and black where it was not; undefined if it has no transparency. */
export type MaskInverter = (mask: ImageFile) => Promise<ImageFile | undefined>;
