// The OpenAI chat-completions dialect, simulated by the vendors `openai`, `compatible` and `azure`.
import { parseJsonBytes } from '../../json-text.ts';
import { asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import type { DialectOptions, Renderer, SimulatedDialect, UnderstoodRequest, VendorRequest } from '../dialect.ts';
import { decodeSegment, firstOf } from '../judgement.ts';
import { type AzureAddress, checkVersion, promptFilterFrame, readAzure, withBearer, withDeployment } from './azure.ts';
import { checkBody, checkContentType, checkCredential, checkMethod } from './check.ts';
import { listModels, retrieveModel } from './model-list.ts';
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

export const openaiChat: SimulatedDialect = {
  name: 'openai-chat',
  vendors: profiles.map((profile) => profile.vendor),
  serves: (path) =>
    path === COMPLETIONS ||
    path === MODELS ||
    path.startsWith(`${MODELS}/`) ||
    readAzure(path)?.api === 'chat/completions',
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
  const found = id === '' ? listModels(profile) : retrieveModel(id, profile);
  const refusal = firstOf(
    () => checkMethod(request, 'GET'),
    () => (options.lenient ? undefined : checkCredential(request.headers, profile, options)),
    () => ('status' in found ? found : undefined),
  );
  if (refusal !== undefined) return refused(refusal, profile);
  const reply = { status: 200, headers: headersOf(request, profile), body: JSON.stringify(found) };
  return { kind: 'reply', reply, renderer: makeRenderer({}, request, profile) };
}

const NOWHERE: ChatRefusal = {
  status: 404,
  message: 'Resource not found',
  type: 'invalid_request_error',
  param: null,
  code: '404',
};

function understandCompletion(
  request: VendorRequest,
  profile: ChatProfile,
  options: DialectOptions,
  azure?: AzureAddress,
): UnderstoodRequest {
  const early = firstOf(
    () => checkMethod(request, 'POST'),
    () => (options.lenient ? undefined : checkCredential(request.headers, profile, options)),
    () => (options.lenient ? undefined : checkContentType(request.headers)),
  );
  if (early !== undefined) return refused(early, profile);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value)) {
    const problem = parsed.ok ? 'the body is not a JSON object' : parsed.problem;
    const message = `We could not parse the JSON body of your request. (HINT: ${problem}. The OpenAI API expects a JSON payload.)`;
    return refused(badRequest(message, null), profile);
  }
  const body = azure === undefined ? parsed.value : withDeployment(parsed.value, azure);
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
