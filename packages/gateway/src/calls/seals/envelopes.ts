/**
 * Envelopes for seals that pass through callers: signed for one account, so that a caller can neither forge a seal nor
 * use another tenant's, and readable by every node that shares the keys (the first signs, all verify).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { DIALECT_IDS, isJsonObject, type Json, type Sealed, type SealKind } from '@trivium/protocol/canonical';
import type { Sealing } from '@trivium/protocol/dialects';
import { BoundedMap } from '../../kernel/bounded-map.ts';

const MAGIC = 'TRV1';
/** Base64 of the magic: every envelope starts with it, and no raw seal does. */
export const ENVELOPE_START = Buffer.from(MAGIC, 'latin1').toString('base64').slice(0, 5);
const MAC_BYTES = 16;
const MAX_HEADER_BYTES = 255;
const KINDS: readonly SealKind[] = ['signature', 'sealed', 'carry', 'cite', 'ref'];

/** One sealing per account, created on first use. */
export function sealingFor(keys: readonly string[]): (accountId: string) => Sealing {
  const made = new BoundedMap<string, Sealing>(MAX_REMEMBERED);
  return (accountId) => made.getOrInsertComputed(accountId, (id) => sealing(keys, id));
}

const MAX_REMEMBERED = 10_000;

export function sealing(keys: readonly string[], accountId: string): Sealing {
  const [signingKey] = keys;
  if (signingKey === undefined) throw new Error('no key to sign seals with');
  const macOf = (key: string, content: Buffer): Buffer =>
    createHmac('sha256', key).update(accountId).update('\n').update(content).digest().subarray(0, MAC_BYTES);
  return {
    isEnvelope: (text) => text.startsWith(ENVELOPE_START),
    wrap: (seal) => {
      const content = contentOf(seal);
      return Buffer.concat([content, macOf(signingKey, content)]).toString('base64');
    },
    unwrap: (text) => {
      if (!text.startsWith(ENVELOPE_START)) return undefined;
      const bytes = Buffer.from(text, 'base64');
      if (bytes.length <= MAGIC.length + 1 + MAC_BYTES) return undefined;
      const content = bytes.subarray(0, bytes.length - MAC_BYTES);
      const mac = bytes.subarray(bytes.length - MAC_BYTES);
      return keys.some((key) => timingSafeEqual(macOf(key, content), mac)) ? sealIn(content) : undefined;
    },
  };
}

/** Magic, length of the header, header, payload. The header says how long the seal is if a text follows it. */
function contentOf({ owner, kind, data, itemId, call, text }: Sealed): Buffer {
  const { dialect, family, scope = '', model = '' } = owner;
  const fields: (string | number)[] = [dialect, family, scope, model, kind, itemId ?? ''];
  if (call !== undefined || text !== undefined) fields.push(call ?? '');
  if (text !== undefined) fields.push(Buffer.byteLength(data));
  const header = Buffer.from(JSON.stringify(fields));
  if (header.length > MAX_HEADER_BYTES) throw new RangeError('the owner of a seal has too long a name');
  return Buffer.concat([
    Buffer.from(MAGIC, 'latin1'),
    Buffer.from([header.length]),
    header,
    Buffer.from(data + (text ?? '')),
  ]);
}

function sealIn(content: Buffer): Sealed | undefined {
  const start = MAGIC.length + 1;
  const end = start + (content[MAGIC.length] ?? 0);
  const header: Json = JSON.parse(content.subarray(start, end).toString());
  if (!Array.isArray(header) || isJsonObject(header)) return undefined;
  const [dialectName, family, scope, model, kindName, itemId, call, length] = header.map(String);
  const dialect = DIALECT_IDS.find((id) => id === dialectName);
  const kind = KINDS.find((known) => known === kindName);
  if (dialect === undefined || kind === undefined || family === undefined) return undefined;
  const textStart = length === undefined ? content.length : end + Number(length);
  return {
    owner: { dialect, family, ...(scope && { scope }), ...(model && { model }) },
    kind,
    data: content.subarray(end, textStart).toString(),
    ...(itemId && { itemId }),
    ...(call && { call }),
    ...(length !== undefined && { text: content.subarray(textStart).toString() }),
  };
}
