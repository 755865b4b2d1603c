// The token endpoint of Google's cloud: a service account's signed assertion in, an access token out.
import type { Reply, SimulatedDialect, UnderstoodRequest } from './dialect.ts';
import { json, replyOnly } from './replies.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/iu;
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

const fault = (status: number, error: string, error_description: string): Reply =>
  json(status, { error, error_description }, HEADERS);
const refuse = (error: string, description: string, reason = description): UnderstoodRequest => ({
  kind: 'refused',
  reply: fault(400, error, description),
  reason,
  body: undefined,
});
const renderer = replyOnly(({ status }) => fault(status, 'internal_failure', 'Simulated failure.'));

export const googleToken: SimulatedDialect = {
  name: 'google-token',
  vendors: ['vertex'],
  paths: [/^\/token$/u],
  understand: ({ method, headers, body }, { serviceAccounts }): UnderstoodRequest => {
    if (method !== 'POST' || !FORM.test(headers['content-type'] ?? ''))
      return refuse('invalid_request', 'Bad Request', 'not a form');
    const form = new URLSearchParams(Buffer.from(body).toString('utf8'));
    if (form.get('grant_type') !== GRANT)
      return refuse('unsupported_grant_type', 'Invalid grant_type.', 'wrong grant type');
    const outcome = serviceAccounts.exchange(form.get('assertion') ?? '', Date.now());
    if ('error' in outcome) return refuse(outcome.error, outcome.description);
    const { accessToken, lifetimeS } = outcome;
    const token = { access_token: accessToken, expires_in: lifetimeS, token_type: 'Bearer' };
    return { kind: 'reply', reply: json(200, token, HEADERS), renderer };
  },
};
