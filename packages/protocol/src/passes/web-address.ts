/** Media URLs. Some are names in one vendor's own storage, which no other host can read. */
import type { MediaSource } from '../canonical/content.ts';
import { cannotCarry } from '../canonical/gateway-error.ts';

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
