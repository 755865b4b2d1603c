// `GET /v1/models` with its pages, and `GET /v1/models/{id}`.
import type { MessagesProfile } from './profiles.ts';

const CREATED_AT = '2025-01-01T00:00:00Z';
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

interface ModelObject {
  readonly type: 'model';
  readonly id: string;
  readonly display_name: string;
  readonly created_at: string;
}

export function modelObject(id: string): ModelObject {
  return { type: 'model', id, display_name: id, created_at: CREATED_AT };
}

export function listModels(profile: MessagesProfile, query: string): object {
  const given = new URLSearchParams(query);
  const limit = Math.min(MAX_LIMIT, Math.max(1, Number(given.get('limit') ?? DEFAULT_LIMIT) || DEFAULT_LIMIT));
  const ids = profile.families.flatMap((family) => family.examples);
  const start = ids.indexOf(given.get('after_id') ?? '') + 1;
  const page = ids.slice(start, start + limit);
  return {
    data: page.map(modelObject),
    has_more: start + limit < ids.length,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  };
}
