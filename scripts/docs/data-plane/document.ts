/** The OpenAPI 3.1 document of the data plane. */
import { FAULT_RULES, type FaultKind } from '@trivium/protocol/canonical';
import { protocolAdapters } from '@trivium/protocol/dialects';
import { answerOf, described, schemaOf } from './answers.ts';
import { CALL_EXAMPLES, type CallExample, REQUEST_ID } from './examples.ts';
import { type JsonSchema, ref } from './json-schema.ts';
import { routeAt } from './mounts.ts';
import { type DataPlaneOperation, OPERATIONS } from './operations.ts';
import { REQUEST_SCHEMAS } from './schemas.ts';

const TEXT = { type: 'string' };
const error = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'object', required: ['message'], properties } },
});

/** Errors in each protocol's own form. */
const ERROR_SCHEMAS: Readonly<Record<DataPlaneOperation['protocol'], JsonSchema>> = {
  chat: error({ message: TEXT, type: TEXT, param: { type: ['string', 'null'] }, code: { type: ['string', 'null'] } }),
  messages: {
    type: 'object',
    required: ['type', 'error'],
    properties: {
      type: { const: 'error' },
      error: { type: 'object', required: ['type', 'message'], properties: { type: TEXT, message: TEXT } },
      request_id: TEXT,
    },
  },
  genai: error({
    code: { type: 'integer' },
    message: TEXT,
    status: TEXT,
    details: { type: 'array', items: { type: 'object' } },
  }),
};
const ERROR_NAMES = { chat: 'ChatError', messages: 'MessagesError', genai: 'GenaiError' } as const;

const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  Strict: header('x-trivium-strict', '`true`: refuse the request rather than drop or change a parameter.'),
  IdempotencyKey: header('idempotency-key', 'Make and charge the call once, up to 255 characters.'),
  Provider: header('x-trivium-provider', 'Only these providers, in this order.'),
};

const ANSWER_HEADERS: Readonly<Record<string, JsonSchema>> = {
  RequestId: { description: 'Our id of the request.', schema: TEXT },
  AnsweredBy: { description: 'Id of the provider that answered.', schema: TEXT },
  Losses: { description: 'Parameters that were dropped or changed.', schema: TEXT },
  Cost: { description: 'What is charged, in US dollars. Not on streams.', schema: TEXT },
};

function header(name: string, description: string): JsonSchema {
  return { name, in: 'header', description, schema: TEXT };
}

const CALLS: ReadonlySet<string> = new Set(['text-call', 'embed-call', 'image-call', 'video-call']);

const IN_PATHS: Readonly<Record<string, string>> = {
  model: 'Name of the model, `owner/name`.',
  id: 'Id of the request, of the answer, or of the operation.',
  response: 'Id of the stored response.',
  conversation: 'Id of the conversation.',
  video: 'Id of the video.',
};

const parametersOf = ({ path, query = {}, headers = {}, kind, id }: DataPlaneOperation): readonly JsonSchema[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: IN_PATHS[name],
    schema: TEXT,
    example: CALL_EXAMPLES[id]?.path?.[name],
  })),
  ...Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, schema: TEXT })),
  ...Object.entries(headers).map(([name, description]) => header(name, description)),
  ...(CALLS.has(kind) ? Object.keys(PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })) : []),
];

const answerHeaders = (isCall: boolean): JsonSchema => ({
  'x-request-id': { $ref: '#/components/headers/RequestId' },
  ...(isCall && {
    'x-trivium-provider': { $ref: '#/components/headers/AnsweredBy' },
    'x-trivium-losses': { $ref: '#/components/headers/Losses' },
    'x-trivium-cost': { $ref: '#/components/headers/Cost' },
  }),
});

