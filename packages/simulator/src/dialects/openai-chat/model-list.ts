// `GET /v1/models` and `GET /v1/models/{id}`.
import { checkModel } from './check.ts';
import type { ChatProfile } from './profiles.ts';
import type { ChatRefusal } from './refusal.ts';

const CREATED_S = 1_735_689_600;

interface ModelObject {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

function modelObject(id: string, profile: ChatProfile): ModelObject {
  return { id, object: 'model', created: CREATED_S, owned_by: profile.vendor === 'openai' ? 'system' : 'simulator' };
}

export function listModels(profile: ChatProfile): { readonly object: 'list'; readonly data: readonly ModelObject[] } {
  const ids = profile.families.flatMap((family) => family.examples);
  return { object: 'list', data: ids.map((id) => modelObject(id, profile)) };
}

export function retrieveModel(id: string, profile: ChatProfile): ModelObject | ChatRefusal {
  return checkModel(id, profile) ?? modelObject(id, profile);
}
