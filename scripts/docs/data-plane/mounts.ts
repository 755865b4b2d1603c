/** The first of the default mounts of each protocol: the paths that the document shows. */
import { placeOf, routeOf } from '../../../packages/gateway/src/http/route-table.ts';

export const DEFAULT_MOUNTS = { chat: '/api/v1', messages: '/api/anthropic', genai: '/api/genai' } as const;

const MOUNTS = {
  chat: [DEFAULT_MOUNTS.chat],
  messages: [DEFAULT_MOUNTS.messages],
  genai: [DEFAULT_MOUNTS.genai],
};

/** What the gateway does with a path; undefined where it knows none. */
export const routeAt = (path: string) => {
  const place = placeOf(path.split('/').slice(1), MOUNTS);
  return place === undefined ? undefined : routeOf(place);
};
