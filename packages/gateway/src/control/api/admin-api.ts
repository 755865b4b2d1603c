/**
 * The admin API on Fastify: one credential check before anything is read, one error format, every route from the
 * tables.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type JsonBounds, JsonShapeError, parseUntrustedObject } from '@trivium/protocol/framing';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { shapeFault } from '../../calls/entry/understand.ts';
import { inviteBody } from '../../http/listener.ts';
import { callerAddress } from '../../http/peer.ts';
import { isUnreachable, isUnstorable } from '../../store/postgres/unreachable.ts';
import type { Log } from '../../telemetry/log.ts';
import { type Permission, requirePermission } from './actor.ts';
import { checker } from './checking.ts';
import { deprecatedIn } from './deprecated.ts';
import { type AdminIdentity, identify } from './identify.ts';
import { type Audience, type ListenerFacts, listenerFacts } from './listener-facts.ts';
import { ADMIN_MOUNT, openApiDocument } from './openapi.ts';
import { AdminProblem, notFound } from './problem.ts';
import type { AdminRoute, DatabasePorts, RouteShape, StreamedAnswer } from './route.ts';
import type { SessionPorts, SessionRoute } from './session-route.ts';

type Refusal = { readonly status: number; readonly headers: readonly string[]; readonly text: string };

/** What the listener offers. */
export type Slices<Ports> = {
  readonly sessionRoutes: readonly SessionRoute[];
  readonly routes: readonly AdminRoute<Ports>[];
  /** Endpoints that are not for people; with a database only. */
  readonly addOthers: (app: FastifyInstance, ports: Ports, originOf: (request: IncomingMessage) => string) => void;
};

