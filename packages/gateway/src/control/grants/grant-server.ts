/** Sign-in from programs, at the listener for callers: which address does what, and how errors are answered. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DEFAULT_JSON_BOUNDS, parseUntrustedObject } from '@trivium/protocol/framing';
import { firstHeader, isJson, readHeaders } from '../../http/head.ts';
import { inviteBody } from '../../http/listener.ts';
import { isUnreachable, isUnstorable } from '../../store/postgres/unreachable.ts';
import { newId } from '../api/ids.ts';
import { AdminProblem } from '../api/problem.ts';
import {
  addressOf,
  authorize,
  authorizeKey,
  decide,
  denyDevice,
  finishAtIssuer,
  newSecret,
  newUserCode,
  type ProgramRequest,
  showConsent,
  showDevice,
  startFromDevice,
  startFromRedirect,
} from './browser.ts';
import { programIn } from './clients.ts';
import { keyAnswer } from './key-endpoint.ts';
import { messagePage } from './pages.ts';
import type { GrantPorts, ProgramSettings } from './ports.ts';
import { json, OAuthProblem, PageProblem, send, type WebReply } from './replies.ts';
import { insertSignIn, POLL_EVERY_S, SIGN_IN_S } from './sign-in-rows.ts';
import { DEVICE_GRANT, type OAuthForm, revokeToken, SCOPE, tokenAnswer } from './token-endpoint.ts';

type Endpoint = {
  /** Browsers get pages, programs JSON. */
  readonly kind: 'page' | 'api' | 'json-api';
  readonly GET?: (asked: ProgramRequest) => Promise<WebReply>;
  readonly POST?: (asked: ProgramRequest) => Promise<WebReply>;
};

const MAX_BODY_BYTES = 32_768;
const MAX_MEMBERS = 40;
/** Requests of this kind at once: renewing waits for the identity provider. */
const MOST_UNDER_WAY = 2000;

function metadata({ settings: { publicUrl } }: ProgramRequest): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    device_authorization_endpoint: `${publicUrl}/oauth/device_authorization`,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    grant_types_supported: [DEVICE_GRANT, 'authorization_code', 'refresh_token'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [SCOPE],
    gateway_protocol_version: 1,
  };
}

