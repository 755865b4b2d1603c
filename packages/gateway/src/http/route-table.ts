/**
 * Every path the data plane serves, with its method and its policy. A route without a policy does not compile, and a
 * path that is not here does not exist.
 */
import { PROTOCOL_NAMES, type ProtocolName } from '@trivium/protocol/canonical';
import { OWN_QUESTIONS, type OwnQuestion } from '../kernel/reports.ts';

type Policy = 'public' | 'key';

export type RouteAction =
  | {
      readonly kind:
        | 'text-call'
        | 'embed-call'
        | 'image-call'
        | 'count-tokens'
        | 'rerank-call'
        | 'moderation-call'
        | 'compact'
        // Speech, and the words of recordings.
        | 'sound-call';
      readonly dialect: string;
      /** If the path states them, and not the body. */
      readonly model?: string;
      readonly stream?: boolean;
      /** Which of the dialect's forms the path names, if it has several. */
      readonly form?: string;
    }
  /** A video is submitted; an operation is polled, by the body or, with `id`, by the path alone. */
  | { readonly kind: 'video-call'; readonly model: string }
  | { readonly kind: 'video-poll'; readonly model: string; readonly id?: string }
  /** A video, their list, or a clip; the path after `videos`. An order counts as a `video-call`. */
  | { readonly kind: 'videos'; readonly path: readonly string[] }
  /** `sound`: of those that speak, in the forms that programs of speech ask for. */
  | { readonly kind: 'list-models'; readonly sound?: 'models' | 'voices' }
  | { readonly kind: 'one-model'; readonly model: string }
  | { readonly kind: 'own-report'; readonly what: OwnQuestion }
  /** A dry run; a header names the call it is about. */
  | { readonly kind: 'dry-run' }
  | { readonly kind: 'one-request'; readonly id: string }
  | AgentAction
  /** A stored response, a conversation, or items of either. */
  | { readonly kind: 'stored'; readonly path: readonly string[] }
  | { readonly kind: 'alive' };

/** What programs ask for that a person has signed in, besides calls. */
export type AgentAction =
  | { readonly kind: 'managed-settings' }
  | { readonly kind: 'spend-report' }
  | { readonly kind: 'gateway-protocol' }
  | { readonly kind: 'telemetry'; readonly signal: string };

/** Every kind, and whether it is a call: a refused one leaves a record. A new kind cannot be forgotten. */
const KINDS: Readonly<Record<RouteAction['kind'], boolean>> = {
  'text-call': true,
  'embed-call': true,
  'rerank-call': true,
  'moderation-call': true,
  'image-call': true,
  'sound-call': true,
  'video-call': true,
  'video-poll': false,
  videos: false,
  'list-models': false,
  'one-model': false,
  'count-tokens': true,
  compact: true,
  'own-report': false,
  'dry-run': false,
  'one-request': false,
  'managed-settings': false,
  'spend-report': false,
  'gateway-protocol': false,
  telemetry: false,
  stored: false,
  alive: false,
};
export const ROUTE_KINDS = Object.keys(KINDS);
export const CALL_KINDS = Object.entries(KINDS).flatMap(([kind, isCall]) => (isCall ? [kind] : []));

export type Route = {
  readonly method: 'GET' | 'POST';
  /** Other methods of the same path. */
  readonly also?: readonly string[];
  readonly policy: Policy;
  readonly action: RouteAction;
  /**
   * Actions are posted to `<this path>:<action>`: a POST that names no known one is an unknown path, not a wrong method.
   */
  readonly takesActions?: true;
};

export type Mounts = Readonly<Record<ProtocolName, readonly string[]>> & {
  /** Whether `/v1` and `/v1beta` are served besides the mounts, as the vendors' own SDKs address them. */
  readonly short?: boolean;
};

/** The protocol of a path that several share: the caller's headers decide. */
export type OpenProtocol = 'chat' | 'messages';

/** The protocol whose mount a path is under, and the rest of the path. */
export type MountedPath = { readonly protocol: ProtocolName; readonly rest: readonly string[] };

/** The protocol of error messages if neither path nor headers name one. */
export const FALLBACK_PROTOCOL: OpenProtocol = 'chat';

