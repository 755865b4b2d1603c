/** Files by URL: the format's home reads its own stores and public videos by URL, everything else as bytes. */
import type { MediaBlock } from '../../canonical/content.ts';

const WEB_ADDRESS = /^https?:\/\//i;
const FETCHED = /^https?:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.|m\.)?youtube\.com|youtu\.be)\//i;

export const needsBytes = ({ source }: MediaBlock): boolean =>
  source.via === 'url' && WEB_ADDRESS.test(source.url) && !FETCHED.test(source.url);
