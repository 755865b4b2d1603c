// Thought signatures that come back: valid where they are, and present where the model needs them.
import { asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { isSealValid, type SealIssuer } from '../../seals.ts';
import { firstOf, isBase64 } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { type Content, contentsOf, partsWith, turnsOf } from './check-contents.ts';
import { fieldPath, type GenerateRefusal, invalid } from './refusal.ts';

/** Documented for histories that another model wrote. */
export const SENTINELS: readonly string[] = [
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
];

export function checkSeals(body: JsonRecord, issuer: SealIssuer, needsSignature: boolean): GenerateRefusal | undefined {
  const contents = contentsOf(body);
  return (
    firstOf(contents, ({ parts }, at) =>
      firstOf(parts, (part, place) => checkPart(part, ['contents', at, 'parts', place], issuer)),
    ) ?? (needsSignature ? checkPresence(turnsOf(contents)) : undefined)
  );
}

function checkPart(part: JsonRecord, path: Path, issuer: SealIssuer): GenerateRefusal | undefined {
  const signature = part['thoughtSignature'];
  if (typeof signature !== 'string' || SENTINELS.includes(signature)) return undefined;
  if (!isBase64(signature)) {
    const field = fieldPath([...path, 'thoughtSignature']);
    return invalid(`Invalid value at '${field}' (TYPE_BYTES), Base64 decoding failed for "${signature}"`);
  }
  return isSealValid(issuer, 'thought', shownPart(part), signature)
    ? undefined
    : invalid('Corrupted thought signature.');
}

/** The data that a signature signs: those of its own part. */
export function shownPart(part: JsonRecord): string {
  if (part['functionCall'] !== undefined) {
    const { name, args } = asRecord(part['functionCall']);
    return JSON.stringify(['call', asText(name), sorted(args ?? {})]);
  }
  if (part['inlineData'] !== undefined) return JSON.stringify(['inline', asText(asRecord(part['inlineData'])['data'])]);
  return JSON.stringify(['text', asText(part['text'])]);
}

/** Objects are unordered on this wire. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return names.map((name) => [name, sorted(value[name])]);
}

/** Only the current turn counts: everything after the last user message with more than function responses. */
function checkPresence(turns: readonly Content[]): GenerateRefusal | undefined {
  const start = turns.findLastIndex(
    (content) => content.role !== 'model' && content.parts.some((part) => part['functionResponse'] === undefined),
  );
  for (const [at, content] of turns.entries()) {
    if (at <= start || content.role !== 'model') continue;
    const [first] = partsWith(content, 'functionCall');
    if (first === undefined || asText(first['thoughtSignature']) !== '') continue;
    const name = asText(asRecord(first['functionCall'])['name']);
    return invalid(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    );
  }
  return undefined;
}
