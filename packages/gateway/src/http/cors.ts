/** CORS: browsers of configured origins may call; all others get no CORS headers, which is the default. */
import type { IncomingMessage } from 'node:http';

const ALLOWED_HEADERS =
  'authorization, content-type, x-api-key, x-goog-api-key, anthropic-version, anthropic-beta, x-trivium-strict, x-trivium-provider, x-trivium-fallback, x-trivium-strategy, x-trivium-factor, x-trivium-models';
const EXPOSED_HEADERS =
  'x-request-id, request-id, x-trivium-losses, x-trivium-provider, x-trivium-attempts, x-trivium-cost, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens, retry-after';

const originOf = (request: IncomingMessage, origins: readonly string[]): string | undefined => {
  const { origin } = request.headers;
  if (origins.length === 0 || origin === undefined) return undefined;
  return origins.includes('*') ? '*' : origins.find((allowed) => allowed === origin);
};

export function corsHeaders(request: IncomingMessage, origins: readonly string[]): [name: string, value: string][] {
  const origin = originOf(request, origins);
  if (origin === undefined) return [];
  return [
    ['access-control-allow-origin', origin],
    ['vary', 'origin'],
    ['access-control-expose-headers', EXPOSED_HEADERS],
    ...(request.method === 'OPTIONS'
      ? ([
          ['access-control-allow-methods', 'GET, POST'],
          ['access-control-allow-headers', ALLOWED_HEADERS],
          ['access-control-max-age', '600'],
        ] satisfies [string, string][])
      : []),
  ];
}

export const isPreflight = (request: IncomingMessage, origins: readonly string[]): boolean =>
  request.method === 'OPTIONS' &&
  originOf(request, origins) !== undefined &&
  request.headers['access-control-request-method'] !== undefined;
