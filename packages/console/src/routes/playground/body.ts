/** A draft as the body of each protocol, without the model. */
import type { Draft, Effort, Mode, Picture, Turn } from './draft.ts';
import { parseTools } from './tools.ts';

export type Body = Readonly<Record<string, unknown>>;

const DEFAULT_MAX_TOKENS = 1024;
const BUDGETS: Readonly<Record<Exclude<Effort, 'off'>, number>> = { low: 1024, medium: 4096, high: 16_384 };

const numberOf = (text: string): number | undefined => {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
};

/** Removes undefined members, so that the JSON shown is the JSON sent. */
const clean = (body: Record<string, unknown>): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

const some = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);
const dataUrl = ({ mime, base64 }: Picture): string => `data:${mime};base64,${base64}`;

function chatTurn({ role, text, pictures }: Turn): Body {
  if (pictures.length === 0) return { role, content: text };
  const images = pictures.map((picture) => ({ type: 'image_url', image_url: { url: dataUrl(picture) } }));
  return { role, content: [{ type: 'text', text }, ...images] };
}

function chatBody(draft: Draft): Body {
  const system = draft.system === '' ? [] : [{ role: 'system', content: draft.system }];
  const tools = (parseTools(draft.tools) ?? []).map((tool) => ({ type: 'function', function: tool }));
  return clean({
    messages: [...system, ...draft.turns.map(chatTurn)],
    tools: some(tools),
    max_completion_tokens: numberOf(draft.maxTokens),
    temperature: numberOf(draft.temperature),
    reasoning_effort: draft.effort === 'off' ? undefined : draft.effort,
    stream: draft.isStream || undefined,
    stream_options: draft.isStream ? { include_usage: true } : undefined,
  });
}

const responsesTurn = ({ role, text, pictures }: Turn): Body => ({
  role,
  content: [
    { type: role === 'user' ? 'input_text' : 'output_text', text },
    ...pictures.map((picture) => ({ type: 'input_image', image_url: dataUrl(picture) })),
  ],
});

function responsesBody(draft: Draft): Body {
  const tools = (parseTools(draft.tools) ?? []).map((tool) => ({ type: 'function', ...tool }));
  return clean({
    instructions: draft.system || undefined,
    input: draft.turns.map(responsesTurn),
    tools: some(tools),
    max_output_tokens: numberOf(draft.maxTokens),
    temperature: numberOf(draft.temperature),
    reasoning: draft.effort === 'off' ? undefined : { effort: draft.effort, summary: 'auto' },
    store: false,
    stream: draft.isStream || undefined,
  });
}

const messagesTurn = ({ role, text, pictures }: Turn): Body => ({
  role,
  content: [
    ...pictures.map(({ mime, base64 }) => ({
      type: 'image',
      source: { type: 'base64', media_type: mime, data: base64 },
    })),
    { type: 'text', text },
  ],
});

function messagesBody(draft: Draft): Body {
  const budget = draft.effort === 'off' ? 0 : BUDGETS[draft.effort];
  const tools = (parseTools(draft.tools) ?? []).map(({ name, description, parameters }) =>
    clean({ name, description, input_schema: parameters ?? { type: 'object' } }),
  );
  return clean({
    system: draft.system || undefined,
    messages: draft.turns.map(messagesTurn),
    tools: some(tools),
    // Thinking counts towards the limit.
    max_tokens: (numberOf(draft.maxTokens) ?? DEFAULT_MAX_TOKENS) + budget,
    temperature: numberOf(draft.temperature),
    thinking: budget === 0 ? undefined : { type: 'enabled', budget_tokens: budget },
    stream: draft.isStream || undefined,
  });
}

const genaiTurn = ({ role, text, pictures }: Turn): Body => ({
  role: role === 'user' ? 'user' : 'model',
  parts: [{ text }, ...pictures.map(({ mime, base64 }) => ({ inlineData: { mimeType: mime, data: base64 } }))],
});

function genaiBody(draft: Draft): Body {
  const tools = parseTools(draft.tools) ?? [];
  const config = clean({
    maxOutputTokens: numberOf(draft.maxTokens),
    temperature: numberOf(draft.temperature),
    thinkingConfig:
      draft.effort === 'off' ? undefined : { thinkingBudget: BUDGETS[draft.effort], includeThoughts: true },
  });
  return clean({
    systemInstruction: draft.system === '' ? undefined : { parts: [{ text: draft.system }] },
    contents: draft.turns.map(genaiTurn),
    tools: tools.length > 0 ? [{ functionDeclarations: tools }] : undefined,
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  });
}

const promptOf = ({ turns }: Draft): string => turns.at(-1)?.text ?? '';

function videoBody(draft: Draft): Body {
  const [picture] = draft.turns.at(-1)?.pictures ?? [];
  return {
    instances: [
      clean({
        prompt: promptOf(draft),
        image: picture && { bytesBase64Encoded: picture.base64, mimeType: picture.mime },
      }),
    ],
    parameters: clean({
      durationSeconds: numberOf(draft.seconds),
      aspectRatio: draft.ratio || undefined,
      resolution: draft.size || undefined,
    }),
  };
}

const BUILDERS: Readonly<Record<Mode, (draft: Draft) => Body>> = {
  chat: chatBody,
  responses: responsesBody,
  messages: messagesBody,
  genai: genaiBody,
  image: (draft) => clean({ prompt: promptOf(draft), size: draft.size || undefined }),
  video: videoBody,
  speech: (draft) =>
    clean({ input: promptOf(draft), voice: draft.voice || undefined, response_format: draft.soundFormat || undefined }),
  transcription: (draft) =>
    clean({ language: draft.language || undefined, response_format: draft.wordsFormat || undefined }),
  rerank: (draft) =>
    clean({
      query: promptOf(draft),
      documents: draft.documents.split('\n').filter((line) => line.trim() !== ''),
      top_n: numberOf(draft.best),
    }),
};

export const bodyOf = (draft: Draft): Body => BUILDERS[draft.mode](draft);

export type Target = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly file?: { readonly name: string; readonly base64: string };
};

/** Google's protocol has the model and the choice of streaming in the path; the others have them in the body. */
export function targetOf(mode: Mode, model: string, body: Body, isStrict: boolean, isStream: boolean): Target {
  const strict: Record<string, string> = isStrict ? { 'x-trivium-strict': 'true' } : {};
  const [owner = '', name = ''] = model.split(/\/(.*)/s);
  const google = `/api/vertex-ai/v1/publishers/${encodeURIComponent(owner)}/models/${encodeURIComponent(name)}`;
  const withModel = { model, ...body };
  switch (mode) {
    case 'chat':
      return { path: '/api/v1/chat/completions', headers: strict, body: withModel };
    case 'responses':
      return { path: '/api/v1/responses', headers: strict, body: withModel };
    case 'messages':
      return {
        path: '/api/anthropic/v1/messages',
        headers: { ...strict, 'anthropic-version': '2023-06-01' },
        body: withModel,
      };
    case 'genai':
      return {
        path: `${google}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        headers: strict,
        body,
      };
    case 'image':
      return { path: '/api/v1/images/generations', headers: strict, body: withModel };
    case 'speech':
      // As events: text, like every other answer here.
      return { path: '/api/v1/audio/speech', headers: strict, body: { ...withModel, stream_format: 'sse' } };
    case 'transcription':
      return { path: '/api/v1/audio/transcriptions', headers: strict, body: withModel };
    case 'rerank':
      return { path: '/api/v1/rerank', headers: strict, body: withModel };
    case 'video':
      return { path: `${google}:predictLongRunning`, headers: strict, body };
  }
}
