/** Turns a captured request into a new call: without what must not be sent twice, with the changes of the replay. */
import { isJsonObject, type Json, type JsonObject } from '@trivium/protocol/canonical';
import type { StoredWire } from './stored-wire.ts';
import { unsealed } from './unsealed.ts';

export type ReplayChange = {
  readonly model?: string;
  readonly provider?: string;
  readonly strict?: boolean;
};

export type ReplayCall = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly sealsRemoved: number;
  readonly secretsRemoved: number;
};

/** Why a captured request cannot be sent again. */
export type Unreplayable = 'truncated' | 'no-json';

/**
 * Headers that change what a call means. Credentials, idempotency keys and trace headers belong to the original
 * request.
 */
const KEPT_HEADERS: ReadonlySet<string> = new Set(['anthropic-beta', 'anthropic-version', 'openai-beta']);
const OURS = /^x-trivium-[a-z-]+$/;
const PROVIDER = 'x-trivium-provider';
const STRICT = 'x-trivium-strict';
/** Members and headers that would choose another model or provider than the replay requests. */
const MODEL_CHOICES = ['models', 'x-trivium-models', 'x-trivium-fallback', 'x-trivium-preference'] as const;
const PROVIDER_CHOICES = ['provider', PROVIDER, 'x-trivium-ignore'] as const;
/** For paths that name the model. */
const MODEL_IN_PATH = /(?:\/publishers\/[^/]+)?\/models\/[^:?]+(:[A-Za-z]+)/;

export function replayCall(
  { path, callerRequest }: Pick<StoredWire, 'path' | 'callerRequest'>,
  { model, provider, strict }: ReplayChange,
): ReplayCall | Unreplayable {
  if (callerRequest.truncated) return 'truncated';
  const parsed = jsonIn(callerRequest.body);
  if (parsed === undefined) return 'no-json';
  const { body, removed } = unsealed(parsed);
  const headers = headersOf(callerRequest.headers);
  const words: Record<string, Json> = { ...body };
  const drop = (names: readonly string[]): void => {
    for (const name of names) {
      delete words[name];
      delete headers[name];
    }
  };
  if (model !== undefined) drop(MODEL_CHOICES);
  if (provider !== undefined) drop(PROVIDER_CHOICES);
  if (model !== undefined && 'model' in words) words['model'] = model;
  if (provider !== undefined) headers[PROVIDER] = provider;
  if (strict !== undefined) headers[STRICT] = String(strict);
  return {
    path: model === undefined ? path : path.replace(MODEL_IN_PATH, (_, action: string) => pathOf(model) + action),
    headers,
    body: JSON.stringify(words),
    sealsRemoved: removed,
    secretsRemoved: callerRequest.secrets,
  };
}

/** The path of a model below a prefix of the generate-content protocol. */
export function pathOf(model: string): string {
  const slash = model.indexOf('/');
  if (slash === -1) return `/models/${encodeURIComponent(model)}`;
  return `/publishers/${encodeURIComponent(model.slice(0, slash))}/models/${encodeURIComponent(model.slice(slash + 1))}`;
}

function jsonIn(text: string): JsonObject | undefined {
  try {
    const parsed: Json = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const headersOf = (captured: StoredWire['callerRequest']['headers']): Record<string, string> =>
  Object.fromEntries(
    captured.flatMap(({ name, value, redacted }) =>
      redacted !== true && (KEPT_HEADERS.has(name) || OURS.test(name)) ? [[name, value]] : [],
    ),
  );
