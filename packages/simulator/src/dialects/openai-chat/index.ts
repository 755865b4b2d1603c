// The OpenAI chat-completions dialect, simulated by the vendors `openai`, `compatible` and `azure`.
import { parseJsonBytes } from '../../json-text.ts';
import { asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Renderer, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { decodeSegment } from '../judgement.ts';
import { type AzureAddress, checkVersion, promptFilterFrame, readAzure, withBearer } from './azure.ts';
import { checkBody, checkHead, checkModel } from './check.ts';
import { type ChatProfile, profileOf, profiles } from './profiles.ts';
import { readAsk } from './read-ask.ts';
import { badRequest, type ChatRefusal } from './refusal.ts';
import { renderPlain } from './render-plain.ts';
import type { ChatRenderOptions, Identity } from './render-shared.ts';
import { renderFrames } from './render-stream.ts';
import { refused, statusReply } from './status-replies.ts';

const COMPLETIONS = '/v1/chat/completions';
const MODELS = '/v1/models';
const MAX_CHOICES = 128;
const CREATED_S = 1_735_689_600;

export const openaiChat: SimulatedDialect = {
  name: 'openai-chat',
  vendors: profiles.map((profile) => profile.vendor),
  paths: [
    /^\/v1\/(?:chat\/completions|models)$/u,
    /^\/v1\/models\//u,
    { test: (path) => readAzure(path)?.api === 'chat/completions' },
  ],
  understand: (request, options) => {
    const profile = profileOf(request.vendor);
    const azure = readAzure(request.path);
    if ((azure !== undefined) !== (profile.vendor === 'azure')) return refused(NOWHERE, profile);
    if (azure !== undefined) {
      const refusal = checkVersion(azure, request);
      if (refusal !== undefined) return refused(refusal, profile);
      return understandCompletion({ ...request, headers: withBearer(request.headers) }, profile, options, azure);
    }
    if (request.path === COMPLETIONS) return understandCompletion(request, profile, options);
    return understandModels(request, profile, options);
  },
};

function understandModels(request: VendorRequest, profile: ChatProfile, options: DialectOptions): UnderstoodRequest {
  const id = decodeSegment(request.path.slice(MODELS.length + 1));
  const refusal = checkHead(request, profile, options, 'GET') ?? (id === '' ? undefined : checkModel(id, profile));
  if (refusal !== undefined) return refused(refusal, profile);
  const owned_by = profile.vendor === 'openai' ? 'system' : 'simulator';
  const describe = (one: string): object => ({ id: one, object: 'model', created: CREATED_S, owned_by });
  const listed = profile.families.flatMap(({ examples }) => examples);
  const found = id === '' ? { object: 'list', data: listed.map(describe) } : describe(id);
  const reply = { status: 200, headers: headersOf(request, profile), body: JSON.stringify(found) };
  return { kind: 'reply', reply, renderer: makeRenderer({}, request, profile) };
}

const NOWHERE: ChatRefusal = { ...badRequest('Resource not found', null, '404'), status: 404 };

function understandCompletion(
  request: VendorRequest,
  profile: ChatProfile,
  options: DialectOptions,
  azure?: AzureAddress,
): UnderstoodRequest {
  const early = checkHead(request, profile, options);
  if (early !== undefined) return refused(early, profile);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value)) {
    const problem = parsed.ok ? 'the body is not a JSON object' : parsed.problem;
    const message = `We could not parse the JSON body of your request. (HINT: ${problem}. The OpenAI API expects a JSON payload.)`;
    return refused(badRequest(message, null), profile);
  }
  // A deployment is its model here; a different model in the body is ignored.
  const { deployment } = azure ?? {};
  const body = deployment === undefined ? parsed.value : { ...parsed.value, model: deployment };
  const refusal = options.lenient ? undefined : checkBody(body, profile);
  if (refusal !== undefined) return refused(refusal, profile, body);
  return {
    kind: 'ask',
    ask: readAsk(body),
    choices: renderOptionsOf(body).choices,
    streamed: body['stream'] === true,
    body,
    renderer: makeRenderer(body, request, profile),
  };
}

function renderOptionsOf(body: JsonRecord): ChatRenderOptions {
  const streamOptions = asRecord(body['stream_options']);
  return {
    choices: Math.min(MAX_CHOICES, Math.max(1, asNumber(body['n']) ?? 1)),
    includeUsage: streamOptions['include_usage'] === true,
    includeObfuscation: streamOptions['include_obfuscation'] === true,
    topLogprobs: body['logprobs'] === true ? (asNumber(body['top_logprobs']) ?? 0) : undefined,
  };
}

function headersOf(request: VendorRequest, profile: ChatProfile): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'x-request-id': `req_sim_${request.sequence}`,
    ...profile.answerHeaders,
  };
}

function makeRenderer(body: JsonRecord, request: VendorRequest, profile: ChatProfile): Renderer {
  const identity: Identity = {
    id: `chatcmpl-sim${String(request.sequence).padStart(8, '0')}`,
    createdS: request.createdS,
    model: asText(body['model']),
  };
  const options = renderOptionsOf(body);
  const headers = headersOf(request, profile);
  const midStream = { status: 500, code: undefined, retryAfterS: undefined };
  return {
    plain: (script) => ({ status: 200, headers, body: renderPlain(script, identity, options) }),
    streamHeaders: { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    frames: (script) =>
      profile.vendor === 'azure'
        ? [promptFilterFrame, ...renderFrames(script, identity, options)]
        : renderFrames(script, identity, options),
    errorReply: (fault) => statusReply(fault, profile),
    errorFrame: () => ({ kind: 'error', data: String(statusReply(midStream, profile).body), tokens: 0 }),
  };
}
