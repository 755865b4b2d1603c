// Cache points in tools, system and messages: at most four, the longer-lived ones first.
import { asList, asRecord, isRecord, type JsonRecord } from '../../json-value.ts';
import type { Path } from '../shape-check.ts';
import { blocksOfContent, turnsOf } from './conversation.ts';
import { at, badRequest, type MessagesRefusal } from './refusal.ts';

interface CachePoint {
  readonly path: Path;
  readonly ttl: string;
}

const MAX_CACHE_POINTS = 4;

export function checkCache(body: JsonRecord): MessagesRefusal | undefined {
  const points = cachePoints(body);
  if (points.length > MAX_CACHE_POINTS) {
    return badRequest(
      `A maximum of ${MAX_CACHE_POINTS} blocks with cache_control may be provided. Found ${points.length}.`,
    );
  }
  const firstShort = points.findIndex((point) => point.ttl === '5m');
  const late = firstShort < 0 ? undefined : points.slice(firstShort).find((point) => point.ttl === '1h');
  if (late === undefined) return undefined;
  return at(
    [...late.path, 'cache_control', 'ttl'],
    "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  );
}

function cachePoints(body: JsonRecord): readonly CachePoint[] {
  return [
    ...pointsIn(asList(body['tools']).map(asRecord), ['tools']),
    ...pointsIn(blocksOfContent(body['system']), ['system']),
    ...turnsOf(body).flatMap((turn, index) =>
      turn.blocks.flatMap((block, place) => {
        const path: Path = ['messages', index, 'content', place];
        const inner = block['type'] === 'tool_result' ? asList(block['content']).map(asRecord) : [];
        return [...pointsIn(inner, [...path, 'content']), ...pointsAt(block, path)];
      }),
    ),
    ...pointsAt(body, []),
  ];
}

function pointsIn(nodes: readonly JsonRecord[], path: Path): readonly CachePoint[] {
  return nodes.flatMap((node, place) => pointsAt(node, [...path, place]));
}

function pointsAt(node: JsonRecord, path: Path): readonly CachePoint[] {
  const control = node['cache_control'];
  return isRecord(control) ? [{ path, ttl: String(control['ttl'] ?? '5m') }] : [];
}
