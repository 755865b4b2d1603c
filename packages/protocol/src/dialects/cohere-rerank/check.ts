/** Unknown → a request for reranking in the forms that clients of this format send. */
import { type Static, Type } from 'typebox';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { RerankCall } from '../../canonical/rerank.ts';
import { checkWith, compile, isGiven, Maybe, malformed } from '../checking.ts';

/** As many as the format's home takes. */
const MAX_DOCUMENTS = 10_000;

export const RerankWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  query: Type.String({ minLength: 1 }),
  documents: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_DOCUMENTS }),
  top_n: Maybe(Type.Integer({ minimum: 1 })),
  max_tokens_per_doc: Maybe(Type.Integer({ minimum: 1 })),
  priority: Maybe(Type.Integer({ minimum: 0, maximum: 999 })),
  /** Of the first version; other hosts have it still. */
  return_documents: Maybe(Type.Boolean()),
  rank_fields: Maybe(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 32 })),
});
export type RerankWire = Static<typeof RerankWire>;

const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(RerankWire.properties));
const request = compile(RerankWire);

export type CheckedRerank = {
  readonly wire: RerankWire;
  readonly body: JsonObject;
  readonly documents: readonly string[];
};

export function checkRerank(body: JsonObject): CheckedRerank {
  const wire = checkWith(request, body, '');
  const fields = isGiven(wire.rank_fields) ? (wire.rank_fields as readonly string[]) : undefined;
  return { wire, body, documents: wire.documents.map((document, place) => textOf(document, place, fields)) };
}

/** Objects were the form of the first version: their text, or the members that it names, one in each line. */
function textOf(document: unknown, place: number, fields: readonly string[] | undefined): string {
  const path = `documents[${place}]`;
  if (typeof document === 'string') {
    if (document === '') throw malformed(path, 'must not be empty');
    return document;
  }
  if (!isJsonObject(document as Json)) throw malformed(path, 'must be a text, or an object with a text');
  const members = document as JsonObject;
  const names = fields ?? ['text'];
  const lines = names.flatMap((name) => {
    const value = members[name];
    if (typeof value !== 'string') return [];
    return [fields === undefined ? value : `${name}: ${value}`];
  });
  if (lines.every((line) => line === ''))
    throw malformed(fields === undefined ? `${path}.text` : path, 'must hold a text to rank');
  return lines.join('\n');
}

export function decodeCall({ wire, body, documents }: CheckedRerank): RerankCall {
  const unknown: [string, Json][] = Object.entries(body).filter(([name]) => !KNOWN_FIELDS.has(name));
  return {
    operation: 'rerank',
    model: wire.model,
    query: wire.query,
    documents,
    ...(typeof wire.top_n === 'number' && { topN: wire.top_n }),
    ...(typeof wire.max_tokens_per_doc === 'number' && { maxTokensPerDoc: wire.max_tokens_per_doc }),
    ...(typeof wire.priority === 'number' && { priority: wire.priority }),
    extras: unknown.length === 0 ? {} : { 'cohere-rerank': Object.fromEntries(unknown) },
  };
}
