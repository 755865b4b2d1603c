/**
 * Whose sealed reasoning is whose. The format's home seals nothing: callers get every seal in an envelope, except what a
 * host of this format says by itself on the verbatim lane. Raw seals belong to whom their format names.
 */
import type { JsonObject } from '../../canonical/json.ts';
import type { Sealed, SealOwner } from '../../canonical/sealed.ts';
import type { Sealing } from '../dialect.ts';
import type { SealRefusal } from '../seal-refusals.ts';

/** Makers by the names that callers of this dialect use for the format of a detail. */
const OWNERS: Readonly<Record<string, SealOwner>> = {
  'anthropic-claude-v1': { dialect: 'anthropic-messages', family: 'claude' },
  'google-gemini-v1': { dialect: 'google-generate', family: 'gemini' },
  'openai-responses-v1': { dialect: 'openai-responses', family: 'gpt' },
};

/** Of seals that do not say who made them: whichever host of this dialect answers with details. */
export const UNKNOWN_OWNER: SealOwner = { dialect: 'openai-chat', family: 'unknown' };

/** Formats in the words callers of this dialect know. */
const FORMATS: Readonly<Record<string, string>> = {
  claude: 'anthropic-claude-v1',
  gemini: 'google-gemini-v1',
  gpt: 'openai-responses-v1',
};

export const formatOf = (seal: Sealed | undefined): string => FORMATS[seal?.owner.family ?? ''] ?? 'unknown';

/** What tells callers whose a seal is, and which of its maker's items it belongs to where the maker wants that back. */
export const sealMarks = (seal: Sealed | undefined): JsonObject => ({
  ...(seal?.itemId !== undefined && { id: seal.itemId }),
  format: formatOf(seal),
});

/** In place of a call's id: state that came in a part of its own, without text to vouch for. */
export const ALONE = 'alone';

/** The text a caller gets in the place of a seal; undefined where it cannot have one. */
export const sealText = (seal: Sealed, sealing: Sealing | undefined): string | undefined => sealing?.wrap(seal);

type SealedDetail = {
  readonly type: string;
  readonly format?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly signature?: string | null | undefined;
  readonly data?: string | null | undefined;
};

/** Did this detail come out of our hands? Then what it says is in its envelope, not beside it. */
export const isEnveloped = (detail: SealedDetail, sealing: Sealing | undefined): boolean =>
  sealing !== undefined && [detail.signature, detail.data].some((text) => sealing.isEnvelope(text ?? ''));

/** The seal of a caller's detail: undefined where there is none, or an envelope that is not valid (any more). */
export function readSeal(detail: SealedDetail, sealing: Sealing | undefined): Sealed | undefined {
  const data = isHidden(detail) ? (detail.data ?? '') : detail.signature;
  if (data === undefined || data === null) return undefined;
  if (sealing?.isEnvelope(data) === true) {
    const opened = sealing.unwrap(data);
    return opened?.data === '' ? undefined : opened;
  }
  const owner = OWNERS[detail.format ?? ''] ?? UNKNOWN_OWNER;
  // One maker keeps its reasoning as items, and wants the item's own id beside what it sealed.
  const itemId = owner.dialect === 'openai-responses' && typeof detail.id === 'string' ? { itemId: detail.id } : {};
  if (!isHidden(detail)) return { owner, kind: 'signature', data, ...itemId };
  return { owner, kind: owner.dialect === 'google-generate' ? 'carry' : 'sealed', data, ...itemId };
}

export const isHidden = ({ type }: SealedDetail): boolean => type === 'reasoning.encrypted';

/** Hosts of this dialect pass on the words of whoever runs the model behind them. */
export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { code: 'invalid_encrypted_content' },
  { message: /invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`?/i },
  { message: /\b(?:corrupted|invalid)\b.{0,60}\bthought[ _]?signature/i },
  { message: /\breasoning_details\b.{0,80}\b(?:invalid|could not be (?:verified|decrypted))/i },
];