export function placeOf(
  segments: readonly string[],
  mounts: Mounts,
  open: OpenProtocol = FALLBACK_PROTOCOL,
): MountedPath | undefined {
  for (const protocol of PROTOCOL_NAMES)
    for (const mount of mounts[protocol]) {
      const prefix = mount.split('/').slice(1);
      if (prefix.every((segment, position) => segments[position] === segment))
        return { protocol, rest: segments.slice(prefix.length) };
    }
  if (mounts.messages.length > 0 && agentRoute(segments)?.method === 'GET')
    return { protocol: 'messages', rest: segments };
  return mounts.short === true ? shortPlace(segments, mounts, open) : undefined;
}

/** Below `/v1` the routes of all three protocols coexist. The few paths that two of them share belong to `open`. */
function shortPlace(segments: readonly string[], mounts: Mounts, open: OpenProtocol): MountedPath | undefined {
  const [version = '', ...rest] = segments;
  if (isRerank(segments) && mounts.chat.length > 0) return { protocol: 'chat', rest: segments };
  const genai: MountedPath | undefined = mounts.genai.length > 0 ? { protocol: 'genai', rest: segments } : undefined;
  if (GENAI_ONLY_VERSIONS.has(version)) return genai;
  if (version !== SHARED_VERSION) return undefined;
  if (genai !== undefined && isOfGenaiAlone(rest)) return genai;
  const places = [open, open === 'chat' ? 'messages' : 'chat']
    .filter((protocol): protocol is OpenProtocol => mounts[protocol as OpenProtocol].length > 0)
    .map((protocol): MountedPath => ({ protocol, rest }));
  return places.find((place) => routeOf(place) !== undefined) ?? places[0];
}

/** Clients of reranking add their own version to a base, or none. */
const isRerank = (path: readonly string[]): boolean => RERANK_PATHS.has(path.join('/'));
const RERANK_PATHS: ReadonlySet<string> = new Set(['rerank', 'v1/rerank', 'v2/rerank']);

/** Publishers, projects and actions of a model; lists and single models are not. */
function isOfGenaiAlone(rest: readonly string[]): boolean {
  if (rest[0] === 'publishers' || rest[0] === 'projects') return true;
  const kind = genaiRoute([SHARED_VERSION, ...rest])?.action.kind;
  return kind !== undefined && kind !== 'list-models' && kind !== 'one-model';
}

/**
 * The protocol whose error format is used for a target that is not canonical: only the text of its prefix decides, and
 * nothing else is done with it.
 */
export function protocolOfText(target: string, mounts: Mounts, open: OpenProtocol = FALLBACK_PROTOCOL): ProtocolName {
  const isBelow = (mount: string): boolean =>
    target.startsWith(mount) && ['', '/', '?'].includes(target.charAt(mount.length));
  const long = PROTOCOL_NAMES.find((protocol) => mounts[protocol].some(isBelow));
  if (long !== undefined) return long;
  const isGenai = mounts.short === true && mounts.genai.length > 0;
  return isGenai && [...GENAI_ONLY_VERSIONS].some((version) => isBelow(`/${version}`))
    ? 'genai'
    : mounts[open].length > 0
      ? open
      : FALLBACK_PROTOCOL;
}

const LIST: Route = { method: 'GET', policy: 'public', action: { kind: 'list-models' } };
const ALIVE: Route = { method: 'GET', policy: 'public', action: { kind: 'alive' } };
const one = (model: readonly string[]): Route => ({
  method: 'GET',
  policy: 'public',
  action: { kind: 'one-model', model: model.join('/') },
});

const post = (action: RouteAction): Route => ({ method: 'POST', policy: 'key', action });

