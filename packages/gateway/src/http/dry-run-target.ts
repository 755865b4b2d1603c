/** Which call a dry run is about: the one its header names by path, else a chat completion. */
import { GatewayError, type ProtocolName } from '@trivium/protocol/canonical';
import type { RawHeaders } from '../kernel/caller-port.ts';
import type { Destinations } from './destination.ts';
import { type CallAction, firstHeader } from './head.ts';
import type { ParsedTarget } from './path-policy.ts';
import type { RouteAction } from './route-table.ts';

const PATH_HEADER = 'x-trivium-path';

export const CHAT_CALL: CallAction = { kind: 'text-call', dialect: 'openai-chat' };

const isCall = (action: RouteAction): action is CallAction =>
  action.kind === 'text-call' ||
  action.kind === 'embed-call' ||
  action.kind === 'rerank-call' ||
  action.kind === 'moderation-call' ||
  action.kind === 'image-call';

export function dryRunOf(
  headers: RawHeaders,
  destinations: Destinations,
): { readonly action: CallAction; readonly target: ParsedTarget; readonly protocol: ProtocolName } {
  const path = firstHeader(headers, PATH_HEADER);
  if (path === undefined)
    return { action: CHAT_CALL, target: { path: '', segments: [], query: new Map() }, protocol: 'chat' };
  const { target, place, route } = destinations.find(path);
  const action = route?.action;
  if (target === undefined || place === undefined || action === undefined || !isCall(action))
    throw new GatewayError({
      kind: 'malformed',
      message: `'${PATH_HEADER}' must be the path of a call.`,
      field: PATH_HEADER,
    });
  return { action, target, protocol: place.protocol };
}
