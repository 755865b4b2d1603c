// The token endpoint of Google's cloud: a service account's signed assertion in, an access token out.
import type { Renderer, Reply, SimulatedDialect, UnderstoodRequest, VendorRequest } from './dialect.ts';

const TOKEN = '/token';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/iu;

const replyOf = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

const fault = (status: number, error: string, description: string): Reply =>
  replyOf(status, { error, error_description: description });

const renderer: Renderer = {
  plain: () => replyOf(200, {}),
  streamHeaders: {},
  frames: () => [],
  errorReply: ({ status }) => fault(status, 'internal_failure', 'Simulated failure.'),
  errorFrame: () => ({ kind: 'error', data: '{}', tokens: 0 }),
};

export const googleToken: SimulatedDialect = {
  name: 'google-token',
  vendors: ['vertex'],
  serves: (path) => path === TOKEN,
  understand: (request, { serviceAccounts }): UnderstoodRequest => {
    const refuse = (reply: Reply, reason: string): UnderstoodRequest => ({
      kind: 'refused',
      reply,
      reason,
      body: undefined,
    });
    const form = readForm(request);
    if (form === undefined) return refuse(fault(400, 'invalid_request', 'Bad Request'), 'not a form');
    if (form.get('grant_type') !== GRANT)
      return refuse(fault(400, 'unsupported_grant_type', 'Invalid grant_type.'), 'wrong grant type');
    const outcome = serviceAccounts.exchange(form.get('assertion') ?? '', Date.now());
    if ('error' in outcome) return refuse(fault(400, outcome.error, outcome.description), outcome.description);
    const { accessToken, lifetimeS } = outcome;
    const body = { access_token: accessToken, expires_in: lifetimeS, token_type: 'Bearer' };
    return { kind: 'reply', reply: replyOf(200, body), renderer };
  },
};

function readForm({ method, headers, body }: VendorRequest): URLSearchParams | undefined {
  if (method !== 'POST' || !FORM.test(headers['content-type'] ?? '')) return undefined;
  return new URLSearchParams(Buffer.from(body).toString('utf8'));
}