export function routeOf({ protocol, rest }: MountedPath): Route | undefined {
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
    return post({ kind: 'text-call', dialect: 'openai-chat' });
  if (first === 'completions' && second === undefined)
    return post({ kind: 'text-call', dialect: 'openai-completions' });
  if (first === 'responses' || first === 'conversations') return storedRoute(rest);
  if (first === 'embeddings' && second === undefined) return post({ kind: 'embed-call', dialect: 'openai-embeddings' });
  if (first === 'moderations' && second === undefined)
    return post({ kind: 'moderation-call', dialect: 'openai-moderations' });
  if (isRerank(rest)) return post({ kind: 'rerank-call', dialect: 'cohere-rerank' });
  if (first === 'images' && more.length === 0 && (second === 'generations' || second === 'edits'))
    return post({ kind: 'image-call', dialect: 'openai-images', form: second });
  if (first === 'audio' && more.length === 0) return soundRoute(second);
  if (first === 'videos') return videosRoute(rest.slice(1));
  if (first === 'models') return rest.length === 1 ? LIST : one(rest.slice(1));
  if (first === 'route' && second === undefined) return post({ kind: 'dry-run' });
  if (first === 'requests' && second !== undefined && more.length === 0)
    return { method: 'GET', policy: 'key', action: { kind: 'one-request', id: second } };
  return second === undefined ? reportRoute(first) : undefined;
}

function soundRoute(what: string | undefined): Route | undefined {
  if (what === 'speech') return post({ kind: 'sound-call', dialect: 'openai-speech' });
  if (what === 'transcriptions' || what === 'translations')
    return post({ kind: 'sound-call', dialect: 'openai-transcription', form: what });
  if (what === 'models' || what === 'voices') return { ...LIST, action: { kind: 'list-models', sound: what } };
  return undefined;
}

function videosRoute(path: readonly string[]): Route | undefined {
  const [id, part, ...more] = path;
  const action = { kind: 'videos', path } as const;
  if (id === undefined) return { method: 'GET', also: ['POST'], policy: 'key', action };
  if (more.length > 0) return undefined;
  if (part === undefined) return { method: 'GET', also: ['DELETE'], policy: 'key', action };
  return part === 'content' ? { method: 'GET', policy: 'key', action } : part === 'remix' ? post(action) : undefined;
}

function storedRoute(path: readonly string[]): Route | undefined {
  const [first, id, part, item] = path;
  const isResponse = first === 'responses';
  const at = (method: Route['method'], ...also: readonly string[]): Route => ({
    method,
    policy: 'key',
    action: { kind: 'stored', path },
    ...(also.length > 0 && { also }),
  });
  if (id === undefined) return isResponse ? post({ kind: 'text-call', dialect: 'openai-responses' }) : at('POST');
  if (isResponse && id === 'input_tokens' && part === undefined)
    return post({ kind: 'count-tokens', dialect: 'openai-responses' });
  if (isResponse && id === 'compact' && part === undefined)
    return post({ kind: 'compact', dialect: 'openai-responses' });
  if (part === undefined) return isResponse ? at('GET', 'DELETE') : at('GET', 'POST', 'DELETE');
  if (isResponse && item === undefined)
    return part === 'input_items' ? at('GET') : part === 'cancel' ? at('POST') : undefined;
  if (isResponse || part !== 'items' || path.length > 4) return undefined;
  return item === undefined ? at('GET', 'POST') : at('GET', 'DELETE');
}

function reportRoute(word: string | undefined): Route | undefined {
  const what = OWN_QUESTIONS.find((question) => question === word);
  return what === undefined ? undefined : { method: 'GET', policy: 'key', action: { kind: 'own-report', what } };
}

/**
 * SDKs and hand-written clients disagree whether the base URL includes `/v1`: none, one and two of them mean the same.
 */
function messagesRoute(rest: readonly string[]): Route | undefined {
  const versions = rest[0] === 'v1' ? (rest[1] === 'v1' ? 2 : 1) : 0;
  const path = rest.slice(versions);
  const ofAgents = agentRoute(path);
  if (ofAgents !== undefined) return ofAgents;
  if (path[0] === 'models') return path.length === 1 ? LIST : one(path.slice(1));
  if (path[0] !== 'messages') return undefined;
  if (path.length === 1) return post({ kind: 'text-call', dialect: 'anthropic-messages' });
  if (path.length === 2 && path[1] === 'count_tokens')
    return post({ kind: 'count-tokens', dialect: 'anthropic-messages' });
  return undefined;
}

