/** Where the simulator takes a recorded request, and under which name and credential; undefined where it plays no such vendor. */
import type { JsonObject } from '@trivium/protocol/canonical';
import { dressedObject } from './dress.ts';
import type { Shape } from './shape-set.ts';

export type Place = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
};

const BEARER = { authorization: 'Bearer sk-recorded' };
const GOOGLE = { 'x-goog-api-key': 'recorded' };
const OPENAI: ReadonlySet<string> = new Set(['openai', 'azure']);
const VERTEX = '/vertex/v1/projects/p/locations/global/publishers/google/models';

export function simulatorPlace(shape: Shape): Place | undefined {
  const body = dressedObject(shape);
  const { vendor } = shape;
  const model = shape.model ?? '';
  switch (shape.dialect) {
    case 'anthropic-messages': {
      const { anthropic_version: _, ...rest } = body;
      // Clouds write the maker before the name, and a version behind it.
      const own = model.replace(/^([a-z]+\.)?anthropic\./, '').replace(/(?<=\d)-v\d+(:\d+)?$/, '');
      const headers = { 'x-api-key': 'sk-recorded', 'anthropic-version': '2023-06-01' };
      return { path: '/anthropic/v1/messages', headers, body: { ...rest, model: own } };
    }
    case 'google-generate':
      return vendor === 'google-vertex'
        ? { path: `${VERTEX}/${model}:generateContent`, headers: { authorization: 'Bearer recorded' }, body }
        : { path: `/google/v1beta/models/${model}:generateContent`, headers: GOOGLE, body };
    case 'openai-responses':
      return OPENAI.has(vendor) ? { path: '/openai/v1/responses', headers: BEARER, body } : undefined;
    case 'openai-chat':
      if (vendor === 'openai') return { path: '/openai/v1/chat/completions', headers: BEARER, body };
      if (vendor === 'azure')
        // A deployment is called what its owner likes.
        return { path: '/openai/v1/chat/completions', headers: BEARER, body: { ...body, model: 'gpt-4o' } };
      return { path: '/compatible/v1/chat/completions', headers: BEARER, body: { ...body, model: model || 'any' } };
    default:
      return undefined;
  }
}
