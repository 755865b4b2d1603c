// The converse API of the vendor `bedrock`: one format for the models of many makers.
import { AWS_EVENT_STREAM } from '../../cloud/aws-events.ts';
import { judgeSignature } from '../../cloud/aws-signature.ts';
import { withoutInstructions } from '../../instruction.ts';
import { parseJsonBytes } from '../../json-text.ts';
import { asList, asNumber, asRecord, asRecords, asText, isRecord, type JsonRecord } from '../../json-value.ts';
import { type CallFacts, userTextsOf } from '../../scenarios/ask.ts';
import type { SealIssuer } from '../../seals.ts';
import type { StreamFrame, VendorRequest } from '../../wire.ts';
import type { DialectOptions, Renderer, Reply, SimulatedDialect, StatusFault, UnderstoodRequest } from '../dialect.ts';
import { bearerOf, decodeSegment, findFamily, isAccepted } from '../judgement.ts';
import { contentText, countTokens, stopsIn } from '../read-turns.ts';
import { badGatewayPage, json } from '../replies.ts';
import { blocksOf, checkBody } from './check.ts';
import { type ConverseFamily, families, plainModel } from './models.ts';
import { renderFrames, renderPlain } from './render.ts';
import { converseShapes } from './shapes.ts';

const PATH = /^\/model\/([^/]+)\/(converse|converse-stream|count-tokens)$/u;

export const amazonConverse: SimulatedDialect = {
  name: 'amazon-converse',
  vendors: ['bedrock'],
  paths: [PATH],
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const [, segment = '', action = ''] = PATH.exec(request.path) ?? [];
  const model = decodeSegment(segment);
  const refuse = (status: number, type: string, message: string, body?: unknown): UnderstoodRequest => ({
    kind: 'refused',
    reply: exception(status, type, message, request),
    reason: message,
    body,
  });
  if (request.method !== 'POST') return refuse(405, 'UnknownOperationException', 'Method Not Allowed');
  const bearer = bearerOf(request.headers.authorization);
  const isKey = bearer !== '' && isAccepted(bearer, options);
  const objection = options.lenient || isKey ? undefined : judgeSignature(request, 'bedrock', new Date());
  if (objection !== undefined) return refuse(403, objection.type, objection.message);
  const parsed = parseJsonBytes(request.body);
  const body = parsed.ok ? parsed.value : undefined;
  if (!isRecord(body)) return refuse(400, 'SerializationException', 'The request body is not valid JSON.');
  const invalid = (message: string) => refuse(400, 'ValidationException', message, body);
  const family = findFamily(plainModel(model), families);
  if (family === undefined) return invalid('The provided model identifier is invalid.');
  const isCount = action === 'count-tokens';
  const call = isCount ? asRecord(asRecord(body['input'])['converse']) : body;
  const issuer: SealIssuer = { vendor: 'bedrock', host: request.host, credential: 'account at bedrock' };
  const misfit = isCount ? converseShapes.first('Count', body) : undefined;
  const refusal = options.lenient ? undefined : (misfit?.path.join('.') ?? checkBody(call, family, issuer));
  if (refusal !== undefined) return invalid(refusal);
  const renderer = makeRenderer({ issuer, family }, request);
  if (isCount) {
    if (family.reasoning !== 'signed') return invalid("The provided model doesn't support counting tokens.");
    return { kind: 'reply', reply: json(200, { inputTokens: countPrompt(call) }), renderer };
  }
  const streamed = action === 'converse-stream';
  return { kind: 'ask', ask: readAsk(call, model), choices: 1, streamed, body, renderer };
}

const AWS_TYPES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};
const BY_CODE: Readonly<Record<string, string>> = {
  context_length_exceeded: 'Input is too long for requested model.',
  insufficient_quota: 'You have exceeded the account quota for this model.',
  not_ready: 'The model is not ready for inference.',
  invalid_encrypted_content: 'Invalid `signature` in `thinking` block',
};

/** The name of an error is in a header, its sentence in the body. */
const exception = (status: number, type: string, message: string, { sequence }: VendorRequest, wait?: number): Reply =>
  json(
    status,
    { message },
    {
      'x-amzn-requestid': `req_sim_${sequence}`,
      'x-amzn-errortype': `${type}:http://internal.amazon.com/`,
      ...(wait !== undefined && { 'retry-after': String(wait) }),
    },
  );

