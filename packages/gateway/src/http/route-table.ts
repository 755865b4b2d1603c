/**
 * Every path the data plane answers, with its method and its policy. A route without a policy does not compile, and a
 * path that is not here does not exist.
 */
import type { ProtocolName } from '@trivium/protocol/dialects';

export type Policy = 'public' | 'key';

export type RouteAction =
  | { readonly kind: 'text-call'; readonly dialect: string }
  | { readonly kind: 'list-models' }
  | { readonly kind: 'one-model'; readonly model: string }
  | { readonly kind: 'alive' };

export type Route = { readonly method: 'GET' | 'POST'; readonly policy: Policy; readonly action: RouteAction };

export type Mounts = Readonly<Record<ProtocolName, readonly string[]>>;

/** Where a path stands: which protocol's mount it lies under, and what is left of it. */
export type Place = { readonly protocol: ProtocolName; readonly rest: readonly string[] };

export const PROTOCOLS: readonly ProtocolName[] = ['chat', 'messages', 'genai'];

export function placeOf(segments: readonly string[], mounts: Mounts): Place | undefined {
  for (const protocol of PROTOCOLS)
    for (const mount of mounts[protocol]) {
      const prefix = mount.split('/').slice(1);
      if (prefix.every((segment, position) => segments[position] === segment))
        return { protocol, rest: segments.slice(prefix.length) };
    }
  return undefined;
}

/** Whose voice a target is refused in that has no canonical reading: the text of its prefix decides, and nothing else is done with it. */
export const protocolOfText = (target: string, mounts: Mounts): ProtocolName | undefined =>
  PROTOCOLS.find((protocol) =>
    mounts[protocol].some((mount) => target.startsWith(mount) && ['', '/', '?'].includes(target.charAt(mount.length))),
  );

const LIST: Route = { method: 'GET', policy: 'public', action: { kind: 'list-models' } };
const ALIVE: Route = { method: 'GET', policy: 'public', action: { kind: 'alive' } };
const one = (model: readonly string[]): Route => ({
  method: 'GET',
  policy: 'public',
  action: { kind: 'one-model', model: model.join('/') },
});

export function routeOf({ protocol, rest }: Place): Route | undefined {
  if (rest.length === 0) return ALIVE;
  switch (protocol) {
    case 'chat':
      return chatRoute(rest);
    case 'messages':
      return messagesRoute(rest);
    case 'genai':
      return genaiRoute(rest);
  }
}

function chatRoute(rest: readonly string[]): Route | undefined {
  const [first, second, ...more] = rest;
  if (first === 'chat' && second === 'completions' && more.length === 0)
    return { method: 'POST', policy: 'key', action: { kind: 'text-call', dialect: 'openai-chat' } };
  if (first === 'models') return rest.length === 1 ? LIST : one(rest.slice(1));
  return undefined;
}

/** SDKs and hand-written clients disagree whether the base URL holds `/v1`: none, one and two of them mean the same. */
function messagesRoute(rest: readonly string[]): Route | undefined {
  const versions = rest[0] === 'v1' ? (rest[1] === 'v1' ? 2 : 1) : 0;
  const path = rest.slice(versions);
  if (path[0] === 'models') return path.length === 1 ? LIST : one(path.slice(1));
  return undefined;
}

const GENAI_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta', 'v1beta1']);

/** `publishers/{any}/models` lists everything: the SDK can only ask for one publisher, and means all models. */
function genaiRoute(rest: readonly string[]): Route | undefined {
  const [version, ...path] = rest;
  if (version === undefined || !GENAI_VERSIONS.has(version)) return undefined;
  if (path[0] === 'models') return path.length === 1 ? LIST : one(path.slice(1));
  const publishers = path[0] === 'projects' && path[2] === 'locations' ? path.slice(4) : path;
  const [head, publisher, models, ...model] = publishers;
  if (head !== 'publishers' || publisher === undefined || models !== 'models') return undefined;
  return model.length === 0 ? LIST : one([publisher, ...model]);
}
