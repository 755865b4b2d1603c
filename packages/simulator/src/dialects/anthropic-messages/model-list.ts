// `GET /v1/models` with its pages, and `GET /v1/models/{id}`.
import type { MessagesProfile } from './profiles.ts';

const CREATED_AT = '2025-01-01T00:00:00Z';
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

/** One model, or without an id a page of all. */
export function describeModels(id: string, profile: MessagesProfile, query: string): object {
  const given = new URLSearchParams(query);
  const limit = Math.min(MAX_LIMIT, Math.max(1, Number(given.get('limit') ?? DEFAULT_LIMIT) || DEFAULT_LIMIT));
  const ids = id === '' ? profile.families.flatMap(({ examples }) => examples) : [id];
  const start = ids.indexOf(given.get('after_id') ?? '') + 1;
  const page = id === '' ? ids.slice(start, start + limit) : ids;
  const data = page.map((one) => ({ type: 'model', id: one, display_name: one, created_at: CREATED_AT }));
  if (id !== '') return { ...data[0] };
  return {
    data,
    has_more: start + limit < ids.length,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  };
}
