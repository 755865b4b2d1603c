// Google's generateContent dialect, simulated by the vendors `google` (Gemini API) and `vertex`.
import { isAccessToken } from '../../cloud/service-accounts.ts';
import { parseJsonBytes } from '../../json-text.ts';
import { asNumber, asRecord, isRecord, type JsonRecord } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Renderer, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { findFamily } from '../judgement.ts';
import { json } from '../replies.ts';
import { type GenerateAddress, readAddress } from './address.ts';
import { checkBody, checkCredential, credentialOf } from './check.ts';
import { describeModel } from './model-list.ts';
import { geminiFamilies } from './models.ts';
import { countPrompt, readAsk } from './read-ask.ts';
import { type GenerateRefusal, invalid } from './refusal.ts';
import { renderPlain } from './render-plain.ts';
import type { GenerateRenderContext } from './render-shared.ts';
import { renderFrames } from './render-stream.ts';
import { inCamelCase } from './spelling.ts';
import { errorBody, refused, statusRefusal, statusReply } from './status-replies.ts';

type Call = Extract<GenerateAddress, { kind: 'call' }>;

const MAX_CANDIDATES = 8;
const HEADERS = { 'content-type': 'application/json; charset=UTF-8' } as const;

export const googleGenerate: SimulatedDialect = {
  name: 'google-generate',
  vendors: ['google', 'vertex'],
  paths: ['google', 'vertex'].map((vendor) => ({ test: (path) => readAddress(vendor, path).kind !== 'nowhere' })),
  understand: (request, options) => {
    const address = readAddress(request.vendor, request.path);
    if (address.kind === 'call') return understandCall(request, address, options);
    return understandModels(request, address, options);
  },
};

function isArrayStream(request: VendorRequest, address: GenerateAddress): boolean {
  const isStream = address.kind === 'call' && address.action === 'streamGenerateContent';
  return isStream && new URLSearchParams(request.query).get('alt') !== 'sse';
}

function checkHead(request: VendorRequest, options: DialectOptions, method: string): GenerateRefusal | undefined {
  if (request.method !== method)
    return { code: 404, status: 'NOT_FOUND', message: `Method ${request.method} is not found here.` };
  return options.lenient ? undefined : checkCredential(request, options);
}

function understandModels(
  request: VendorRequest,
  address: GenerateAddress,
  options: DialectOptions,
): UnderstoodRequest {
  const refusal = checkHead(request, options, 'GET');
  if (refusal !== undefined) return refused(refusal);
  const model = address.kind === 'model' ? address.model : undefined;
  const listed = geminiFamilies.flatMap(({ examples }) => examples);
  const found = model === undefined ? { models: listed.map(describeModel) } : describeModel(model);
  if (found === undefined)
    return refused({ code: 404, status: 'NOT_FOUND', message: `Model is not found: models/${model}` });
  const reply = json(200, found, HEADERS);
  const nowhere: Call = { kind: 'call', model: '', action: 'generateContent', resource: '' };
  return { kind: 'reply', reply, renderer: makeRenderer({}, request, nowhere) };
}

function understandCall(request: VendorRequest, address: Call, options: DialectOptions): UnderstoodRequest {
  const isArray = isArrayStream(request, address);
  const early = checkHead(request, options, 'POST');
  if (early !== undefined) return refused(early, undefined, isArray);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value)) {
    const problem = parsed.ok ? 'Root element must be a message.' : parsed.problem;
    return refused(invalid(`Invalid JSON payload received. ${problem}`), undefined, isArray);
  }
  const body = inCamelCase(parsed.value);
  const refusal = options.lenient ? undefined : checkBody(body, address, issuerOf(request));
  if (refusal !== undefined) return refused(refusal, parsed.value, isArray);
  const renderer = makeRenderer(body, request, address);
  if (address.action === 'countTokens') {
    const counted = asRecord(body['generateContentRequest'] ?? body);
    const totalTokens = countPrompt(counted);
    const answer = {
      totalTokens,
      ...(request.vendor === 'vertex' && {
        totalBillableCharacters: JSON.stringify(counted['contents'] ?? []).length,
      }),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }],
    };
    return { kind: 'reply', reply: json(200, answer, HEADERS), renderer };
  }
  const ask = readAsk(body, address.model);
  const streamed = address.action === 'streamGenerateContent';
  return { kind: 'ask', ask, choices: choicesOf(body), streamed, body: parsed.value, renderer };
}

function issuerOf(request: VendorRequest): SealIssuer {
  const credential = credentialOf(request);
  // Tokens change hourly; their account does not.
  const account = isAccessToken(credential) ? `account at ${request.vendor}` : credential;
  return { vendor: request.vendor, host: request.host, credential: account };
}

function choicesOf(body: JsonRecord): number {
  const asked = asNumber(asRecord(body['generationConfig'])['candidateCount']) ?? 1;
  return Math.min(MAX_CANDIDATES, Math.max(1, asked));
}

function makeRenderer(body: JsonRecord, request: VendorRequest, address: Call): Renderer {
  const config = asRecord(body['generationConfig']);
  const calling = asRecord(asRecord(body['toolConfig'])['functionCallingConfig']);
  const context: GenerateRenderContext = {
    issuer: issuerOf(request),
    isVertex: request.vendor === 'vertex',
    responseId: `sim${String(request.sequence).padStart(8, '0')}`,
    createdS: request.createdS,
    model: address.model,
    choices: choicesOf(body),
    includeThoughts: asRecord(config['thinkingConfig'])['includeThoughts'] === true,
    alwaysSigns: findFamily(address.model, geminiFamilies)?.needsSignature === true,
    streamsArguments: calling['streamFunctionCallArguments'] === true,
    topLogprobs: config['responseLogprobs'] === true ? (asNumber(config['logprobs']) ?? 0) : undefined,
  };
  const isArray = isArrayStream(request, address);
  const midStream = statusRefusal({ status: 503, code: undefined, retryAfterS: undefined });
  return {
    plain: (script) => ({ status: 200, headers: HEADERS, body: renderPlain(script, context) }),
    streamHeaders: isArray ? HEADERS : { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
    framing: isArray ? 'json-array' : 'events',
    frames: (script) => renderFrames(script, context),
    errorReply: (fault) => statusReply(fault, isArray),
    errorFrame: () => ({ kind: 'error', data: JSON.stringify(errorBody(midStream)), tokens: 0 }),
  };
}
