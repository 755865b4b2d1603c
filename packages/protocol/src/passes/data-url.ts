/** Data URLs, validated without decoding their content, and web URLs. */

import type { MediaSource } from '../canonical/content.ts';
import { cannotCarry } from '../canonical/gateway-error.ts';
import { isBase64 } from './base64.ts';

type DataUrl = { readonly mimeType: string; readonly base64: string };

export function readDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (!url.startsWith('data:') || comma === -1) return undefined;
  const head = url.slice('data:'.length, comma);
  if (!head.endsWith(';base64')) return undefined;
  const base64 = url.slice(comma + 1);
  const mimeType = head.slice(0, head.indexOf(';'));
  return mimeType !== '' && isBase64(base64) ? { mimeType, base64 } : undefined;
}

export const dataUrlOf = (mimeType: string, base64: string): string => `data:${mimeType};base64,${base64}`;

export const isWebUrl = (url: string): boolean => /^https?:\/\/[^\s/]/.test(url);

// Media URLs. Some are names in one vendor's own storage, which no other host can read.

const WEB = /^https?:\/\//i;

export const isOnTheWeb = (url: string): boolean => WEB.test(url);

/** Throws if the file is in another vendor's storage. */
export function requireWeb(source: MediaSource): void {
  if (source.via === 'url' && !isOnTheWeb(source.url))
    throw cannotCarry(
      'block.media',
      `is kept at ${source.url.slice(0, 5)}…, which this model cannot read; send its content or an https address`,
    );
}
