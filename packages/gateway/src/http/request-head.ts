/** What a dialect may know of a request beside its body: what the path says, and which client is speaking. */
import type { RequestHead } from '@trivium/protocol/dialects';
import type { RawHeaders } from '../kernel/caller-port.ts';
import { firstHeader } from './headers.ts';
import type { ParsedTarget } from './path-policy.ts';
import type { RouteAction } from './route-table.ts';

export type CallAction = Extract<
  RouteAction,
  { readonly kind: 'text-call' | 'embed-call' | 'image-call' | 'count-tokens' }
>;

/** Bare (`STOP`), prefixed (`FINISH_REASON_STOP`), or by the caller: its own SDKs only know the bare words. */
export type FinishReasonSpelling = 'auto' | 'bare' | 'prefixed';

const KNOWS_BARE_WORDS = /google-genai|ai-sdk/;

/** What a path may say of a call, whichever it is. */
export type HeadAction = {
  readonly kind?: RouteAction['kind'];
  readonly dialect?: string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly form?: string;
};

export function requestHead(
  action: HeadAction,
  { query }: ParsedTarget,
  headers: RawHeaders,
  spelling: FinishReasonSpelling,
): RequestHead {
  // A header that was sent several times is one list.
  const header = (name: string): string | undefined => {
    const value = headers.get(name);
    return value === undefined || typeof value === 'string' ? value : value.join(',');
  };
  if (action.model === undefined) return { header, ...(action.form !== undefined && { form: action.form }) };
  const speaksBare = (name: string): boolean => KNOWS_BARE_WORDS.test(firstHeader(headers, name) ?? '');
  return {
    header,
    model: action.model,
    stream: action.stream === true,
    ...(action.form !== undefined && { form: action.form }),
    bareEnums: spelling === 'auto' ? speaksBare('x-goog-api-client') || speaksBare('user-agent') : spelling === 'bare',
    asArray: action.stream === true && query.get('alt') === 'json',
  };
}
