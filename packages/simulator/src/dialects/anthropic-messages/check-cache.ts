// Cache points in tools, system and messages: at most four, the longer-lived ones first.
import { asRecords, isRecord, type JsonRecord } from '../../json-value.ts';
import type { Path } from '../shape-check.ts';
import { blocksOfContent, turnsOf } from './conversation.ts';
import { at, badRequest, type MessagesRefusal } from './refusal.ts';

const MAX_CACHE_POINTS = 4;

export function checkCache(body: JsonRecord): MessagesRefusal | undefined {
  const points: { readonly path: Path; readonly ttl: string }[] = [];
  const collect = (nodes: readonly JsonRecord[], path: Path): void => {
    for (const [place, { type, content, cache_control }] of nodes.entries()) {
      const here = [...path, place];
      if (type === 'tool_result') collect(asRecords(content), [...here, 'content']);
      if (isRecord(cache_control)) points.push({ path: here, ttl: String(cache_control['ttl'] ?? '5m') });
    }
  };
  collect(asRecords(body['tools']), ['tools']);
  collect(blocksOfContent(body['system']), ['system']);
  for (const [index, turn] of turnsOf(body).entries()) collect(turn.blocks, ['messages', index, 'content']);
  if (isRecord(body['cache_control'])) points.push({ path: [], ttl: String(body['cache_control']['ttl'] ?? '5m') });
  if (points.length > MAX_CACHE_POINTS)
    return badRequest(
      `A maximum of ${MAX_CACHE_POINTS} blocks with cache_control may be provided. Found ${points.length}.`,
    );
  const firstShort = points.findIndex((point) => point.ttl === '5m');
  const late = firstShort < 0 ? undefined : points.slice(firstShort).find((point) => point.ttl === '1h');
  if (late === undefined) return undefined;
  return at(
    [...late.path, 'cache_control', 'ttl'],
    "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  );
}