/** Errors that a call can end with, each with an example; whatever else goes wrong has the same form. */
const FAULTS: Readonly<Partial<Record<FaultKind, string>>> = {
  malformed: 'messages is required.',
  unauthenticated: 'Unknown API key.',
  'over-budget': 'The credit of this account does not cover this request.',
  forbidden: "This key may not use the model 'openai/gpt-5.5'.",
  'unknown-model': "The model 'openai/gpt-55' does not exist here. Did you mean 'openai/gpt-5.5'?",
  'unknown-operation': 'No such request, or not one of this account.',
  'too-large': 'The request body is larger than 33554432 bytes.',
  'over-rate': 'Rate limit exceeded for this API key: 6 requests per minute. Retry after 10 s.',
  'upstream-broken': 'The provider failed.',
  overloaded: 'Request rejected: overloaded.',
  'upstream-timeout': 'The provider did not answer in time.',
};
const OF_CALLS: readonly FaultKind[] = [
  'malformed',
  'unauthenticated',
  'over-budget',
  'forbidden',
  'unknown-model',
  'too-large',
  'over-rate',
  'upstream-broken',
  'overloaded',
  'upstream-timeout',
];
const OF_KINDS: Readonly<Partial<Record<DataPlaneOperation['kind'], readonly FaultKind[]>>> = {
  'list-models': ['over-rate', 'overloaded'],
  'one-model': ['unknown-model', 'overloaded'],
  'own-report': ['malformed', 'unauthenticated', 'unknown-operation', 'over-rate', 'overloaded'],
  'one-request': ['unauthenticated', 'unknown-operation', 'overloaded'],
  stored: ['malformed', 'unauthenticated', 'unknown-operation', 'too-large', 'overloaded'],
  'video-poll': ['malformed', 'unauthenticated', 'unknown-operation', 'overloaded'],
  'count-tokens': [
    'malformed',
    'unauthenticated',
    'forbidden',
    'unknown-model',
    'too-large',
    'over-rate',
    'overloaded',
  ],
  'dry-run': ['malformed', 'unauthenticated', 'forbidden', 'unknown-model', 'too-large', 'overloaded'],
};

const errorsOf = ({ protocol, kind }: DataPlaneOperation): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    (OF_KINDS[kind] ?? OF_CALLS).map((fault) => {
      const { status, body } = protocolAdapters[protocol].encodeFault(
        { kind: fault, message: FAULTS[fault] ?? '' },
        REQUEST_ID,
      );
      return [
        String(status ?? FAULT_RULES[fault].status),
        {
          description: `[\`${fault}\`](../faults.md#when)`,
          content: { 'application/json': { schema: ref(ERROR_NAMES[protocol]), example: body } },
        },
      ];
    }),
  );

const answersOf = (operation: DataPlaneOperation): JsonSchema => {
  const { protocol, streams, kind, id, gives } = operation;
  const example = gives === undefined ? answerOf(id) : undefined;
  return {
    200: {
      description: streams === 'always' ? 'The answer, piece by piece.' : 'The answer.',
      headers: answerHeaders(CALLS.has(kind)),
      content: {
        ...(gives === undefined
          ? { 'application/json': { schema: schemaOf(example), example } }
          : { [gives]: { schema: { type: 'string', format: 'binary' } } }),
        ...(streams !== undefined && { 'text/event-stream': { schema: TEXT } }),
      },
    },
    ...errorsOf(operation),
    default: {
      description: 'An error in the format of the protocol.',
      content: { 'application/json': { schema: ref(ERROR_NAMES[protocol]) } },
    },
  };
};

const exampleBody = (id: string): unknown => {
  const { body, files }: CallExample = CALL_EXAMPLES[id] ?? {};
  return { ...body, ...files };
};

const operationOf = (operation: DataPlaneOperation): JsonSchema => {
  const { id, summary, body, protocol, media = 'application/json' } = operation;
  const route = routeAt(operation.sample ?? operation.path);
  const method = operation.method.toUpperCase();
  const isServed = route?.method === method || route?.also?.includes(method) === true;
  if (route?.action.kind !== operation.kind || !isServed)
    throw new Error(`${operation.method} ${operation.path} is not routed as ${operation.kind}`);
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [protocol],
    summary,
    ...(route.policy === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { [media]: { schema: ref(body), example: exampleBody(operation.id) } } },
    }),
    responses: answersOf(operation),
  };
};

export const dataPlaneDocument = (): JsonSchema => {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of OPERATIONS)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationOf(operation) };
  const schemas = {
    ...Object.fromEntries(Object.entries(REQUEST_SCHEMAS).map(([name, schema]) => [name, described(schema, name)])),
    ...Object.fromEntries(Object.entries(ERROR_SCHEMAS).map(([name, schema]) => [ERROR_NAMES[name as 'chat'], schema])),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trivium data plane',
      version: '1',
      description:
        'What callers send, in three protocols. Request bodies are the schemas that the gateway checks them with; unknown fields are passed through or reported as dropped.',
    },
    servers: [{ url: 'http://127.0.0.1:8080', description: 'The default listener.' }],
    security: [{ bearer: [] }, { xApiKey: [] }, { xGoogApiKey: [] }],
    tags: [
      { name: 'chat', description: "OpenAI's formats." },
      { name: 'messages', description: "Anthropic's format." },
      { name: 'genai', description: "Google's formats." },
    ],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        xApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        xGoogApiKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
      },
      parameters: PARAMETERS,
      headers: ANSWER_HEADERS,
      schemas: Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => one.localeCompare(other))),
    },
  };
};