export type AdminApiPorts<Ports extends DatabasePorts> = SessionPorts & {
  /** Without a database: what sessions and routes that need none use. */
  readonly stored: Ports | Partial<Ports>;
  /** The public URL of a listener, if configured. */
  readonly publicUrl: (audience: Audience) => string | undefined;
  /** Limits of JSON bodies; the same as for callers. */
  readonly jsonBounds: () => JsonBounds;
  /** Text of a body, bounded as those of callers. Rejects with an `AdminProblem`. */
  readonly readText: (request: IncomingMessage, maxBytes: number) => Promise<string>;
  /** A request has shown a valid credential. */
  readonly identified: (request: IncomingMessage) => void;
  /** Answers a request whose body has not arrived, and closes its connection. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse, reply: Refusal) => void;
  readonly log: Log;
};

export type AdminApi = (request: IncomingMessage, response: ServerResponse, audience: Audience) => void;

/** Bodies here consist of a few names and lists. */
const MAX_BODY_BYTES = 262_144;
const MAX_PARAMETER_LENGTH = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

function problemOf(error: unknown, log: Log): AdminProblem {
  if (error instanceof AdminProblem) return error;
  if (error instanceof JsonShapeError) return new AdminProblem('invalid', shapeFault(error).message);
  if (isUnreachable(error)) return new AdminProblem('unavailable', 'The database does not answer. Try again shortly.');
  if (isUnstorable(error)) return new AdminProblem('invalid', 'A text holds characters that cannot be stored.');
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  // Fastify's own errors: a body that is not JSON, too long, or of another type.
  if (status >= 400 && status < 500) return new AdminProblem('invalid', 'The body must be JSON, and not this long.');
  log.error('admin API request failed', { error });
  return new AdminProblem('internal', 'The gateway failed to handle this request.');
}

type Parameters = Readonly<Partial<Record<'account' | 'id' | 'owner' | 'name', string>>>;
type Routed = FastifyRequest<{ Params: Parameters }>;

const noEndpoint = ({ method, url }: FastifyRequest): AdminProblem =>
  notFound('Endpoint', `${method} ${url.split('?')[0]}`);

const hasDatabase = <Ports extends DatabasePorts>(ports: object): ports is Ports => 'store' in ports;

const stream = (reply: FastifyReply, media: string, { chunks, status, headers = {} }: StreamedAnswer): FastifyReply =>
  reply
    .code(status ?? reply.statusCode)
    .type(media)
    .headers(headers)
    .send(Readable.from(chunks, { objectMode: false }));

class Api<Ports extends DatabasePorts> {
  readonly #ports: AdminApiPorts<Ports>;
  readonly #app: FastifyInstance;
  readonly #audiences = new WeakMap<IncomingMessage, Audience>();

  constructor(ports: AdminApiPorts<Ports>, app: FastifyInstance) {
    this.#ports = ports;
    this.#app = app;
  }

  listenerOf(request: IncomingMessage): ListenerFacts {
    const audience = this.#audiences.get(request) ?? 'operators';
    return listenerFacts(request, audience, this.#ports.publicUrl(audience), this.#ports.isTrustedProxy);
  }

  serve(request: IncomingMessage, response: ServerResponse, audience: Audience): void {
    this.#audiences.set(request, audience);
    this.#app.routing(request, response);
  }

  addRoute(route: AdminRoute<Ports>): void {
    this.#add(route, async (identity, { raw, params }, body, query, reply) => {
      const { stored, publicUrl } = this.#ports;
      if (identity === undefined) throw new Error('not authenticated');
      if (!hasDatabase(stored) && route.inMemory !== true)
        throw new AdminProblem('unavailable', 'This needs a database, and the configuration names none.');
      const { account = '', owner, name } = params;
      const id = owner === undefined ? (params.id ?? '') : `${owner}/${name}`;
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const consoleOrigin = publicUrl('members') ?? this.listenerOf(raw).origin;
      // A route runs without a database only if it says so, so its ports are there.
      const given = stored as Ports;
      const answer = await route.run({
        ...given,
        actor: identity.actor,
        accountId: account,
        id,
        body,
        query,
        consoleOrigin,
        address: callerAddress(raw, this.#ports.isTrustedProxy),
        gone: gone.signal,
        requireStillPermitted: async () => void (await this.#permitted(raw, route.permission, params.account)),
      });
      return route.media === undefined ? answer : stream(reply, route.media, answer as StreamedAnswer);
    });
  }

  addSessionRoute(route: SessionRoute): void {
    this.#add(route, (identity, { raw, params }, body, query, reply) =>
      route.run({
        ...this.#ports,
        request: raw,
        listener: this.listenerOf(raw),
        identity,
        reply: {
          setCookie: (line) => void reply.header('set-cookie', line),
          redirect: (location) => {
            reply.header('location', location);
            return '';
          },
        },
        id: params.id ?? '',
        body,
        query,
      }),
    );
  }

  async #permitted(raw: IncomingMessage, permission: Permission, account: string | undefined): Promise<AdminIdentity> {
    const identity = await identify(raw, this.listenerOf(raw), this.#ports);
    this.#ports.identified(raw);
    requirePermission(identity.actor, permission, account);
    return identity;
  }

  /** Authentication and permission are checked before any of the body is read. */
  #add(
    route: RouteShape,
    run: (
      identity: AdminIdentity | undefined,
      request: Routed,
      body: unknown,
      query: unknown,
      reply: FastifyReply,
    ) => Promise<unknown>,
  ): void {
    const { permission, method, path } = route;
    const [checkBody, checkQuery] = [route.body, route.query].map((schema) =>
      schema === undefined ? undefined : checker(schema),
    );
    const identities = new WeakMap<FastifyRequest, AdminIdentity>();
    const deprecated = deprecatedIn(route).join(', ');
    this.#app.route<{ Params: Parameters }>({
      method,
      ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
      url: `${ADMIN_MOUNT}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      onRequest: async (request) => {
        const listener = this.listenerOf(request.raw);
        if (permission === 'operator' && listener.audience === 'members') throw noEndpoint(request);
        if (permission !== 'public') {
          identities.set(request, await this.#permitted(request.raw, permission, request.params.account));
        }
        // No id contains them, and the database could not even be queried with them.
        if (Object.values(request.params).some((id) => CONTROL_CHARACTER.test(id))) throw notFound('Path');
      },
      handler: async (request, reply) => {
        const body = checkBody?.(request.body) ?? {};
        const query = checkQuery?.(request.query) ?? {};
        reply.code(route.status ?? 200);
        if (deprecated !== '') reply.header('x-trivium-deprecated', deprecated);
        return run(identities.get(request), request, body, query, reply as FastifyReply);
      },
    });
  }
}

export async function serveSlices<Ports extends DatabasePorts>(
  ports: AdminApiPorts<Ports>,
  { sessionRoutes, routes, addOthers }: Slices<Ports>,
): Promise<AdminApi> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // The HTTP server is not Fastify's: it starts and ends with the gateway's own.
    forceCloseConnections: false,
  });
  const api = new Api(ports, app);
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  const answer = (request: FastifyRequest, reply: FastifyReply, problem: AdminProblem): FastifyReply => {
    if (request.raw.complete) return reply.code(problem.status).type(problem.media).send(problem.body);
    // A sender that is still sending must be able to read this.
    const text = JSON.stringify(problem.body);
    const headers = Object.entries({
      ...reply.getHeaders(),
      'content-type': problem.media,
      'content-length': Buffer.byteLength(text),
    }).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, String(one)]));
    reply.hijack();
    ports.refuse(request.raw, reply.raw, { status: problem.status, headers, text });
    return reply;
  };
  app.addHook('preParsing', async (request, reply) => inviteBody(request.raw, reply.raw));
  app.setErrorHandler((error, request, reply) => answer(request, reply, problemOf(error, ports.log)));
  app.setNotFoundHandler((request, reply) => answer(request, reply, noEndpoint(request)));
  const readText = ({ raw, routeOptions }: FastifyRequest): Promise<string> =>
    ports.readText(raw, routeOptions.bodyLimit);
  // Limited before it is parsed, and refused if it could pollute a prototype.
  app.addContentTypeParser(
    'application/json',
    async (request: FastifyRequest) => parseUntrustedObject(await readText(request), ports.jsonBounds()).value,
  );
  const shapes = [...sessionRoutes, ...routes];
  const documents = { operators: openApiDocument(shapes), members: openApiDocument(shapes, 'members') };
  app.get(`${ADMIN_MOUNT}/openapi.json`, async ({ raw }) => documents[api.listenerOf(raw).audience]);
  for (const route of sessionRoutes) api.addSessionRoute(route);
  for (const route of routes) api.addRoute(route);
  if (hasDatabase<Ports>(ports.stored)) addOthers(app, ports.stored, (request) => api.listenerOf(request).origin);
  await app.ready();
  return (request, response, audience) => api.serve(request, response, audience);
}
