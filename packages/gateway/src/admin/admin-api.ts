/** The admin API on Fastify: one credential check before anything is read, one error form, every route from the table. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonBounds, JsonShapeError, parseUntrustedObject } from '@trivium/protocol/framing';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { extractCredential } from '../accounts/credentials.ts';
import { hashSecret } from '../accounts/key-secret.ts';
import type { KnownKeys } from '../accounts/known-keys.ts';
import { readHeaders } from '../http/head.ts';
import { inviteBody } from '../http/listener.ts';
import { callerAddress, type IsTrustedProxy } from '../http/peer.ts';
import { shapeFault } from '../request/entry/understand.ts';
import { isUnreachable, isUnstorable } from '../store/postgres/unreachable.ts';
import type { Log } from '../telemetry/log.ts';
import { type Actor, requirePermission } from './actor.ts';
import { checker } from './checking.ts';
import { openApiDocument } from './openapi.ts';
import { addPaymentEvents } from './payment-events.ts';
import { AdminProblem, notFound } from './problem.ts';
import type { AdminPorts, AdminRoute } from './route.ts';
import { ADMIN_MOUNT, ADMIN_ROUTES } from './routes.ts';

export type AdminApiPorts = AdminPorts & {
  readonly keys: KnownKeys;
  /** By the hash of what was presented. */
  readonly isOperator: (secretHash: string) => Promise<boolean>;
  readonly isTrustedProxy: IsTrustedProxy;
  /** What a body may hold; the same as for callers. */
  readonly jsonBounds: () => JsonBounds;
  readonly log: Log;
  readonly nowMs: () => number;
};

export type AdminApi = (request: IncomingMessage, response: ServerResponse) => void;

/** Every body here is a few names and lists. */
const MAX_BODY_BYTES = 262_144;
const MAX_PARAMETER_LENGTH = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

async function authenticate(
  request: FastifyRequest,
  { keys, isOperator, isTrustedProxy }: AdminApiPorts,
): Promise<Actor> {
  const refused = new AdminProblem('unauthenticated', 'The credential is missing or not valid.');
  const credential = extractCredential(readHeaders(request.raw.rawHeaders));
  if (credential.kind !== 'one') throw refused;
  if (await isOperator(hashSecret(credential.secret))) return { kind: 'operator' };
  const known = await keys.known(credential.secret);
  if (known?.caller.bounds?.mayCallFrom?.(callerAddress(request.raw, isTrustedProxy)) === false) throw refused;
  if (known === undefined) throw refused;
  const { record } = known;
  if (record.isSuspended) throw new AdminProblem('forbidden', 'This account is suspended.');
  if (record.role === undefined) throw new AdminProblem('forbidden', 'This key may not use the admin API.');
  return { kind: 'manager', key: record, role: record.role };
}

function problemOf(error: unknown, log: Log): AdminProblem {
  if (error instanceof AdminProblem) return error;
  if (error instanceof JsonShapeError) return new AdminProblem('invalid', shapeFault(error).message);
  if (isUnreachable(error)) return new AdminProblem('unavailable', 'The database does not answer. Try again shortly.');
  if (isUnstorable(error)) return new AdminProblem('invalid', 'A text holds characters that cannot be stored.');
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  // Fastify's own: a body that is no JSON, too long, or of another type.
  if (status >= 400 && status < 500) return new AdminProblem('invalid', 'The body must be JSON, and not this long.');
  log.error('admin API request failed', { error });
  return new AdminProblem('internal', 'The gateway failed to handle this request.');
}

type Parameters = { readonly account?: string; readonly id?: string };

function addRoute(app: FastifyInstance, route: AdminRoute, ports: AdminApiPorts): void {
  const [checkBody, checkQuery] = [route.body, route.query].map((schema) =>
    schema === undefined ? undefined : checker(schema),
  );
  const actors = new WeakMap<FastifyRequest, Actor>();
  app.route<{ Params: Parameters }>({
    method: route.method,
    url: `${ADMIN_MOUNT}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    onRequest: async (request) => {
      const actor = await authenticate(request, ports);
      requirePermission(actor, route.permission, request.params.account);
      // No id holds them, and the database could not even be asked.
      if (Object.values(request.params).some((id) => CONTROL_CHARACTER.test(id))) throw notFound('Path');
      actors.set(request, actor);
    },
    handler: async (request, reply) => {
      const actor = actors.get(request);
      if (actor === undefined) throw new Error('not authenticated');
      const { account = '', id = '' } = request.params;
      const body = checkBody?.(request.body) ?? {};
      const query = checkQuery?.(request.query) ?? {};
      reply.code(route.status ?? 200);
      return route.run({ ...ports, actor, accountId: account, id, body, query });
    },
  });
}

export async function createAdminApi(ports: AdminApiPorts): Promise<AdminApi> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // The listener is not Fastify's: it lives and ends with the gateway's own.
    forceCloseConnections: false,
  });
  app.removeContentTypeParser('application/json');
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  app.addHook('preParsing', async (request, reply) => inviteBody(request.raw, reply.raw));
  app.setErrorHandler((error, _request, reply) => {
    const problem = problemOf(error, ports.log);
    return reply.code(problem.status).send(problem.body);
  });
  app.setNotFoundHandler(({ method, url }, reply) => {
    const problem = notFound('Endpoint', `${method} ${url.split('?')[0]}`);
    return reply.code(problem.status).send(problem.body);
  });
  // Counted before it is parsed, and refused for what could reach a prototype.
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string) => parseUntrustedObject(text, ports.jsonBounds()).value,
  );
  const document = openApiDocument();
  app.get(`${ADMIN_MOUNT}/openapi.json`, async () => document);
  for (const route of ADMIN_ROUTES) addRoute(app, route, ports);
  addPaymentEvents(app, ports);
  await app.ready();
  return (request, response) => app.routing(request, response);
}
