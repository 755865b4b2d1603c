/** The error for an unknown path: that nothing is served there, and the nearest served path. */
import { type Fault, PROTOCOL_NAMES, type ProtocolName } from '@trivium/protocol/canonical';
import { OWN_QUESTIONS } from '../kernel/reports.ts';
import { allowedSlips, closestTo, distance } from '../models/names/nearest.ts';
import type { Mounts } from './route-table.ts';

/** At most this many characters of a path are repeated in the error. */
const MAX_SHOWN = 120;

/** Below a mount, as SDKs write them. The action after a model's colon is looked up separately. */
const PATHS: Readonly<Record<Exclude<ProtocolName, 'genai'>, readonly string[]>> = {
  chat: [
    ...[
      'chat/completions',
      'completions',
      'responses',
      'embeddings',
      'rerank',
      'moderations',
      'images/generations',
      'images/edits',
      'videos',
      'models',
      'route',
    ],
    ...['audio/speech', 'audio/transcriptions', 'audio/translations'],
    ...OWN_QUESTIONS,
  ],
  messages: ['v1/messages', 'v1/messages/count_tokens', 'v1/models'],
};
const MODEL_ACTIONS: readonly string[] = [
  ...['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'batchEmbedContents', 'predict'],
  ...['predictLongRunning', 'fetchPredictOperation'],
];

type Served = { readonly path: string /** Without its mount. */; readonly tail: string };

/** Mounts as prefixes of `PATHS`: the short ones first, because most callers mean those. */
function prefixesOf(protocol: ProtocolName, mounts: Mounts): readonly string[] {
  const long = mounts[protocol];
  if (mounts.short !== true || long.length === 0) return long;
  return [protocol === 'chat' ? '/v1' : '', ...long];
}

const servedPaths = (mounts: Mounts): readonly Served[] =>
  PROTOCOL_NAMES.flatMap((protocol) =>
    protocol === 'genai'
      ? prefixesOf(protocol, mounts).map((prefix) => ({ path: `${prefix}/v1beta/models`, tail: 'v1beta/models' }))
      : prefixesOf(protocol, mounts).flatMap((prefix) =>
          PATHS[protocol].map((tail) => ({ path: `${prefix}/${tail}`, tail })),
        ),
  );

/**
 * If the requested path ends with a served one (without its mount), that one was meant; else the one with the smallest
 * edit distance.
 */
export function nearestPath(asked: string, mounts: Mounts): string | undefined {
  const action = /:([A-Za-z]+)$/.exec(asked)?.[1];
  const [genai] = prefixesOf('genai', mounts);
  if (action !== undefined && genai !== undefined) {
    const meant = closestTo(action, MODEL_ACTIONS);
    return meant === undefined ? undefined : `${genai}/v1beta/models/{model}:${meant}`;
  }
  const ranked = servedPaths(mounts)
    .map(({ path, tail }) => ({ path, isTail: asked.endsWith(`/${tail}`), slips: distance(asked, path) }))
    .sort((one, other) => Number(other.isTail) - Number(one.isTail) || one.slips - other.slips);
  const [best] = ranked;
  return best !== undefined && (best.isTail || best.slips <= allowedSlips(asked)) ? best.path : undefined;
}

/** Where calls go, for callers whose path is not close to any. */
function callPaths(mounts: Mounts): string {
  const [chat] = prefixesOf('chat', mounts);
  const [messages] = prefixesOf('messages', mounts);
  const [genai] = prefixesOf('genai', mounts);
  return [
    ...(chat === undefined ? [] : [`${chat}/chat/completions`, `${chat}/responses`]),
    ...(messages === undefined ? [] : [`${messages}/v1/messages`]),
    ...(genai === undefined ? [] : [`${genai}/v1beta/models/{model}:generateContent`]),
  ].join(', ');
}

export function unknownPath(method: string | undefined, path: string, mounts: Mounts): Fault {
  const shown = path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}...` : path;
  const near = nearestPath(path, mounts);
  const hint = near === undefined ? `Calls go to ${callPaths(mounts)}.` : `The nearest path is ${near}.`;
  return { kind: 'unknown-route', message: `Unknown path: ${method ?? 'GET'} ${shown} is not served here. ${hint}` };
}
