/** Paths of the data plane. Each is checked against the route table when the document is generated. */
import type { RouteAction } from '../../../packages/gateway/src/http/route-table.ts';
import { SHORT } from './mounts.ts';

export type DataPlaneOperation = {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** The path with its parameters filled in, for the route table. */
  readonly sample?: string;
  readonly kind: RouteAction['kind'];
  readonly protocol: 'chat' | 'messages' | 'genai';
  readonly id: string;
  readonly summary: string;
  readonly body?: string;
  readonly streams?: 'always' | 'on request';
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Content type of the body, where it is not JSON. */
  readonly media?: string;
  /** Content type of the answer, where it is bytes. */
  readonly gives?: string;
};

const { chat, messages, genai } = SHORT;
const MODEL = `${genai}/models/{model}`;
const SAMPLE_MODEL = `${genai}/models/google/gemini-2.5-flash`;

const chatPost = (
  path: string,
  kind: RouteAction['kind'],
  id: string,
  summary: string,
  body: string,
  more: Partial<DataPlaneOperation> = {},
): DataPlaneOperation => ({
  method: 'post',
  path: `${chat}${path}`,
  kind,
  protocol: 'chat',
  id,
  summary,
  body,
  ...more,
});

const chatGet = (
  path: string,
  kind: RouteAction['kind'],
  id: string,
  summary: string,
  more: Partial<DataPlaneOperation> = {},
): DataPlaneOperation => ({ method: 'get', path: `${chat}${path}`, kind, protocol: 'chat', id, summary, ...more });

const genaiPost = (
  action: string,
  kind: RouteAction['kind'],
  summary: string,
  body: string,
  more: Partial<DataPlaneOperation> = {},
): DataPlaneOperation => ({
  method: 'post',
  path: `${MODEL}:${action}`,
  sample: `${SAMPLE_MODEL}:${action}`,
  kind,
  protocol: 'genai',
  id: action,
  summary,
  body,
  ...more,
});

const NAMES = { names: '`makers`: list models under the ids of their makers.' };
const ON_REQUEST = { streams: 'on request' } as const;

const PAGE = {
  order: '`asc` or `desc` (default: desc).',
  after: 'Id of the last item of the page before.',
  limit: 'Items on a page, 1 to 100 (default: 20).',
};
/** Only where the operator stores responses; deleting is described on the page. */
const STORED: readonly DataPlaneOperation[] = [
  chatPost(
    '/responses/compact',
    'compact',
    'compactResponse',
    'Compacts a conversation into items that stand for it.',
    'ResponsesRequest',
  ),
  chatPost(
    '/responses/input_tokens',
    'count-tokens',
    'countInputTokens',
    'Counts the tokens that a request would send, with what it refers to.',
    'ResponsesRequest',
  ),
  chatGet('/responses/{response}', 'stored', 'getResponse', 'Returns a stored response.', {
    sample: `${chat}/responses/resp_1`,
  }),
  chatGet('/responses/{response}/input_items', 'stored', 'listInputItems', 'Lists what a stored response was asked.', {
    sample: `${chat}/responses/resp_1/input_items`,
    query: PAGE,
  }),
  chatPost(
    '/conversations',
    'stored',
    'createConversation',
    'Creates a conversation, with up to 20 items.',
    'ConversationRequest',
  ),
  chatGet('/conversations/{conversation}', 'stored', 'getConversation', 'Returns a conversation.', {
    sample: `${chat}/conversations/conv_1`,
  }),
  chatPost(
    '/conversations/{conversation}',
    'stored',
    'updateConversation',
    'Replaces the metadata of a conversation.',
    'ConversationRequest',
    { sample: `${chat}/conversations/conv_1` },
  ),
  chatGet(
    '/conversations/{conversation}/items',
    'stored',
    'listConversationItems',
    'Lists the items of a conversation.',
    { sample: `${chat}/conversations/conv_1/items`, query: PAGE },
  ),
  chatPost(
    '/conversations/{conversation}/items',
    'stored',
    'addConversationItems',
    'Adds up to 20 items to a conversation.',
    'ConversationRequest',
    { sample: `${chat}/conversations/conv_1/items` },
  ),
];

