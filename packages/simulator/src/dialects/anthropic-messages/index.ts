// The Anthropic messages dialect, simulated by the vendors `anthropic`, `messages-compatible`, `vertex` and `bedrock`.

import { AWS_EVENT_STREAM } from '../../cloud/aws-events.ts';
import { isAccessToken } from '../../cloud/service-accounts.ts';
import { parseJsonBytes } from '../../json-text.ts';
import { asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions, Renderer, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { findFamily, isJsonContent } from '../judgement.ts';
import { json } from '../replies.ts';
import { type MessagesAddress, readAddress } from './address.ts';
import { checkBody, checkHead, credentialOf, directBody, unknownModel } from './check.ts';
import { describeModels } from './model-list.ts';
import { type MessagesProfile, profileOf, profiles } from './profiles.ts';
import { countPrompt, readAsk } from './read-ask.ts';
import { badRequest, type MessagesRefusal } from './refusal.ts';
import type { MessagesRenderContext } from './render-blocks.ts';
import { renderPlain } from './render-plain.ts';
import { eventFrame, renderFrames } from './render-stream.ts';
import { errorBody, refusalReply, statusReply } from './status-replies.ts';

export const anthropicMessages: SimulatedDialect = {
  name: 'anthropic-messages',
  vendors: profiles.map((profile) => profile.vendor),
  paths: profiles.map(({ manner }) => ({ test: (path) => readAddress(manner, path).kind !== 'nowhere' })),
  understand: (request, options) => {
    const address = readAddress(profileOf(request.vendor).manner, request.path);
    if (address.kind === 'models') return understandModels(request, address.model, options);
    if (address.kind !== 'nowhere') return understandMessage(request, address, options);
    const refusal = { status: 404, type: 'not_found_error', message: `Not found: ${request.path}` };
    return refuse(refusal, request);
  },
};

type CallAddress = Exclude<MessagesAddress, { kind: 'models' | 'nowhere' }>;

function refuse(refusal: MessagesRefusal, request: VendorRequest, body?: unknown): UnderstoodRequest {
  const context = { profile: profileOf(request.vendor), requestId: `req_sim_${request.sequence}` };
  return { kind: 'refused', reply: refusalReply(refusal, context), reason: refusal.message, body };
}

const WRONG_METHOD: MessagesRefusal = { status: 405, type: 'invalid_request_error', message: 'Method Not Allowed' };

function understandModels(request: VendorRequest, id: string, options: DialectOptions): UnderstoodRequest {
  const profile = profileOf(request.vendor);
  if (request.method !== 'GET') return refuse(WRONG_METHOD, request);
  const refusal = options.lenient ? undefined : checkHead(request, profile, options);
  if (refusal !== undefined) return refuse(refusal, request);
  if (id !== '' && findFamily(id, profile.families) === undefined) return refuse(unknownModel(id), request);
  const reply = json(200, describeModels(id, profile, request.query), headersOf(request, profile));
  return { kind: 'reply', reply, renderer: makeRenderer({}, request, profile) };
}

function understandMessage(request: VendorRequest, address: CallAddress, options: DialectOptions): UnderstoodRequest {
  const profile = profileOf(request.vendor);
  if (request.method !== 'POST') return refuse(WRONG_METHOD, request);
  const early = options.lenient ? undefined : checkHead(request, profile, options);
  if (early !== undefined) return refuse(early, request);
  if (!options.lenient && !isJsonContent(request.headers['content-type']))
    return refuse(badRequest('Content-Type: Input should be `application/json`'), request);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value)) {
    const problem = parsed.ok ? 'Input should be an object' : parsed.problem;
    return refuse(badRequest(`The request body is not valid JSON: ${problem}`), request);
  }
  const direct = address.kind === 'model-call' ? directBody(parsed.value, address, profile) : { body: parsed.value };
  if ('message' in direct) return refuse(direct, request, parsed.value);
  const { body } = direct;
  const isCount = address.kind === 'count';
  const version = headerText(request.headers['anthropic-version']);
  const context = { profile, issuer: issuerOf(request), version, isCount };
  const refusal = options.lenient ? undefined : checkBody(body, context);
  if (refusal !== undefined) return refuse(refusal, request, parsed.value);
  const renderer = makeRenderer(body, request, profile);
  if (isCount) {
    const reply = json(200, { input_tokens: countPrompt(body) }, headersOf(request, profile));
    return { kind: 'reply', reply, renderer };
  }
  return {
    kind: 'ask',
    ask: readAsk(body),
    choices: 1,
    streamed: body['stream'] === true,
    body: parsed.value,
    renderer,
  };
}

function issuerOf({ headers, vendor, host }: VendorRequest): SealIssuer {
  const credential = credentialOf(headers);
  // Tokens and signatures change from call to call; their account does not.
  const isAccount = vendor === 'bedrock' || isAccessToken(credential);
  return { vendor, host, credential: isAccount ? `account at ${vendor}` : credential };
}

function headersOf({ sequence }: VendorRequest, profile: MessagesProfile): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', 'request-id': `req_sim_${sequence}`, ...profile.answerHeaders };
}

function makeRenderer(body: JsonRecord, request: VendorRequest, profile: MessagesProfile): Renderer {
  const context: MessagesRenderContext = {
    issuer: issuerOf(request),
    id: `msg_sim${String(request.sequence).padStart(8, '0')}`,
    model: asText(body['model']),
    hidesThinking: asRecord(body['thinking'])['display'] === 'omitted',
    reportsToolStop: profile.verifiesSeals,
    usageAtStart: profile.usageAtStart,
  };
  const headers = headersOf(request, profile);
  const streamType = profile.manner === 'bedrock' ? AWS_EVENT_STREAM : 'text/event-stream; charset=utf-8';
  const overloaded = { type: 'error', ...errorBody({ type: 'overloaded_error', message: 'Overloaded' }) };
  return {
    plain: (script) => ({ status: 200, headers, body: renderPlain(script, context) }),
    streamHeaders: { ...headers, 'content-type': streamType, 'cache-control': 'no-cache' },
    framing: profile.manner === 'bedrock' ? 'aws-events' : 'events',
    frames: (script) => renderFrames(script, context),
    errorReply: (fault) => statusReply(fault, { profile, requestId: `req_sim_${request.sequence}` }),
    errorFrame: () => ({ ...eventFrame('error', overloaded), kind: 'error' }),
  };
}
