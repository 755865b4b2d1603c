/** The four protocols through the official SDKs, with answers reduced to what all of them have. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

type Wanted = {
  readonly prompt: string;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly stop?: string;
};
type SdkAnswer = {
  readonly text: string;
  readonly finish: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
};
export type Caller = {
  readonly name: string;
  /** The protocol's word for an answer that reached its cap. */
  readonly lengthFinish: string;
  /** False where the protocol has no stop sequences. */
  readonly stops: boolean;
  plain(wanted: Wanted): Promise<SdkAnswer>;
  streamed(wanted: Wanted): Promise<SdkAnswer>;
};

const MODEL = 'local/tiny';
const MAX_TOKENS = 24;

function chat(url: string, apiKey: string): Caller {
  const client = new OpenAI({ apiKey, baseURL: `${url}/api/v1`, maxRetries: 0 });
  const body = ({ prompt, model = MODEL, maxTokens = MAX_TOKENS, stop }: Wanted) => ({
    model,
    messages: [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: prompt },
    ],
    max_completion_tokens: maxTokens,
    temperature: 0,
    ...(stop !== undefined && { stop: [stop] }),
  });
  const answerOf = ({ choices, usage }: OpenAI.ChatCompletion): SdkAnswer => ({
    text: choices[0]?.message.content ?? '',
    finish: choices[0]?.finish_reason ?? '',
    inputTokens: usage?.prompt_tokens ?? 0,
    outputTokens: usage?.completion_tokens ?? 0,
  });
  return {
    name: 'chat completions (openai)',
    lengthFinish: 'length',
    stops: true,
    plain: async (wanted) => answerOf(await client.chat.completions.create(body(wanted))),
    streamed: async (wanted) => {
      const stream = client.chat.completions.stream({ ...body(wanted), stream_options: { include_usage: true } });
      return answerOf(await stream.finalChatCompletion());
    },
  };
}

function responses(url: string, apiKey: string): Caller {
  const client = new OpenAI({ apiKey, baseURL: `${url}/api/v1`, maxRetries: 0 });
  const body = ({ prompt, model = MODEL, maxTokens = MAX_TOKENS }: Wanted) => ({
    model,
    instructions: 'Be brief.',
    input: prompt,
    max_output_tokens: maxTokens,
    temperature: 0,
  });
  const answerOf = (response: OpenAI.Responses.Response): SdkAnswer => ({
    text: response.output_text,
    finish: response.incomplete_details?.reason ?? response.status ?? '',
    inputTokens: response.usage?.input_tokens ?? 0,
    outputTokens: response.usage?.output_tokens ?? 0,
  });
  return {
    name: 'Responses (openai)',
    lengthFinish: 'max_output_tokens',
    stops: false,
    plain: async (wanted) => answerOf(await client.responses.create(body(wanted))),
    streamed: async (wanted) => answerOf(await client.responses.stream(body(wanted)).finalResponse()),
  };
}

function messages(url: string, apiKey: string): Caller {
  const client = new Anthropic({ apiKey, baseURL: `${url}/api/anthropic`, maxRetries: 0 });
  const body = ({ prompt, model = MODEL, maxTokens = MAX_TOKENS, stop }: Wanted) => ({
    model,
    system: 'Be brief.',
    messages: [{ role: 'user' as const, content: prompt }],
    max_tokens: maxTokens,
    temperature: 0,
    ...(stop !== undefined && { stop_sequences: [stop] }),
  });
  const answerOf = ({ content, stop_reason, usage }: Anthropic.Message): SdkAnswer => ({
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    finish: stop_reason ?? '',
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
  });
  return {
    name: 'messages (anthropic)',
    lengthFinish: 'max_tokens',
    stops: true,
    plain: async (wanted) => answerOf(await client.messages.create(body(wanted))),
    streamed: async (wanted) => answerOf(await client.messages.stream(body(wanted)).finalMessage()),
  };
}

function generate(url: string, apiKey: string): Caller {
  const httpOptions = { baseUrl: `${url}/api/vertex-ai`, apiVersion: 'v1' };
  const client = new GoogleGenAI({ vertexai: true, apiKey, httpOptions });
  const body = ({ prompt, model = MODEL, maxTokens = MAX_TOKENS, stop }: Wanted) => ({
    model,
    contents: prompt,
    config: {
      systemInstruction: 'Be brief.',
      maxOutputTokens: maxTokens,
      temperature: 0,
      ...(stop !== undefined && { stopSequences: [stop] }),
    },
  });
  type Chunk = Awaited<ReturnType<typeof client.models.generateContent>>;
  const answerOf = (chunks: readonly Chunk[]): SdkAnswer => ({
    text: chunks.map(({ text }) => text ?? '').join(''),
    finish: chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason)?.candidates?.[0]?.finishReason ?? '',
    inputTokens: chunks.at(-1)?.usageMetadata?.promptTokenCount ?? 0,
    outputTokens: chunks.at(-1)?.usageMetadata?.candidatesTokenCount ?? 0,
  });
  return {
    name: 'generate content (google)',
    lengthFinish: 'MAX_TOKENS',
    stops: true,
    plain: async (wanted) => answerOf([await client.models.generateContent(body(wanted))]),
    streamed: async (wanted) => {
      const chunks: Chunk[] = [];
      for await (const chunk of await client.models.generateContentStream(body(wanted))) chunks.push(chunk);
      return answerOf(chunks);
    },
  };
}

export const CALLERS: readonly ((url: string, apiKey: string) => Caller)[] = [chat, responses, messages, generate];
