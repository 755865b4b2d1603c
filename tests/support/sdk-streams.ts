/** Official SDKs read one stream to its end: the result of each, or its error. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createVertex } from '@ai-sdk/google-vertex';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { jsonSchema, type LanguageModel, streamText, tool } from 'ai';
import AnthropicOld from 'anthropic-sdk-0-60';
import AnthropicOlder from 'anthropic-sdk-0-137';
import { GoogleGenAI as GoogleGenAIOlder } from 'google-genai-1';
import OpenAI from 'openai';
import { chatRoad } from './chat-road.ts';
import { genaiRoad } from './genai-road.ts';
import { messagesRoad } from './messages-road.ts';
import { responsesRoad } from './responses-road.ts';
import { type RequestOptions, type Road, SCHEMA } from './roads.ts';
import { KEY } from './stand.ts';

type StreamWanted = {
  /** Of the gateway. */
  readonly url: string;
  readonly model: string;
  readonly prompt: string;
  readonly responseOptions: RequestOptions;
};
type Reader = (wanted: StreamWanted) => Promise<unknown>;

async function drain(stream: unknown): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream as AsyncIterable<unknown>) items.push(item);
  return items;
}

const bodyOf = (road: Road, { model, prompt, responseOptions }: StreamWanted, more: RequestOptions = {}): never =>
  road.body(model, [road.user(prompt)], { ...responseOptions, ...more }) as never;

const openai = ({ url }: StreamWanted): OpenAI => new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 0 });

const anthropicOf =
  (Client: unknown) =>
  ({ url }: StreamWanted): Anthropic =>
    new (Client as typeof Anthropic)({ apiKey: KEY, baseURL: `${url}/api/anthropic`, maxRetries: 0 });

const genaiOf =
  (Client: unknown): Reader =>
  async (wanted) => {
    const client = new (Client as typeof GoogleGenAI)({
      vertexai: true,
      apiKey: KEY,
      httpOptions: { baseUrl: `${wanted.url}/api/vertex-ai`, apiVersion: 'v1' },
    });
    const { contents, tools, generationConfig } = bodyOf(genaiRoad, wanted) as {
      contents: never;
      tools?: never[];
      generationConfig?: object;
    };
    const config = { ...generationConfig, ...(tools && { tools }) };
    return drain(await client.models.generateContentStream({ model: wanted.model, contents, config }));
  };

/** Stream helpers where an SDK has one, as its documentation recommends. */
export const NEWEST: Readonly<Record<Road['name'], Reader>> = {
  chat: async (wanted) =>
    drain(await openai(wanted).chat.completions.create(bodyOf(chatRoad, wanted, { stream: true }))),
  responses: async (wanted) =>
    drain(await openai(wanted).responses.create(bodyOf(responsesRoad, wanted, { stream: true }))),
  messages: (wanted) => anthropicOf(Anthropic)(wanted).messages.stream(bodyOf(messagesRoad, wanted)).finalMessage(),
  genai: genaiOf(GoogleGenAI),
};

/** Vercel reports errors as parts of the stream; a reader must see one, or an exception. */
const vercel =
  (modelOf: (wanted: StreamWanted) => LanguageModel): Reader =>
  async (wanted) => {
    const { tools = [] } = wanted.responseOptions;
    const { fullStream } = streamText({
      model: modelOf(wanted),
      prompt: wanted.prompt,
      maxOutputTokens: 4096,
      maxRetries: 0,
      onError: () => undefined,
      tools: Object.fromEntries(
        tools.map((name) => [name, tool({ inputSchema: jsonSchema({ ...SCHEMA, required: ['city'] }) })]),
      ),
    });
    const parts = await drain(fullStream);
    const failed = (parts as { type: string; error?: unknown }[]).find(({ type }) => type === 'error');
    if (failed !== undefined) throw failed.error instanceof Error ? failed.error : new Error(String(failed.error));
    return parts;
  };

const rawMessages =
  (Client: unknown): Reader =>
  async (wanted) =>
    drain(await anthropicOf(Client)(wanted).messages.create(bodyOf(messagesRoad, wanted, { stream: true })));

const helpedMessages =
  (Client: unknown): Reader =>
  (wanted) =>
    anthropicOf(Client)(wanted).messages.stream(bodyOf(messagesRoad, wanted)).finalMessage();

/** The other clients: older versions, raw iterators beside helpers, and Vercel's providers. */
export const OTHERS: Readonly<Record<string, Reader>> = {
  'openai chat helper': (wanted) =>
    openai(wanted)
      .chat.completions.stream(bodyOf(chatRoad, wanted, { stream: true }))
      .finalChatCompletion(),
  'openai responses helper': (wanted) => openai(wanted).responses.stream(bodyOf(responsesRoad, wanted)).finalResponse(),
  'anthropic 1.x raw': rawMessages(Anthropic),
  'anthropic 0.137 raw': rawMessages(AnthropicOlder),
  'anthropic 0.137 helper': helpedMessages(AnthropicOlder),
  'anthropic 0.60 raw': rawMessages(AnthropicOld),
  'anthropic 0.60 helper': helpedMessages(AnthropicOld),
  'google genai 1.x': genaiOf(GoogleGenAIOlder),
  'vercel openai chat': vercel(({ url, model }) => createOpenAI({ apiKey: KEY, baseURL: `${url}/api/v1` }).chat(model)),
  'vercel openai': vercel(({ url, model }) => createOpenAI({ apiKey: KEY, baseURL: `${url}/api/v1` })(model)),
  'vercel anthropic': vercel(({ url, model }) =>
    createAnthropic({ apiKey: KEY, baseURL: `${url}/api/anthropic/v1` })(model),
  ),
  'vercel google': vercel(({ url, model }) =>
    createGoogle({ apiKey: KEY, baseURL: `${url}/api/vertex-ai/v1beta` })(model),
  ),
  'vercel google-vertex': vercel(({ url, model }) => {
    const [publisher, name = ''] = model.split('/');
    return createVertex({ apiKey: KEY, baseURL: `${url}/api/vertex-ai/v1/publishers/${publisher}` })(name);
  }),
};
