/** One request: its head is parsed once, its route found, and every error is sent in the format of its protocol. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fault, faultOf, GatewayError, type ProtocolName } from '@trivium/protocol/canonical';
import { protocolAdapters, requireCallerDialect } from '@trivium/protocol/dialects';
import { compact } from '../calls/endpoints/compact.ts';
import { countTokens } from '../calls/endpoints/count-tokens.ts';
import { dryRun } from '../calls/endpoints/dry-run.ts';
import { explainRequest } from '../calls/endpoints/explain.ts';
import { modelsAnswer, type Reader, whoReads } from '../calls/endpoints/models.ts';
import { ownReport } from '../calls/endpoints/own-report.ts';
import { storedCall } from '../calls/endpoints/stored.ts';
import type { Engine } from '../calls/engine.ts';
import { idHeaders } from '../calls/exchange/caller-reply.ts';
import { handle } from '../calls/pipeline.ts';
import type { Received, ReceivedHead } from '../calls/request.ts';
import type { BodyRoom } from '../kernel/admission.ts';
import type { RawHeaders } from '../kernel/caller-port.ts';
import { recordedProtocol } from '../kernel/recorded-protocol.ts';
import type { OwnQuestion } from '../kernel/reports.ts';
import { serveAgent } from './agent-endpoints.ts';
import { type Arrival, JsonBody, readBody } from './body.ts';
import { CostlyBody } from './body-meter.ts';
import { answersCors } from './cors.ts';
import type { DataPlanePorts } from './destination.ts';
import { CHAT_CALL, dryRunOf } from './dry-run-target.ts';
import { HttpReply } from './exchange.ts';
import { faultHeaders } from './fault-headers.ts';
import {
  type CallAction,
  checkContentType,
  firstHeader,
  framingFault,
  type HeadAction,
  headFault,
  keyInQuery,
  openProtocol,
  readHeaders,
  requestHead,
  requireMethod,
  WITH_FILES,
} from './head.ts';
import { inviteBody } from './listener.ts';
import { unknownPath } from './nearest-path.ts';
import { passedThrough, servePassThrough } from './pass-through.ts';
import { bentPath, type ParsedTarget } from './path-policy.ts';
import { callerAddress } from './peer.ts';
import { formReader } from './read-form.ts';
import { answerProbe, PROBES } from './readiness.ts';
import { refuse } from './refuse.ts';
import { refusedRequest, type ServedCall } from './refused-request.ts';
import { FALLBACK_PROTOCOL, type MountedPath, protocolOfText, type Route } from './route-table.ts';
import { followLink } from './serve-blob.ts';
import { serveVideo, type VideoAction, type VideoAsked } from './serve-video.ts';
import { CODINGS, codingFault, codingOf } from './unpack.ts';

const WORK: Readonly<Partial<Record<CallAction['kind'], typeof handle>>> = { 'count-tokens': countTokens, compact };

export class Incoming {
  readonly #ports: DataPlanePorts;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #id: string;
  #protocol: ProtocolName = FALLBACK_PROTOCOL;
  #dialect: string | undefined;
  #route = 'none';
  #isIdentified = false;
  /** Undefined until its route is known. */
  #served: ServedCall | undefined;

  constructor(ports: DataPlanePorts, request: IncomingMessage, response: ServerResponse) {
    this.#ports = ports;
    this.#request = request;
    this.#response = response;
    this.#id = ports.nextId();
  }

  serve(): void {
    if (this.#ports.closing()) this.#response.shouldKeepAlive = false;
    try {
      this.#serve();
    } catch (error) {
      this.#fail(error);
    }
  }

  #serve(): void {
    const { mounts, limits, corsOrigins, blobMount, timeouts } = this.#ports.settings();
    const url = this.#request.url ?? '';
    const headers = readHeaders(this.#request.rawHeaders);
    const open = openProtocol(headers);
    const { target, place, route } = this.#ports.destinations().find(url, open);
    this.#protocol = place?.protocol ?? protocolOfText(url, mounts, open);
    const unframed = framingFault(this.#request, headers, limits.headerCount);
    if (unframed !== undefined) {
      this.#response.shouldKeepAlive = false;
      throw new GatewayError(unframed);
    }
    if (target !== undefined && place === undefined && PROBES.has(target.path)) {
      answerProbe(this.#request, this.#response, target.path, this.#ports.unready, idHeaders(this.#id));
      return;
    }
    const fault =
      target === undefined
        ? bentPath(url)
        : (headFault(this.#request, headers) ??
          (headers.has('content-encoding') ? codingFault(headers, CODINGS) : undefined));
    if (fault !== undefined) throw new GatewayError(fault);
    if (corsOrigins.length > 0 && answersCors(this.#request, this.#response, corsOrigins)) return;
    if (target?.path.startsWith(blobMount) === true && target.path[blobMount.length] === '/') {
      this.#route = 'blob';
      const { slowReaderMs } = timeouts;
      const nowMs = this.#ports.engine().clock.nowMs();
      const reply = { headers: idHeaders(this.#id), slowReaderMs, nowMs };
      this.#finish(followLink(this.#request, this.#response, target, blobMount, this.#ports.blobs, reply));
      return;
    }
    const passed = passedThrough(target, this.#ports.engine());
    if (passed !== undefined) {
      this.#passThrough(passed, headers);
      return;
    }
    if (target === undefined || place === undefined || route === undefined) {
      if (target !== undefined && this.#ports.signIn?.(this.#request, this.#response, target.path) === true) return;
      throw new GatewayError(unknownPath(this.#request.method, target?.path ?? '', mounts));
    }
    this.#take(route, place, target, headers);
  }

  #take(route: Route, place: MountedPath, target: ParsedTarget, headers: RawHeaders): void {
    this.#route = route.action.kind;
    if (this.#request.method === 'POST' && route.takesActions === true)
      throw new GatewayError(unknownPath('POST', target.path, this.#ports.settings().mounts));
    requireMethod(this.#request, route, headers);
    switch (route.action.kind) {
      case 'alive':
        this.#json({});
        return;
      case 'list-models':
      case 'one-model':
        this.#models(route.action, place, target, headers);
        return;
      case 'own-report':
        this.#report(route.action.what, target, headers);
        return;
      case 'text-call':
      case 'embed-call':
      case 'rerank-call':
      case 'moderation-call':
      case 'image-call':
      case 'sound-call':
      case 'count-tokens':
      case 'compact':
        this.#dialect = route.action.dialect;
        this.#call(route.action, target, headers);
        return;
      case 'video-call':
      case 'video-poll':
      case 'videos':
        this.#video(route.action, target, headers);
        return;
      case 'dry-run':
        this.#dryRun(target, headers);
        return;
      case 'stored':
        this.#stored(route.action.path, target, headers);
        return;
      case 'one-request': {
        const engine = this.#ports.engine();
        const received = this.#received(engine, CHAT_CALL, target, headers);
        this.#finish(explainRequest(engine, received, keyInQuery(target), route.action.id));
        return;
      }
      default:
        this.#agent(route.action, target, headers);
    }
  }

  #models(
    action: Extract<Route['action'], { readonly kind: 'list-models' | 'one-model' }>,
    { protocol }: MountedPath,
    target: ParsedTarget,
    headers: RawHeaders,
  ): void {
    const engine = this.#ports.engine();
    const respond = (caller: Reader): void => {
      if (caller !== undefined) this.#identified();
      this.#json(modelsAnswer(engine, action, caller, protocol, target.query));
    };
    const reader = whoReads(engine, headers);
    if (reader instanceof Promise) reader.then(respond).catch((error: unknown) => this.#fail(error));
    else respond(reader);
  }

  #report(what: OwnQuestion, { query }: ParsedTarget, headers: RawHeaders): void {
    const keyInQuery = query.has('api_key');
    const address = callerAddress(this.#request, this.#ports.settings().isTrustedProxy);
    ownReport(this.#ports.engine(), { what, query, headers, address, keyInQuery })
      .then((body) => {
        this.#identified();
        this.#json(body);
      })
      .catch((error: unknown) => this.#fail(error));
  }

  #agent(action: Parameters<typeof serveAgent>[0], target: ParsedTarget, headers: RawHeaders): void {
    const engine = this.#ports.engine();
    this.#finish(
      serveAgent(action, {
        engine,
        request: this.#request,
        response: this.#response,
        headers,
        keyInQuery: keyInQuery(target),
        address: callerAddress(this.#request, this.#ports.settings().isTrustedProxy),
        idHeaders: idHeaders(this.#id),
        metering: this.#ports.connections,
        identified: () => this.#identified(),
        arrival: (room) => this.#arrival(headers, engine, room),
      }),
    );
  }

  #dryRun(target: ParsedTarget, headers: RawHeaders): void {
    const engine = this.#ports.engine();
    const call = dryRunOf(headers, this.#ports.destinations());
    checkContentType(headers, call.action, call.protocol);
    const received = this.#received(engine, call.action, call.target, headers, call.protocol);
    this.#finish(dryRun(engine, received, keyInQuery(target)));
  }

  #call(action: CallAction, target: ParsedTarget, headers: RawHeaders): void {
    checkContentType(headers, action, this.#protocol);
    const engine = this.#ports.engine();
    const received = this.#received(engine, action, target, headers);
    const work = WORK[action.kind] ?? handle;
    this.#finish(work(engine, received, keyInQuery(target)));
  }

  #video(action: VideoAction, target: ParsedTarget, headers: RawHeaders): void {
    if (action.kind === 'videos' && this.#request.method === 'POST') this.#route = 'video-call';
    const [ports, request, response] = [this.#ports, this.#request, this.#response];
    const head: VideoAsked['head'] = (of) => this.#receivedHead(ports.engine(), of, target, headers);
    this.#finish(serveVideo(action, { ports, request, response, protocol: this.#protocol, target, headers, head }));
  }

  #stored(path: readonly string[], target: ParsedTarget, headers: RawHeaders): void {
    const { method = '' } = this.#request;
    const call = { method, path, query: target.query, hasBody: method === 'POST' && path.at(-1) !== 'cancel' };
    if (call.hasBody) checkContentType(headers, {}, this.#protocol);
    const engine = this.#ports.engine();
    this.#finish(storedCall(engine, this.#receivedHead(engine, {}, target, headers), keyInQuery(target), call));
  }

  #passThrough(target: ParsedTarget, headers: RawHeaders): void {
    this.#route = 'passthrough';
    const engine = this.#ports.engine();
    const head = this.#receivedHead(engine, {}, target, headers);
    this.#finish(servePassThrough(engine, this.#request, head, target, (room) => this.#arrival(headers, engine, room)));
  }

  #received(
    engine: Engine,
    action: CallAction,
    target: ParsedTarget,
    headers: RawHeaders,
    protocol = this.#protocol,
  ): Received {
    const dialect = requireCallerDialect(action.dialect);
    return Object.assign(this.#receivedHead(engine, action, target, headers, protocol), { dialect });
  }

  #receivedHead(
    engine: Engine,
    action: HeadAction,
    target: ParsedTarget,
    headers: RawHeaders,
    protocol = this.#protocol,
  ): ReceivedHead {
    const { clock } = engine.admission;
    const { timeouts, finishReason, isTrustedProxy } = this.#ports.settings();
    const received = {
      id: this.#id,
      protocol,
      headers,
      head: requestHead(action, target, headers, finishReason),
      path: this.#request.url ?? '',
      reply: new HttpReply(this.#response, this.#ports.closing, timeouts.slowReaderMs, isTrustedProxy),
      receivedAtMs: clock.nowMs(),
      startedAtMs: clock.monotonicMs(),
      trace: engine.exchange.tracing?.begin(headers),
      readBody: (room: BodyRoom, extractLongStrings = false) => {
        const arrival = this.#arrival(headers, engine, room);
        const knownBytes = arrival.packed === undefined ? arrival.declaredBytes : undefined;
        return readBody(arrival, new JsonBody(engine.jsonBounds, knownBytes, extractLongStrings));
      },
    };
    const served = WITH_FILES.has(action.form)
      ? { ...received, ...formReader(headers, (room) => this.#arrival(headers, engine, room)) }
      : received;
    this.#served = served;
    return served;
  }

  /** A body is read only after its caller's key was found valid. */
  #arrival(headers: RawHeaders, { exchange }: Engine, room: BodyRoom): Arrival {
    const { connections } = this.#ports;
    this.#identified();
    const { bodyBounds, limits } = this.#ports.settings();
    const declared = firstHeader(headers, 'content-length');
    const coding = headers.has('content-encoding') ? codingOf(headers) : undefined;
    return {
      request: this.#request,
      invite: () => inviteBody(this.#request, this.#response),
      declaredBytes: declared === undefined ? undefined : Number(declared),
      packed: coding && { coding, maxRatio: limits.unpackRatio },
      bounds: bodyBounds,
      timeouts: exchange.timeouts,
      room,
      metering: connections,
    };
  }

  #finish(work: Promise<void>): void {
    work.then(
      () => this.#seen(),
      (error) => this.#fail(error),
    );
  }

  #json(body: object): void {
    const text = JSON.stringify(body);
    this.#response.writeHead(200, [
      'content-type',
      'application/json',
      'content-length',
      String(Buffer.byteLength(text)),
      ...idHeaders(this.#id),
    ]);
    this.#response.end(this.#request.method === 'HEAD' ? '' : text);
    this.#seen();
  }

  /** Its key is valid: its connection is no stranger's. */
  #identified(): void {
    if (this.#isIdentified) return;
    this.#isIdentified = true;
    this.#ports.connections.identified(this.#request);
  }

  #seen(fault?: Fault, cause?: unknown): void {
    if (!this.#isIdentified && this.#served?.caller !== undefined) this.#identified();
    const seen = { protocol: recordedProtocol(this.#protocol, this.#dialect), route: this.#route, requestId: this.#id };
    if (fault === undefined) {
      this.#ports.onReply(seen);
      return;
    }
    this.#ports.onReply({ ...seen, fault, ...(cause !== undefined && { cause }) });
    const refused = refusedRequest({ ...seen, fault }, this.#served, this.#ports.engine().clock);
    if (refused !== undefined) this.#ports.onRefused(refused);
  }

  #fail(error: unknown): void {
    const fault = faultOf(error);
    this.#seen(fault, error instanceof GatewayError ? error.cause : error);
    const wire = this.#served?.wire;
    if (this.#response.headersSent || this.#response.destroyed) {
      wire?.close();
      this.#response.destroy();
      return;
    }
    const { status, body } = protocolAdapters[this.#protocol].encodeFault(fault, this.#id);
    const text = JSON.stringify(body);
    if (this.#ports.closing() || error instanceof CostlyBody) this.#response.shouldKeepAlive = false;
    const headers = [
      'content-type',
      'application/json',
      'content-length',
      String(Buffer.byteLength(text)),
      ...idHeaders(this.#id),
      ...faultHeaders(fault),
    ];
    // A protocol that is named holds for this connection only, which the header says; Node then leaves it to us.
    if (fault.kind === 'upgrade-required')
      headers.push('connection', this.#response.shouldKeepAlive ? 'upgrade' : 'upgrade, close');
    wire?.refused(status, headers, text);
    refuse(this.#request, this.#response, { status, headers, text }, this.#ports.connections);
  }
}
