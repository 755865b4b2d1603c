/** The short paths that the document shows, as the gateway serves them beside its default mounts. */
import { type Mounts, placeOf, routeOf } from '../../../packages/gateway/src/http/route-table.ts';

export const SHORT = { chat: '/v1', messages: '/v1', genai: '/v1beta' } as const;

const MOUNTS: Mounts = { chat: ['/api/v1'], messages: ['/api/anthropic'], genai: ['/api/genai'], short: true };

/** What the gateway does with a path; undefined where it knows none. */
export const routeAt = (path: string) => {
  const place = placeOf(path.split('/').slice(1), MOUNTS);
  return place === undefined ? undefined : routeOf(place);
};
