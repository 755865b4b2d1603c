/** What is asked of every call before it reaches the engine: the type of its body, and no key in its address. */
import { type Fault, GatewayError, type ProtocolName } from '@trivium/protocol/canonical';
import { protocolAdapters } from '@trivium/protocol/dialects';
import type { RawHeaders } from '../kernel/caller-port.ts';
import { boundaryOf } from './form-parts.ts';
import { firstHeader, isJson } from './headers.ts';
import type { ParsedTarget } from './path-policy.ts';
import { isForm } from './read-form.ts';
import type { HeadAction } from './request-head.ts';

export function checkContentType(headers: RawHeaders, action: HeadAction, protocol: ProtocolName): void {
  const contentType = firstHeader(headers, 'content-type');
  if (isEdit(action)) {
    if (isForm(contentType)) {
      if (boundaryOf(contentType ?? '') !== undefined) return;
      throw new GatewayError({
        kind: 'malformed',
        message: 'The form has no boundary, or one of more than 200 characters.',
        field: 'content-type',
      });
    }
    throw new GatewayError({ kind: 'wrong-media-type', message: 'The request body must be multipart/form-data.' });
  }
  if (contentType === undefined ? protocolAdapters[protocol].needsContentType : !isJson(contentType))
    throw new GatewayError({ kind: 'wrong-media-type', message: 'The request body must be application/json.' });
}

export const isEdit = ({ form }: HeadAction): boolean => form === 'edits';

export const keyInQuery = ({ query }: ParsedTarget): boolean => query.has('key') || query.has('api_key');

export const FORGED_LINK: Fault = { kind: 'forbidden', message: 'This link was not made here.', code: 'link_invalid' };
export const DEAD_LINK: Fault = {
  kind: 'unknown-route',
  message: 'This link has expired, or what it led to is no longer kept.',
  code: 'link_expired',
};
