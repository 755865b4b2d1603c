/** CORS: browsers of configured origins may call; all others get no CORS headers, which is the default. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** For a preflight that names no headers. Otherwise those it names: SDKs add their own, and unknown ones are not read. */
const USUAL_HEADERS = 'authorization, content-type';
const REQUESTED = 'access-control-request-headers';
const rateHeaders = (prefix: string, measures: readonly string[]): string[] =>
  measures.map((measure) => `${prefix}-ratelimit-${measure}`);
const EXPOSED_HEADERS = [
  ...['x-request-id', 'request-id', 'retry-after', 'x-should-retry'],
  ...['x-trivium-provider', 'x-trivium-attempts', 'x-trivium-cost', 'x-trivium-losses'],
  ...['x-trivium-replayed', 'x-trivium-counted-by', 'x-trivium-compacted-by'],
  ...rateHeaders('x', ['limit-requests', 'remaining-requests', 'reset-requests']),
  ...rateHeaders('x', ['limit-tokens', 'remaining-tokens', 'reset-tokens']),
  ...rateHeaders('anthropic', ['requests-limit', 'requests-remaining', 'requests-reset']),
  ...rateHeaders('anthropic', ['tokens-limit', 'tokens-remaining', 'tokens-reset']),
].join(', ');

const originOf = (request: IncomingMessage, origins: readonly string[]): string | undefined => {
  const { origin } = request.headers;
  if (origins.length === 0 || origin === undefined) return undefined;
  return origins.includes('*') ? '*' : origins.find((allowed) => allowed === origin);
};

export function corsHeaders(request: IncomingMessage, origins: readonly string[]): [name: string, value: string][] {
  const origin = originOf(request, origins);
  if (origin === undefined) return [];
  const isOptions = request.method === 'OPTIONS';
  return [
    ['access-control-allow-origin', origin],
    ['vary', isOptions ? `origin, ${REQUESTED}` : 'origin'],
    ['access-control-expose-headers', EXPOSED_HEADERS],
    ...(isOptions
      ? ([
          ['access-control-allow-methods', 'GET, POST'],
          ['access-control-allow-headers', request.headers[REQUESTED] ?? USUAL_HEADERS],
          ['access-control-max-age', '600'],
        ] satisfies [string, string][])
      : []),
  ];
}

export const isPreflight = (request: IncomingMessage, origins: readonly string[]): boolean =>
  request.method === 'OPTIONS' &&
  originOf(request, origins) !== undefined &&
  request.headers['access-control-request-method'] !== undefined;

/** Adds the headers to whatever answer follows; true: it was a preflight, and is answered. */
export function answersCors(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): boolean {
  for (const [name, value] of corsHeaders(request, origins)) response.setHeader(name, value);
  if (!isPreflight(request, origins)) return false;
  response.writeHead(204).end();
  return true;
}
