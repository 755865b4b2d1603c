// Where each vendor serves messages: at a path of their own, or below the name of the model, including streaming.
import { decodeSegment } from '../judgement.ts';
import type { MessagesProfile } from './profiles.ts';

export type MessagesAddress =
  | { readonly kind: 'message' | 'count' }
  /** The path names the model and whether the answer is streamed. */
  | { readonly kind: 'model-call'; readonly model: string; readonly streamed: boolean }
  | { readonly kind: 'models'; readonly model: string }
  | { readonly kind: 'nowhere' };

const MODELS = '/v1/models';
const VERTEX =
  /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/([^/]+):(rawPredict|streamRawPredict)$/u;
const BEDROCK = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/u;
const STREAMED = ['streamRawPredict', 'invoke-with-response-stream'];

export function readAddress(manner: MessagesProfile['manner'], path: string): MessagesAddress {
  if (manner !== 'direct') {
    const match = (manner === 'vertex' ? VERTEX : BEDROCK).exec(path);
    if (match === null) return { kind: 'nowhere' };
    return { kind: 'model-call', model: decodeSegment(match[1] ?? ''), streamed: STREAMED.includes(match[2] ?? '') };
  }
  if (path === '/v1/messages') return { kind: 'message' };
  if (path === '/v1/messages/count_tokens') return { kind: 'count' };
  if (path !== MODELS && !path.startsWith(`${MODELS}/`)) return { kind: 'nowhere' };
  return { kind: 'models', model: decodeSegment(path.slice(MODELS.length + 1)) };
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `claude-sonnet-4-5@20250929` are names of one model. */
export function plainModel(model: string): string {
  return model
    .replace(/^(?:[a-z]+\.)?anthropic\./u, '')
    .replace(/-v\d+(?::\d+)?$/u, '')
    .replace(/@default$/u, '')
    .replace('@', '-');
}
