/**
 * Assigns sealed reasoning to its owner. The format's home seals nothing: callers get every seal in an envelope, except
 * what a host of this format sends on the verbatim lane. A raw seal belongs to the owner its format names.
 */
import type { JsonObject } from '../../canonical/json.ts';
import type { Sealed, SealOwner } from '../../canonical/sealed.ts';
import type { Sealing, SealRefusal } from '../dialect.ts';

/** Owners by the format names that callers of this dialect use for a detail. */
const OWNERS: Readonly<Record<string, SealOwner>> = {
  'anthropic-claude-v1': { dialect: 'anthropic-messages', family: 'claude' },
  'google-gemini-v1': { dialect: 'google-generate', family: 'gemini' },
  'openai-responses-v1': { dialect: 'openai-responses', family: 'gpt' },
};

/** For seals without a named owner: any host of this dialect that returns details. */
export const UNKNOWN_OWNER: SealOwner = { dialect: 'openai-chat', family: 'unknown' };

/** Format names known to callers of this dialect. */
const FORMATS: Readonly<Record<string, string>> = {
  claude: 'anthropic-claude-v1',
  gemini: 'google-gemini-v1',
  gpt: 'openai-responses-v1',
};

export const formatOf = (seal: Sealed | undefined): string => FORMATS[seal?.owner.family ?? ''] ?? 'unknown';

/** Members that show callers the owner of a seal, and the owner's item id if the owner needs it back. */
export const sealMarks = (seal: Sealed | undefined): JsonObject => ({
  ...(seal?.itemId !== undefined && { id: seal.itemId }),
  format: formatOf(seal),
});

/** Instead of a call's id: the state came in a part without text. */
export const ALONE = 'alone';

/** The envelope a caller gets instead of a seal; undefined if there are no envelopes. */
export const sealText = (seal: Sealed, sealing: Sealing | undefined): string | undefined => sealing?.wrap(seal);

type SealedDetail = {
  readonly type: string;
  readonly format?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly signature?: string | null | undefined;
  readonly data?: string | null | undefined;
};

/** Did the gateway issue this detail? Then its content is in the envelope, not beside it. */
export const isEnveloped = (detail: SealedDetail, sealing: Sealing | undefined): boolean =>
  sealing !== undefined && [detail.signature, detail.data].some((text) => sealing.isEnvelope(text ?? ''));

/** The seal of a caller's detail: undefined if there is none, or the envelope is not valid (any more). */
export function readSeal(detail: SealedDetail, sealing: Sealing | undefined): Sealed | undefined {
  const data = isHidden(detail) ? (detail.data ?? '') : detail.signature;
  if (data === undefined || data === null) return undefined;
  if (sealing?.isEnvelope(data) === true) {
    const opened = sealing.unwrap(data);
    return opened?.data === '' ? undefined : opened;
  }
  const owner = OWNERS[detail.format ?? ''] ?? UNKNOWN_OWNER;
  // One vendor stores its reasoning as items, and requires the item's id with the seal.
  const itemId = owner.dialect === 'openai-responses' && typeof detail.id === 'string' ? { itemId: detail.id } : {};
  if (!isHidden(detail)) return { owner, kind: 'signature', data, ...itemId };
  return { owner, kind: owner.dialect === 'google-generate' ? 'carry' : 'sealed', data, ...itemId };
}

export const isHidden = ({ type }: SealedDetail): boolean => type === 'reasoning.encrypted';

/** Hosts of this dialect pass on error messages of the model's own provider. */
export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { code: 'invalid_encrypted_content' },
  { message: /invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`?/i },
  { message: /\b(?:corrupted|invalid)\b.{0,60}\bthought[ _]?signature/i },
  { message: /\breasoning_details\b.{0,80}\b(?:invalid|could not be (?:verified|decrypted))/i },
];