const IN_STREAMS = [
  'throttlingException',
  'internalServerException',
  'modelStreamErrorException',
  'serviceUnavailableException',
  'validationException',
];

function makeRenderer(context: { issuer: SealIssuer; family: ConverseFamily }, request: VendorRequest): Renderer {
  const { sequence } = request;
  const headers = { 'content-type': 'application/json', 'x-amzn-requestid': `req_sim_${sequence}` };
  const event = IN_STREAMS[sequence % IN_STREAMS.length] ?? '';
  return {
    plain: (script) => ({ status: 200, headers, body: renderPlain(script, context) }),
    streamHeaders: { ...headers, 'content-type': AWS_EVENT_STREAM },
    framing: 'aws-named-events',
    frames: (script) => renderFrames(script, context),
    errorReply: (fault) => statusReply(fault, request),
    errorFrame: (): StreamFrame => ({
      kind: 'error',
      event,
      data: JSON.stringify({ message: 'It failed.' }),
      tokens: 0,
    }),
  };
}

function statusReply({ status, code, retryAfterS }: StatusFault, request: VendorRequest): Reply {
  if (status === 502) return badGatewayPage();
  const wait = status === 429 ? (retryAfterS ?? 1) : retryAfterS;
  const type = AWS_TYPES[status] ?? 'InternalServerException';
  return exception(status, type, BY_CODE[code ?? ''] ?? `Simulated error ${status}`, request, wait);
}

// The neutral view of a body. Tolerant, because lenient servers pass unvalidated bodies to it.

const textIn = (blocks: readonly JsonRecord[]): string => contentText(blocks.filter(({ text }) => text !== undefined));
const resultsIn = (blocks: readonly JsonRecord[]): readonly JsonRecord[] =>
  blocks.filter(({ toolResult }) => toolResult !== undefined).map(({ toolResult }) => asRecord(toolResult));

const countPrompt = ({ system, messages, toolConfig }: JsonRecord): number =>
  countTokens(asList(messages).length, [], [system, messages, toolConfig]);

function readAsk(body: JsonRecord, model: string): CallFacts {
  const turns = asRecords(body['messages']);
  const spoken = turns.findLast((turn) => turn['role'] === 'user' && textIn(blocksOf(turn)) !== '');
  const lastUserText = textIn(blocksOf(spoken ?? {}));
  const { tools, toolChoice } = asRecord(body['toolConfig']);
  const { any, tool } = asRecord(toolChoice);
  const { maxTokens, stopSequences } = asRecord(body['inferenceConfig']);
  const format = asRecord(asRecord(asRecord(body['outputConfig'])['textFormat'])['structure']);
  const schema = asText(asRecord(format['jsonSchema'])['schema']);
  return {
    model,
    lastUserText: withoutInstructions(lastUserText),
    instructionTexts: [textIn(asRecords(body['system'])), lastUserText],
    userTexts: userTextsOf(
      turns.map((turn) => ({
        text: turn['role'] === 'user' ? textIn(blocksOf(turn)) : undefined,
        results: resultsIn(blocksOf(turn)).length,
      })),
    ),
    toolResults: resultsIn(blocksOf(turns.at(-1) ?? {})).map(({ content }) =>
      asRecords(content)
        .map(({ text, json: value }) => (value === undefined ? asText(text) : JSON.stringify(value)))
        .join('\n'),
    ),
    tools: asRecords(tools)
      .filter(({ toolSpec }) => toolSpec !== undefined)
      .map(({ toolSpec }) => asRecord(toolSpec))
      .map(({ name, inputSchema }) => ({ name: asText(name), schema: asRecord(inputSchema)['json'] })),
    toolChoice: tool !== undefined ? { name: asText(asRecord(tool)['name']) } : any === undefined ? 'auto' : 'required',
    parallelCalls: true,
    output: schema === '' ? { kind: 'text' } : { kind: 'schema', schema: JSON.parse(schema) as unknown },
    maxTokens: asNumber(maxTokens),
    stop: stopsIn(asList(stopSequences)),
    turn: turns.length,
    promptTokens: countPrompt(body),
  };
}