const AGENT_ROUTES: Readonly<Record<string, Route>> = {
  'managed/settings': { method: 'GET', policy: 'key', action: { kind: 'managed-settings' } },
  'api/oauth/usage': { method: 'GET', policy: 'key', action: { kind: 'spend-report' } },
  protocol: { method: 'GET', policy: 'public', action: { kind: 'gateway-protocol' } },
  ...Object.fromEntries(['metrics', 'logs', 'traces'].map((signal) => [signal, post({ kind: 'telemetry', signal })])),
};

/** Of Claude Code's gateway protocol; its base URL is a mount of the messages protocol, or the root. */
const agentRoute = (path: readonly string[]): Route | undefined => {
  const text = path.join('/');
  return Object.hasOwn(AGENT_ROUTES, text) ? AGENT_ROUTES[text] : undefined;
};

/** The version that all vendors' SDKs have in their paths, and those that only Google has. */
const SHARED_VERSION = 'v1';
const GENAI_ONLY_VERSIONS: ReadonlySet<string> = new Set(['v1beta', 'v1beta1']);
const GENAI_VERSIONS: ReadonlySet<string> = new Set([SHARED_VERSION, ...GENAI_ONLY_VERSIONS]);

/** Model, then its action: `{provider}/{model}:{action}`, under one of several prefixes SDKs use. */
function genaiRoute(rest: readonly string[]): Route | undefined {
  const [version, ...path] = rest;
  if (version === undefined || !GENAI_VERSIONS.has(version)) return undefined;
  const named = genaiModel(path);
  if (named === undefined) return undefined;
  const operation = operationRoute(named);
  if (operation !== undefined) return operation;
  const model = named.join('/');
  // The action follows the last colon, since model names contain colons too.
  const colon = model.lastIndexOf(':');
  return (
    (colon === -1 ? undefined : actionRoute(model.slice(0, colon), model.slice(colon + 1))) ?? listRoute(path, named)
  );
}

/** `publishers/{any}/models` lists everything: the SDK can only name one publisher, and means all models. */
const listRoute = (path: readonly string[], named: readonly string[]): Route | undefined => {
  if (named.length === 0) return LIST;
  return path[0] === 'models' || path.includes('publishers') ? { ...one(named), takesActions: true } : undefined;
};

/** The path without its prefix; empty for a list. */
function genaiModel(path: readonly string[]): readonly string[] | undefined {
  const inProject = path[0] === 'projects' && path[2] === 'locations';
  const place = inProject ? path.slice(4) : path;
  if (place[0] === 'models') return place.slice(1);
  if (place[0] !== 'publishers') return place.length === 2 && !inProject ? place : undefined;
  const [, publisher, models, ...model] = place;
  if (publisher === undefined || models !== 'models') return undefined;
  return model.length === 0 ? [] : [publisher, ...model];
}

function actionRoute(model: string, action: string): Route | undefined {
  const dialect = 'google-generate';
  switch (action) {
    case 'generateContent':
      return post({ kind: 'text-call', dialect, model, stream: false });
    case 'streamGenerateContent':
      return post({ kind: 'text-call', dialect, model, stream: true });
    case 'countTokens':
      return post({ kind: 'count-tokens', dialect, model });
    case 'embedContent':
    case 'batchEmbedContents':
      return post({ kind: 'embed-call', dialect: 'google-embed', model, form: action });
    case 'predict':
      // Images, or texts to embed: the body decides.
      return post({ kind: 'image-call', dialect: 'google-predict', model, form: action });
    case 'predictLongRunning':
      return post({ kind: 'video-call', model });
    case 'fetchPredictOperation':
      return post({ kind: 'video-poll', model });
    default:
      return undefined;
  }
}

/** `…/operations/{id}` after a model's name: the operation itself. */
function operationRoute(named: readonly string[]): Route | undefined {
  const id = named.at(-1);
  if (named.at(-2) !== 'operations' || named.length < 3 || id === undefined) return undefined;
  return { method: 'GET', policy: 'key', action: { kind: 'video-poll', model: named.slice(0, -2).join('/'), id } };
}
