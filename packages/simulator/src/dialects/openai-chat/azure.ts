// Azure's variants of the same APIs: two forms of path, its own header for the key, filter results beside the answer.
import type { IncomingHttpHeaders } from 'node:http';
import type { StreamFrame, VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import { bearerOf, decodeSegment } from '../judgement.ts';
import { badRequest, type ChatRefusal } from './refusal.ts';

export type AzureAddress = {
  readonly api: 'chat/completions' | 'responses';
  /** Named by the path in the older form of chat completions; else by the body. */
  readonly deployment?: string;
  readonly needsVersion: boolean;
};

const NEWER = /^\/openai\/v1\/(chat\/completions|responses)$/u;
const DEPLOYMENT = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/u;
const RESPONSES = '/openai/responses';
const VERSION = /^\d{4}-\d\d-\d\d(-preview)?$/u;

export function readAzure(path: string): AzureAddress | undefined {
  const newer = NEWER.exec(path);
  if (newer !== null) return { api: newer[1] === 'responses' ? 'responses' : 'chat/completions', needsVersion: false };
  const older = DEPLOYMENT.exec(path);
  if (older !== null) return { api: 'chat/completions', deployment: decodeSegment(older[1] ?? ''), needsVersion: true };
  return path === RESPONSES ? { api: 'responses', needsVersion: true } : undefined;
}

export function checkVersion({ needsVersion }: AzureAddress, { query }: VendorRequest): ChatRefusal | undefined {
  const version = new URLSearchParams(query).get('api-version');
  if (version === null ? !needsVersion : VERSION.test(version) || (!needsVersion && version === 'preview'))
    return undefined;
  return { ...badRequest('Resource not found', null, '404'), status: 404 };
}

/** As if the key had come as a bearer token, which that cloud accepts from its own directory only. */
export function withBearer(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const key = headerText(headers['api-key']) || bearerOf(headers.authorization);
  const { authorization: _, ...rest } = headers;
  return key === '' ? rest : { ...rest, authorization: `Bearer ${key}` };
}

const SAFE = { filtered: false, severity: 'safe' };
const FILTERS = { hate: SAFE, self_harm: SAFE, sexual: SAFE, violence: SAFE };

/** The chunk before the first, which has no choices. */
export const promptFilterFrame: StreamFrame = {
  kind: 'open',
  data: JSON.stringify({
    id: '',
    object: '',
    created: 0,
    model: '',
    choices: [],
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTERS }],
  }),
  tokens: 0,
};
