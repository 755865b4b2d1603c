/** Reasoning in answers: read under several names, always returned under all names of this service. */

import type { RedactedBlock, ThinkingBlock } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../../canonical/json.ts';
import { readThoughts } from './content-parts.ts';
import type { ChatQuirks } from './quirks.ts';
import { sealMarks } from './seals.ts';

/** Every name an upstream of this dialect may use for readable reasoning outside the content. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

/**
 * The readable reasoning of a message or delta. Details take precedence if the host puts reasoning there, else the
 * plain strings do: they repeat each other.
 */
export function readReasoning(message: JsonObject, quirks: ChatQuirks): string {
  const details = readDetails(message);
  if (details.length > 0 && quirks.reasoningRead.includes('reasoning_details')) return textOf(details);
  for (const field of REASONING_FIELDS) {
    const text = stringAt(message, field);
    if (text !== undefined && text !== '') return text;
  }
  return details.length > 0 ? textOf(details) : readThoughts(message);
}

export const textOf = (details: readonly JsonObject[]): string =>
  details.map((detail) => stringAt(detail, 'text') ?? stringAt(detail, 'summary') ?? '').join('');

export const readDetails = (message: JsonObject): JsonObject[] =>
  arrayAt(message, 'reasoning_details').filter(isJsonObject);

/** A signed or encrypted part of reasoning that is worth sending back to its owner. */
export const isSealed = (detail: JsonObject): boolean =>
  (stringAt(detail, 'signature') ?? '') !== '' || (stringAt(detail, 'data') ?? '') !== '';

/** A reasoning block as a detail, with the text for its seal. */
export function writeDetail(block: ThinkingBlock | RedactedBlock, seal: string | undefined, index: number): JsonObject {
  if (block.kind === 'redacted')
    return { type: 'reasoning.encrypted', data: seal ?? '', ...sealMarks(block.seal), index };
  const said =
    block.form === 'summary'
      ? { type: 'reasoning.summary', summary: block.text }
      : { type: 'reasoning.text', text: block.text };
  return { ...said, ...(seal !== undefined && { signature: seal }), ...sealMarks(block.seal), index };
}
