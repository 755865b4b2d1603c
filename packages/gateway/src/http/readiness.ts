/** Probes of a listener, and the response of `/readyz` on both. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '@trivium/protocol/canonical';

export const readiness = (unreadyBecause: string | undefined): { readonly status: number; readonly text: string } =>
  unreadyBecause === undefined
    ? { status: 200, text: 'ready\n' }
    : { status: 503, text: `not ready: ${unreadyBecause}\n` };

export const PROBES: ReadonlySet<string> = new Set(['/', '/livez', '/readyz']);

/** Load balancers probe the port they send traffic to. */
export function answerProbe(
  { method }: IncomingMessage,
  response: ServerResponse,
  path: string,
  unready: () => string | undefined,
  headers: readonly string[],
): void {
  if (method !== 'GET' && method !== 'HEAD')
    throw new GatewayError({
      kind: 'method-not-allowed',
      message: 'Method not allowed. Use GET or HEAD.',
      allow: ['GET', 'HEAD'],
    });
  const { status, text } = path === '/readyz' ? readiness(unready()) : { status: 200, text: 'ok\n' };
  const length = ['content-length', String(text.length)];
  response.writeHead(status, ['content-type', 'text/plain; charset=utf-8', ...length, ...headers]).end(text);
}
