/** The OpenAPI 3.1 document of the data plane. */
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

const parametersOf = ({ path, query = {}, headers = {}, kind }: DataPlaneOperation): readonly JsonSchema[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: TEXT })),
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

const answersOf = ({ protocol, streams, kind }: DataPlaneOperation): JsonSchema => ({
  200: {
    description: 'In the format of the protocol; see the documentation of its maker.',
    headers: answerHeaders(CALLS.has(kind)),
    content: {
      'application/json': { schema: { type: streams === 'always' ? 'array' : 'object' } },
      ...(streams !== undefined && { 'text/event-stream': { schema: TEXT } }),
    },
  },
  default: {
    description: 'An error in the format of the protocol.',
    content: { 'application/json': { schema: ref(ERROR_NAMES[protocol]) } },
  },
});

const operationOf = (operation: DataPlaneOperation): JsonSchema => {
  const { id, summary, body, protocol, media = 'application/json' } = operation;
  const route = routeAt(operation.sample ?? operation.path);
  if (route?.action.kind !== operation.kind || route.method !== operation.method.toUpperCase())
    throw new Error(`${operation.method} ${operation.path} is not routed as ${operation.kind}`);
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [protocol],
    summary,
    ...(route.policy === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: { [media]: { schema: ref(body) } } } }),
    responses: answersOf(operation),
  };
};

export const dataPlaneDocument = (): JsonSchema => {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of OPERATIONS)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationOf(operation) };
  const schemas = {
    ...REQUEST_SCHEMAS,
    ...Object.fromEntries(Object.entries(ERROR_SCHEMAS).map(([name, schema]) => [ERROR_NAMES[name as 'chat'], schema])),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trivium data plane',
      version: '1',
      description:
        'What callers send, in three protocols. Request bodies are the schemas that the gateway checks them with; members that they do not name are passed on or reported as a loss.',
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
