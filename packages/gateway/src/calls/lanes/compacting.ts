/** The call of a compaction at a host that has a path for it: what the caller sent, without the request for a summary. */
import { isJsonArray, isJsonObject, type Json } from '@trivium/protocol/canonical';
import type { Target } from '../../kernel/target.ts';
import type { Lane } from '../lane.ts';

const COMPACT = 'compact';
/** The members that the path takes. */
const TAKEN: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
]);

export function compactingLane(lane: Lane, { actionPaths }: Pick<Target, 'actionPaths'>): Lane {
  if (actionPaths?.[COMPACT] === undefined || typeof lane.body !== 'string') return lane;
  const body: Json = JSON.parse(lane.body);
  if (!isJsonObject(body)) return lane;
  const members = Object.entries(body).filter(([name]) => TAKEN.has(name));
  const { input = [] } = body;
  const own = isJsonArray(input) ? input.slice(0, -1) : input;
  // Its answer is the maker's own, whichever way the request was written.
  return {
    ...lane,
    kind: 'verbatim',
    action: COMPACT,
    body: JSON.stringify({ ...Object.fromEntries(members), input: own }),
  };
}