async function startDevice(asked: ProgramRequest): Promise<WebReply> {
  const { form, ports, settings } = asked;
  const program = programIn(form);
  if (program === undefined) throw new OAuthProblem(400, 'invalid_client', 'client_id is missing or not a name.');
  const [deviceCode, userCode] = [newSecret(), newUserCode()];
  const id = newId('grant');
  const isThere = await ports.store.within((db) =>
    insertSignIn(db, { ...program, id, door: 'device', address: addressOf(asked), deviceCode, userCode }),
  );
  if (!isThere) throw new OAuthProblem(429, 'slow_down', 'Too many sign-ins are on their way. Try again shortly.');
  return json(200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${settings.publicUrl}/device`,
    verification_uri_complete: `${settings.publicUrl}/device?user_code=${userCode}`,
    expires_in: SIGN_IN_S,
    interval: POLL_EVERY_S,
    ...(settings.notice !== undefined && { login_notice: settings.notice }),
  });
}

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/.well-known/oauth-authorization-server', { kind: 'api', GET: async (asked) => json(200, metadata(asked)) }],
  ['/oauth/device_authorization', { kind: 'api', POST: startDevice }],
  [
    '/oauth/token',
    {
      kind: 'api',
      POST: async ({ form, ports, settings }) =>
        json(200, await tokenAnswer(form, { ...ports, settings: () => settings })),
    },
  ],
  [
    '/oauth/revoke',
    {
      kind: 'api',
      POST: async ({ form, ports }) => {
        await revokeToken(form, ports);
        return json(200, {});
      },
    },
  ],
  ['/api/v1/auth/keys', { kind: 'json-api', POST: async ({ form, ports }) => json(200, await keyAnswer(form, ports)) }],
  ['/device', { kind: 'page', GET: showDevice, POST: startFromDevice }],
  ['/device/deny', { kind: 'page', POST: denyDevice }],
  ['/oauth/authorize', { kind: 'page', GET: authorize }],
  ['/auth', { kind: 'page', GET: authorizeKey }],
  ['/oauth/start', { kind: 'page', POST: startFromRedirect }],
  ['/oauth/callback', { kind: 'page', GET: finishAtIssuer }],
  ['/oauth/consent', { kind: 'page', GET: showConsent, POST: decide }],
]);

export class GrantServer {
  readonly #ports: GrantPorts;
  #underWay = 0;

  constructor(ports: GrantPorts) {
    this.#ports = ports;
  }

  /** False: it is none of its addresses, or it is off. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const endpoint = ENDPOINTS.get(path);
    const settings = endpoint && this.#ports.settings();
    if (endpoint === undefined || settings === undefined) return false;
    this.#underWay++;
    this.#answer(request, response, endpoint, settings)
      .catch((error: unknown) => this.#problem(endpoint, error))
      .then((reply) => this.#send(request, response, reply))
      .catch(() => response.destroy())
      .finally(() => this.#underWay--);
    return true;
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
    settings: ProgramSettings,
  ): Promise<WebReply> {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const work = method === 'GET' || method === 'POST' ? endpoint[method] : undefined;
    if (work === undefined) throw new OAuthProblem(405, 'invalid_request', 'This address takes another method.');
    if (this.#underWay > MOST_UNDER_WAY)
      throw new OAuthProblem(503, 'temporarily_unavailable', 'Too many sign-ins at once. Try again shortly.');
    const form = method === 'POST' ? await this.#bodyOf(request, response, endpoint) : onceEach(queryOf(request));
    return work({ request, form, settings, ports: this.#ports });
  }

  async #bodyOf(request: IncomingMessage, response: ServerResponse, { kind }: Endpoint): Promise<OAuthForm> {
    const headers = readHeaders(request.rawHeaders);
    const type = firstHeader(headers, 'content-type');
    const isExpected =
      kind === 'json-api' ? isJson(type) : /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type ?? '');
    if (!isExpected || headers.has('content-encoding'))
      throw new OAuthProblem(400, 'invalid_request', `The body must be ${kind === 'json-api' ? 'JSON' : 'a form'}.`);
    inviteBody(request, response);
    const text = await this.#ports.readText(request, MAX_BODY_BYTES);
    if (kind !== 'json-api') return onceEach(new URLSearchParams(text));
    const { value } = parseUntrustedObject(text, DEFAULT_JSON_BOUNDS);
    return new Map(Object.entries(value).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])));
  }

  #problem({ kind }: Endpoint, error: unknown): WebReply {
    const known = this.#known(error);
    if (kind !== 'page') {
      const { status, code, message } =
        known instanceof PageProblem ? new OAuthProblem(known.status, 'invalid_request', known.message) : known;
      const headers = status === 503 ? ['retry-after', '5'] : [];
      if (kind === 'api') return json(status, { error: code, error_description: message }, headers);
      return json(status, { error: { code: status, message } }, headers);
    }
    return messagePage(known.status, 'That did not work', known.message);
  }

  #known(error: unknown): OAuthProblem | PageProblem {
    if (error instanceof OAuthProblem || error instanceof PageProblem) return error;
    if (error instanceof AdminProblem) return new PageProblem(error.status, error.message);
    if (isUnreachable(error)) return new OAuthProblem(503, 'temporarily_unavailable', 'The database does not answer.');
    if (isUnstorable(error) || (error instanceof Error && error.name === 'JsonShapeError'))
      return new OAuthProblem(400, 'invalid_request', 'The request cannot be read.');
    this.#ports.log.error('sign-in from a program failed', { error });
    return new OAuthProblem(500, 'server_error', 'The gateway failed to handle this request.');
  }

  #send(request: IncomingMessage, response: ServerResponse, reply: WebReply): void {
    if (response.headersSent || response.destroyed) return;
    if (request.method !== 'POST' || request.complete) {
      send(request, response, reply);
      return;
    }
    // A sender that is still sending must be able to read this.
    const headers = [...reply.headers, 'content-length', String(Buffer.byteLength(reply.text))];
    this.#ports.refuse(request, response, { ...reply, headers });
  }
}

const queryOf = ({ url = '' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');

/** RFC 6749: no parameter may come twice. Otherwise two readers could read two requests. */
function onceEach(given: URLSearchParams): OAuthForm {
  const form = new Map<string, string>();
  for (const [name, value] of given) {
    if (form.has(name)) throw new OAuthProblem(400, 'invalid_request', 'A parameter comes twice.');
    if (form.size === MAX_MEMBERS) throw new OAuthProblem(400, 'invalid_request', 'There are too many parameters.');
    form.set(name, value);
  }
  return form;
}
