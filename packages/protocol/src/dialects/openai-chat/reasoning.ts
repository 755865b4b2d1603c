/** Reasoning in answers: found under several names, always given out under all of this service's names. */

import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import type { SealRefusal } from '../seal-refusals.ts';
import type { ChatQuirks } from './quirks.ts';

/** Every name an upstream of this dialect may use for readable reasoning. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

/** The readable reasoning of a message or delta. Details win over plain strings, which repeat them. */
export function readReasoning(message: JsonObject, quirks: ChatQuirks): string {
  const details = readDetails(message);
  if (details.length > 0 && quirks.reasoningRead.includes('reasoning_details'))
    return details.map((detail) => stringAt(detail, 'text') ?? stringAt(detail, 'summary') ?? '').join('');
  for (const field of REASONING_FIELDS) {
    const text = stringAt(message, field);
    if (text !== undefined && text !== '') return text;
  }
  return details.map((detail) => stringAt(detail, 'text') ?? '').join('');
}

export const readDetails = (message: JsonObject): JsonObject[] =>
  arrayAt(message, 'reasoning_details').filter(isJsonObject);

/** A signed or hidden part of reasoning, worth sending back to whoever made it. */
export const isSealed = (detail: JsonObject): boolean =>
  stringAt(detail, 'signature') !== undefined || stringAt(detail, 'data') !== undefined;

/** Formats in the words callers of this dialect know. */
const FORMATS: Readonly<Record<string, string>> = {
  claude: 'anthropic-claude-v1',
  gemini: 'google-gemini-v1',
  gpt: 'openai-responses-v1',
};

export const formatOf = (seal: Sealed | undefined): string => FORMATS[seal?.owner.family ?? ''] ?? 'unknown';

/** Hosts of this dialect pass on the words of whoever runs the model behind them. */
export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { code: 'invalid_encrypted_content' },
  { message: /invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`?/i },
  { message: /\b(?:corrupted|invalid)\b.{0,60}\bthought[ _]?signature/i },
  { message: /\breasoning_details\b.{0,80}\b(?:invalid|could not be (?:verified|decrypted))/i },
];

/** What tells callers whose a seal is, and which of its maker's items it belongs to where the maker wants that back. */
export const sealMarks = (seal: Sealed | undefined): JsonObject => ({
  ...(seal?.itemId !== undefined && { id: seal.itemId }),
  format: formatOf(seal),
});

/** In place of a call's id: state that came in a part of its own, without text to vouch for. */
export const ALONE = 'alone';