export const OPERATIONS: readonly DataPlaneOperation[] = [
  chatPost(
    '/chat/completions',
    'text-call',
    'createChatCompletion',
    'Writes text, in the format of chat completions.',
    'ChatCompletionRequest',
    ON_REQUEST,
  ),
  chatPost(
    '/completions',
    'text-call',
    'createCompletion',
    'Writes text after a prompt, in the older format.',
    'CompletionRequest',
    ON_REQUEST,
  ),
  chatPost(
    '/responses',
    'text-call',
    'createResponse',
    'Writes text, in the format of Responses.',
    'ResponsesRequest',
    ON_REQUEST,
  ),
  ...STORED,
  chatPost('/embeddings', 'embed-call', 'createEmbedding', 'Computes embeddings.', 'EmbeddingsRequest'),
  chatPost('/rerank', 'rerank-call', 'rerank', 'Orders documents by how well they answer a query.', 'RerankRequest'),
  chatPost(
    '/moderations',
    'moderation-call',
    'createModeration',
    'Judges whether texts and images are harmful.',
    'ModerationsRequest',
  ),
  chatPost('/images/generations', 'image-call', 'createImage', 'Makes images.', 'ImagesRequest', ON_REQUEST),
  chatPost('/images/edits', 'image-call', 'editImage', 'Edits images, sent as files of a form.', 'ImagesRequest', {
    ...ON_REQUEST,
    media: 'multipart/form-data',
  }),
  chatPost('/audio/speech', 'sound-call', 'createSpeech', 'Speaks a text.', 'SpeechRequest', {
    ...ON_REQUEST,
    gives: 'audio/mpeg',
  }),
  chatPost(
    '/audio/transcriptions',
    'sound-call',
    'createTranscription',
    'Writes down what is said in a recording, sent as a file of a form.',
    'TranscriptionRequest',
    { ...ON_REQUEST, media: 'multipart/form-data' },
  ),
  chatPost(
    '/audio/translations',
    'sound-call',
    'createTranslation',
    'Writes down in English what is said in a recording, sent as a file of a form.',
    'TranscriptionRequest',
    { media: 'multipart/form-data' },
  ),
  chatPost('/videos', 'videos', 'createVideo', 'Orders a video; the answer is its object.', 'VideoOrderRequest'),
  chatGet('/videos', 'videos', 'listVideos', 'Lists the videos of this account.', { query: PAGE }),
  chatGet('/videos/{video}', 'videos', 'getVideo', 'Shows how far a video is.', { sample: `${chat}/videos/video_1` }),
  chatGet('/audio/voices', 'list-models', 'listVoices', 'Lists names that models of the hosts speak with.'),
  chatGet('/audio/models', 'list-models', 'listSpeakingModels', 'Lists the models that speak.'),
  chatGet('/models', 'list-models', 'listModels', 'Lists the models that can be called.', {
    query: NAMES,
    headers: { 'anthropic-version': 'Any value: the answer has the format of messages.' },
  }),
  chatGet('/models/{model}', 'one-model', 'getModel', 'Shows one model.', { sample: `${chat}/models/openai/gpt-4o` }),
  chatGet(
    '/generation',
    'own-report',
    'getGeneration',
    'Shows usage, cost and attempts of one request of this account.',
    {
      query: { id: 'The id of the request, of the header `x-request-id`.' },
    },
  ),
  chatGet('/usage', 'own-report', 'getUsage', 'Sums up what this account has used.', {
    query: {
      from: 'First day, UTC, such as 2026-11-01 (default: 30 days before `until`).',
      until: 'End date, exclusive (default: tomorrow).',
      by: 'What to group by: day, hour, model, key, provider; several with commas (default: day).',
      model: 'Of this model only.',
      key: 'Of this key only.',
    },
  }),
  chatGet('/credits', 'own-report', 'getCredits', 'Shows what this account has paid in and spent.'),
  chatGet('/key', 'own-report', 'getKey', 'Shows this key: its rights, its limits and what was spent with it.'),
  chatGet('/requests/{id}', 'one-request', 'explainRequest', 'Explains why a request went where it went.', {
    sample: `${chat}/requests/req_1`,
  }),
  chatPost(
    '/route',
    'dry-run',
    'explainRoute',
    'Explains where a call would go, without making it.',
    'ChatCompletionRequest',
    {
      headers: { 'x-trivium-path': 'Path of the call, where it is not a chat completion; the body is that call’s.' },
    },
  ),
  {
    method: 'post',
    path: `${messages}/messages`,
    kind: 'text-call',
    protocol: 'messages',
    id: 'createMessage',
    summary: 'Writes text, in the format of messages.',
    body: 'MessagesRequest',
    ...ON_REQUEST,
  },
  {
    method: 'post',
    path: `${messages}/messages/count_tokens`,
    kind: 'count-tokens',
    protocol: 'messages',
    id: 'countMessageTokens',
    summary: 'Counts the tokens of a request.',
    body: 'CountTokensRequest',
  },
  genaiPost(
    'generateContent',
    'text-call',
    'Writes text, in the format of generate content.',
    'GenerateContentRequest',
  ),
  genaiPost(
    'streamGenerateContent',
    'text-call',
    'Writes text as a stream, in the format of generate content.',
    'GenerateContentRequest',
    {
      streams: 'always',
      query: { alt: '`sse`: server-sent events; without it one JSON array.' },
    },
  ),
  genaiPost('countTokens', 'count-tokens', 'Counts the tokens of a request.', 'GenerateContentRequest'),
  genaiPost('embedContent', 'embed-call', 'Computes one embedding.', 'EmbedContentRequest'),
  genaiPost('batchEmbedContents', 'embed-call', 'Computes several embeddings.', 'BatchEmbedContentsRequest'),
  genaiPost('predict', 'image-call', 'Makes images, or computes embeddings.', 'PredictRequest'),
  genaiPost('predictLongRunning', 'video-call', 'Orders a video; the answer names an operation.', 'VideoRequest'),
  genaiPost(
    'fetchPredictOperation',
    'video-poll',
    'Shows how far a video is, by the name of its operation.',
    'VideoPollRequest',
  ),
  {
    method: 'get',
    path: `${MODEL}/operations/{id}`,
    sample: `${SAMPLE_MODEL}/operations/op_1`,
    kind: 'video-poll',
    protocol: 'genai',
    id: 'getOperation',
    summary: 'Shows how far a video is.',
  },
  {
    method: 'get',
    path: `${genai}/models`,
    kind: 'list-models',
    protocol: 'genai',
    id: 'listGenaiModels',
    summary: 'Lists the models, in the format of generate content.',
    query: NAMES,
  },
];
