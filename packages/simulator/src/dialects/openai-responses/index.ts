// The OpenAI Responses dialect, simulated by the vendors `openai` and `azure` beside their chat completions.
import { parseJsonBytes } from '../../json-text.ts';
import { asList, asNumber, asRecord, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, Renderer, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { bearerOf } from '../judgement.ts';
import { checkVersion, readAzure, withBearer } from '../openai-chat/azure.ts';
import { checkHead, checkMethod } from '../openai-chat/check.ts';
import { type ChatProfile, profileOf } from '../openai-chat/profiles.ts';
import { badRequest } from '../openai-chat/refusal.ts';
import { printJson } from '../openai-chat/render-shared.ts';
import { refused, statusReply } from '../openai-chat/status-replies.ts';
import { checkBody } from './check.ts';
import { readAsk } from './read-ask.ts';
import type { ResponsesRenderContext } from './render-items.ts';
import { compaction, finalResponse } from './render-response.ts';
import { EventPrinter, renderFrames } from './render-stream.ts';

export const openaiResponses: SimulatedDialect = {
  name: 'openai-responses',
  vendors: ['openai', 'azure'],
  paths: [/^\/v1\/responses(\/compact)?$/u, { test: (path) => readAzure(path)?.api === 'responses' }],
  understand,
};

const COMPACT_MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
]);

function understand(given: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const azure = given.vendor === 'azure' ? readAzure(given.path) : undefined;
  const request = azure === undefined ? given : { ...given, headers: withBearer(given.headers) };
  const profile = profileOf(request.vendor);
  const early =
    checkMethod(request) ??
    (azure === undefined ? undefined : checkVersion(azure, request)) ??
    checkHead(request, profile, options);
  if (early !== undefined) return refused(early, profile);
  const parsed = parseJsonBytes(request.body);
  if (!parsed.ok || !isRecord(parsed.value)) {
    const problem = parsed.ok ? 'the body is not a JSON object' : parsed.problem;
    return refused(badRequest(`We could not parse the JSON body of your request. (HINT: ${problem}.)`, null), profile);
  }
  const body = parsed.value;
  const refusal = options.lenient ? undefined : checkBody(body, profile, issuerOf(request));
  if (refusal !== undefined) return refused(refusal, profile, body);
  if (request.path.endsWith('/compact')) {
    const unknown = Object.keys(body).find((name) => !COMPACT_MEMBERS.has(name));
    if (unknown !== undefined) return refused(badRequest(`Unknown parameter: '${unknown}'.`, unknown), profile, body);
  }
  const streamed = body['stream'] === true;
  return {
    kind: 'ask',
    ask: readAsk(body),
    choices: 1,
    streamed,
    body,
    renderer: makeRenderer(body, request, profile),
  };
}

function issuerOf(request: VendorRequest): SealIssuer {
  return { vendor: request.vendor, host: request.host, credential: bearerOf(request.headers.authorization) };
}

function makeRenderer(body: JsonRecord, request: VendorRequest, profile: ChatProfile): Renderer {
  const include = asList(body['include']);
  const reasoning = asRecord(body['reasoning']);
  const wantsLogprobs = include.includes('message.output_text.logprobs');
  const context: ResponsesRenderContext = {
    issuer: issuerOf(request),
    sequence: request.sequence,
    createdS: request.createdS,
    isStored: body['store'] !== false,
    showsSummary: typeof (reasoning['summary'] ?? reasoning['generate_summary']) === 'string',
    showsSeal: include.includes('reasoning.encrypted_content'),
    showsSources: include.includes('web_search_call.action.sources'),
    topLogprobs: wantsLogprobs ? (asNumber(body['top_logprobs']) ?? 0) : undefined,
    echo: {
      model: asText(body['model']),
      instructions: body['instructions'] ?? null,
      max_output_tokens: body['max_output_tokens'] ?? null,
      metadata: body['metadata'] ?? {},
      parallel_tool_calls: body['parallel_tool_calls'] ?? true,
      previous_response_id: body['previous_response_id'] ?? null,
      reasoning: { effort: reasoning['effort'] ?? null, summary: reasoning['summary'] ?? null },
      service_tier: 'default',
      store: body['store'] ?? true,
      temperature: body['temperature'] ?? 1,
      text: body['text'] ?? { format: { type: 'text' } },
      tool_choice: body['tool_choice'] ?? 'auto',
      tools: body['tools'] ?? [],
      top_p: body['top_p'] ?? 1,
      truncation: body['truncation'] ?? 'disabled',
    },
  };
  const printer = new EventPrinter();
  const headers = {
    'content-type': 'application/json',
    'x-request-id': `req_sim_${request.sequence}`,
    ...profile.answerHeaders,
  };
  return {
    plain: (script) => ({
      status: 200,
      headers,
      body: printJson(request.path.endsWith('/compact') ? compaction(script, context) : finalResponse(script, context)),
    }),
    streamHeaders: { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    frames: (script) => renderFrames(script, context, printer),
    errorReply: (fault) => statusReply(fault, profile),
    errorFrame: (place) => printer.printError(place, context),
  };
}
