// Writes docs/reference/data-plane-api.json, the OpenAPI document of the data plane, and the pages of its reference; with
// --check it only says whether they are stale.
// Run: node --conditions=trivium-source scripts/docs/generate-data-plane-api.ts [--check]

import { readFileSync } from 'node:fs';
import { type ApiDocument, callsOf } from './api/document.ts';
import { type Api, type Group, overviewOf, pagesOf } from './api/pages.ts';
import { dataPlaneDocument } from './data-plane/document.ts';
import { CALL_EXAMPLES } from './data-plane/examples.ts';
import { OPERATIONS } from './data-plane/operations.ts';
import { writeOrCheck, writeOrCheckFolder } from './generated-document.ts';

const SCRIPT = 'scripts/docs/generate-data-plane-api.ts';
const PAGE = new URL('../../docs/reference/data-plane-api.md', import.meta.url);
const MARK = '<!-- generated from here on -->';

const PAGES: readonly (readonly [file: string, title: string, about: string, ids: readonly string[]])[] = [
  [
    'chat-completions',
    'API: chat completions',
    'Text, in the format of OpenAI’s chat completions.',
    ['createChatCompletion'],
  ],
  [
    'responses',
    'API: Responses',
    'Text, in the format of OpenAI’s Responses; stored responses and conversations.',
    [
      'createResponse',
      'compactResponse',
      'countInputTokens',
      'getResponse',
      'listInputItems',
      'createConversation',
      'getConversation',
      'updateConversation',
      'listConversationItems',
      'addConversationItems',
    ],
  ],
  ['completions', 'API: completions', 'Text after a prompt, in the older format.', ['createCompletion']],
  [
    'messages',
    'API: messages',
    'Text, and its tokens, in Anthropic’s format.',
    ['createMessage', 'countMessageTokens'],
  ],
  [
    'generate-content',
    'API: generate content',
    'Text, and its tokens, in Google’s format.',
    ['generateContent', 'streamGenerateContent', 'countTokens'],
  ],
  ['embeddings', 'API: embeddings', 'Vectors of texts.', ['createEmbedding', 'embedContent', 'batchEmbedContents']],
  ['rerank', 'API: reranking', 'Documents, the best first.', ['rerank']],
  ['moderations', 'API: moderation', 'Whether texts and images are harmful.', ['createModeration']],
  ['images', 'API: images', 'Make and edit images.', ['createImage', 'editImage', 'predict']],
  [
    'sound',
    'API: sound',
    'Speak texts, and write down recordings.',
    ['createSpeech', 'createTranscription', 'createTranslation', 'listVoices', 'listSpeakingModels'],
  ],
  [
    'videos',
    'API: videos',
    'Order videos, and ask for them.',
    ['predictLongRunning', 'fetchPredictOperation', 'getOperation', 'createVideo', 'listVideos', 'getVideo'],
  ],
  ['models', 'API: models', 'Which models can be called.', ['listModels', 'getModel', 'listGenaiModels']],
  [
    'account',
    'API: usage and key',
    'What an account has used, and what its key may do.',
    ['getGeneration', 'getUsage', 'getCredits', 'getKey'],
  ],
  [
    'explain',
    'API: explain a request',
    'Why a request went where it went, and where one would go.',
    ['explainRequest', 'explainRoute'],
  ],
];

const document = dataPlaneDocument() as unknown as ApiDocument;
const calls = callsOf(document);
const groups: readonly Group[] = PAGES.map(([file, title, about, ids]) => ({
  file,
  title,
  about,
  calls: calls.filter(({ operation }) => ids.includes(operation.operationId)),
}));
if (groups.flatMap((group) => group.calls).length !== OPERATIONS.length)
  throw new Error(`a call of the data plane is on no page of ${SCRIPT}`);

const pick = <Name extends 'files' | 'headers' | 'query'>(name: Name) =>
  Object.fromEntries(
    Object.entries(CALL_EXAMPLES).flatMap(([id, one]) => (one[name] === undefined ? [] : [[id, one[name]]])),
  );

const DATA_PLANE: Api = {
  document,
  origin: { url: 'https://gw.example.com', secret: 'TRIVIUM_KEY' },
  groups,
  script: SCRIPT,
  intro: 'Addresses, credentials and all other calls: [Data-plane API](../data-plane-api.md).',
  files: pick('files'),
  headers: pick('headers'),
  query: pick('query'),
};

if (import.meta.main) {
  writeOrCheck({
    target: new URL('../../docs/reference/data-plane-api.json', import.meta.url),
    script: SCRIPT,
    text: `${JSON.stringify(document, null, 2)}\n`,
  });
  writeOrCheckFolder(
    new URL('../../docs/reference/api/', import.meta.url),
    SCRIPT,
    pagesOf(DATA_PLANE, 'API: objects'),
  );
  const [intro = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  writeOrCheck({
    target: PAGE,
    script: SCRIPT,
    text: `${intro}${MARK}\n\n${overviewOf(DATA_PLANE, 'api').trimEnd()}\n`,
  });
}
