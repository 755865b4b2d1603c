// Opaque values that only their issuer can read: signatures of visible content and sealed content. An issuer is a
// vendor at a host for one credential; a seal that comes back changed, or to another issuer, does not verify.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SealIssuer {
  readonly vendor: string;
  readonly host: string;
  readonly credential: string;
}

export type SealPurpose =
  | 'thinking'
  | 'redacted-thinking'
  | 'search-result'
  | 'citation'
  | 'thought'
  | 'reasoning-item'
  | 'item-id';

/** Fixed, so that seals stay valid across restarts: it protects nothing of value. */
const KEY = 'trivium simulator seals';
const MAC_BYTES = 32;

function macOf(issuer: SealIssuer, purpose: SealPurpose, shown: string, hidden: string): Buffer {
  const scope = JSON.stringify([issuer.vendor, issuer.host, issuer.credential, purpose, shown, hidden]);
  return createHmac('sha256', KEY).update(scope).digest();
}

/** `shown` is sent beside the seal and must come back unchanged; `hidden` is inside it. */
export function mintSeal(issuer: SealIssuer, purpose: SealPurpose, shown: string, hidden = ''): string {
  const mac = macOf(issuer, purpose, shown, hidden);
  return Buffer.concat([mac, mask(Buffer.from(hidden), mac)]).toString('base64');
}

export function isSealValid(issuer: SealIssuer, purpose: SealPurpose, shown: string, seal: string): boolean {
  return openSeal(issuer, purpose, shown, seal) !== undefined;
}

/** The hidden text of a seal; undefined if it does not verify. */
export function openSeal(issuer: SealIssuer, purpose: SealPurpose, shown: string, seal: string): string | undefined {
  const bytes = Buffer.from(seal, 'base64');
  // Base64 decoding ignores stray characters; a seal must return byte for byte.
  if (bytes.length < MAC_BYTES || bytes.toString('base64') !== seal) return undefined;
  const mac = bytes.subarray(0, MAC_BYTES);
  const hidden = mask(bytes.subarray(MAC_BYTES), mac).toString('utf8');
  return timingSafeEqual(mac, macOf(issuer, purpose, shown, hidden)) ? hidden : undefined;
}

/** Obfuscation, not secrecy: a reader must not find the text in the seal. */
function mask(bytes: Buffer, mac: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (mac[at % mac.length] ?? 0)));
}

/** A short mark for ids that must be recognised later. */
export function mintMark(issuer: SealIssuer, purpose: SealPurpose, shown: string): string {
  return macOf(issuer, purpose, shown, '').subarray(0, 8).toString('hex');
}

const SLOTS: ReadonlySet<string> = new Set(['signature', 'thoughtSignature', 'encrypted_content', 'encrypted_index']);

/** Does any part of a request contain a seal, under any dialect's name for it? */
export function holdsSeals(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  if ('type' in tree && tree.type === 'redacted_thinking') return true;
  return Object.entries(tree).some(([name, value]) =>
    SLOTS.has(name) ? typeof value === 'string' && value !== '' : holdsSeals(value),
  );
}
