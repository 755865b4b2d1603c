/** What each call of the data plane is shown with: a request that runs as it is. Tests send every one of them. */

export type CallExample = {
  /** Values of the parameters in the path, and of the query. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Members of a form that are files: name of the member to name of the file. */
  readonly files?: Readonly<Record<string, string>>;
};

const QUESTION = 'Where do three roads meet?';
const TEXT_MODEL = 'openai/gpt-5.5';
const messages = [{ role: 'user', content: QUESTION }];
const contents = [{ role: 'user', parts: [{ text: QUESTION }] }];
const GEMINI = { model: 'google/gemini-2.5-flash' };
const EMBEDDING = { model: 'google/gemini-embedding-001' };
const IMAGE = 'openai/gpt-image-2';
const VIDEO = { model: 'google/veo-3.1' };

/** Ids as the gateway makes them; tests put real ones in their place. */
export const REQUEST_ID = '01KA3M6W0X4Q3R8C5JH0T2D9VB';
export const OPERATION_ID = 'Zk3vX0aQd1uJ8mT2bWc5Rg';
export const RESPONSE_ID = 'resp_01KA3M7B2E9D5T1V6KQH8R4XWN';
export const CONVERSATION_ID = 'conv_8f14e45fceea167a5a36dedd4bea2543c9a1';
const RESPONSE = { path: { response: RESPONSE_ID } };
const CONVERSATION = { path: { conversation: CONVERSATION_ID } };
const items = [{ type: 'message', role: 'user', content: QUESTION }];
const metadata = { topic: 'roads' };

export const CALL_EXAMPLES: Readonly<Record<string, CallExample>> = {
  createChatCompletion: { body: { model: TEXT_MODEL, messages } },
  createCompletion: { body: { model: TEXT_MODEL, prompt: QUESTION } },
  createResponse: { body: { model: TEXT_MODEL, input: QUESTION } },
  compactResponse: { body: { model: TEXT_MODEL, input: QUESTION } },
  countInputTokens: { body: { model: TEXT_MODEL, input: QUESTION } },
  getResponse: RESPONSE,
  listInputItems: RESPONSE,
  createConversation: { body: { items, metadata } },
  getConversation: CONVERSATION,
  updateConversation: { ...CONVERSATION, body: { metadata } },
  listConversationItems: CONVERSATION,
  addConversationItems: { ...CONVERSATION, body: { items } },
  createEmbedding: { body: { model: 'openai/text-embedding-3-small', input: QUESTION, dimensions: 8 } },
  rerank: { body: { model: 'cohere/rerank-v3.5', query: QUESTION, documents: ['At sea', 'At a junction'] } },
  createModeration: { body: { input: QUESTION } },
  createImage: { body: { model: IMAGE, prompt: 'A paper boat on a canal at dawn', size: '1024x1024' } },
  editImage: { body: { model: IMAGE, prompt: 'Make it night' }, files: { image: 'boat.png' } },
  createSpeech: {
    body: { model: 'openai/tts-1', input: 'Two roads diverged in a wood.', voice: 'alloy', stream_format: 'sse' },
  },
  createTranscription: { body: { model: 'openai/whisper-1', response_format: 'json' }, files: { file: 'talk.mp3' } },
  createTranslation: { body: { model: 'openai/whisper-1' }, files: { file: 'talk.mp3' } },
  createVideo: {
    body: { model: VIDEO.model, prompt: 'A paper boat on a canal at dawn', seconds: '8', size: '1280x720' },
  },
  listVideos: {},
  getVideo: { path: { video: `video_${OPERATION_ID}` } },
  listVoices: {},
  listSpeakingModels: {},
  listModels: {},
  getModel: { path: { model: TEXT_MODEL } },
  getGeneration: { query: { id: REQUEST_ID } },
  getUsage: { query: { by: 'day,model' } },
  getCredits: {},
  getKey: {},
  explainRequest: { path: { id: REQUEST_ID } },
  explainRoute: { body: { model: TEXT_MODEL, messages } },
  createMessage: {
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'anthropic/claude-sonnet-4.6', max_tokens: 1024, messages },
  },
  countMessageTokens: {
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'anthropic/claude-sonnet-4.6', messages },
  },
  generateContent: { path: GEMINI, body: { contents } },
  streamGenerateContent: { path: GEMINI, query: { alt: 'sse' }, body: { contents } },
  countTokens: { path: GEMINI, body: { contents } },
  embedContent: { path: EMBEDDING, body: { content: { parts: [{ text: QUESTION }] }, outputDimensionality: 8 } },
  batchEmbedContents: {
    path: EMBEDDING,
    body: {
      requests: [
        {
          model: 'models/google/gemini-embedding-001',
          content: { parts: [{ text: QUESTION }] },
          outputDimensionality: 8,
        },
      ],
    },
  },
  predict: {
    path: { model: IMAGE },
    body: { instances: [{ prompt: 'A paper boat on a canal at dawn' }], parameters: { sampleCount: 1 } },
  },
  predictLongRunning: {
    path: VIDEO,
    body: { instances: [{ prompt: 'A paper boat on a canal at dawn' }], parameters: { durationSeconds: 8 } },
  },
  fetchPredictOperation: {
    path: VIDEO,
    body: { operationName: `publishers/google/models/veo-3.1/operations/${OPERATION_ID}` },
  },
  getOperation: { path: { ...VIDEO, id: OPERATION_ID } },
  listGenaiModels: {},
};
