/** The chat protocol through the official OpenAI SDK: how a scenario is asked, and what its user finds in the answer. */
import OpenAI from 'openai';
import type { Ask, Caller, Conversation, Json, Part, Said, Seen } from '../meaning.ts';
import { schemaOf } from './word-schema.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;
/** Members the service adds to OpenAI's own, read as its users read them. */
type Answer = OpenAI.ChatCompletionMessage & {
  reasoning?: string;
  reasoning_details?: Json[];
  images?: { image_url: { url: string } }[];
};

function partOf(part: Part): OpenAI.ChatCompletionContentPart {
  if ('text' in part) {
    const cache_control = part.cached ? { cache_control: { type: 'ephemeral' } } : {};
    return { type: 'text', text: part.text, ...cache_control };
  }
  if ('image' in part) return { type: 'image_url', image_url: { url: `data:image/png;base64,${part.image}` } };
  if ('imageUrl' in part) return { type: 'image_url', image_url: { url: part.imageUrl } };
  if ('pdf' in part)
    return { type: 'file', file: { filename: part.name, file_data: `data:application/pdf;base64,${part.pdf}` } };
  return { type: 'input_audio', input_audio: { data: part.audio, format: 'wav' } };
}

const [only, textOf] = [
  (parts: readonly Part[]) => (parts.length === 1 && 'text' in (parts[0] as Part) ? parts[0] : undefined),
  (part: Part): string => ('text' in part ? part.text : ''),
];

function contentOf(parts: readonly Part[]): string | OpenAI.ChatCompletionContentPart[] {
  const one = only(parts);
  return one !== undefined && !('cached' in one) ? textOf(one) : parts.map(partOf);
}

function formatOf(output: NonNullable<Ask['output']>): NonNullable<Params['response_format']> {
  if (output === 'json') return { type: 'json_object' };
  const schema = schemaOf(output);
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };
}

function toolsOf({ tools = [], customTool }: Ask): OpenAI.ChatCompletionTool[] {
  return [
    ...tools.map(({ name, about, schema }) => ({
      type: 'function' as const,
      function: { name, description: about, parameters: schema },
    })),
    ...(customTool === undefined ? [] : [{ type: 'custom' as const, custom: { name: customTool } }]),
  ];
}

function choiceOf(choice: NonNullable<Ask['choice']>): OpenAI.ChatCompletionToolChoiceOption {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.one } };
  return choice === 'any' ? 'required' : 'none';
}

function paramsOf(model: string, ask: Ask, messages: Message[]): Params {
  const tools = toolsOf(ask);
  return {
    model,
    messages,
    ...(tools.length > 0 && { tools }),
    ...(ask.choice !== undefined && { tool_choice: choiceOf(ask.choice) }),
    ...(ask.oneCall && { parallel_tool_calls: false }),
    ...(ask.output !== undefined && { response_format: formatOf(ask.output) }),
    ...(ask.maxTokens !== undefined && { max_completion_tokens: ask.maxTokens }),
    ...(ask.temperature !== undefined && { temperature: ask.temperature }),
    ...(ask.topP !== undefined && { top_p: ask.topP }),
    ...(ask.stop !== undefined && { stop: [...ask.stop] }),
    ...(ask.seed !== undefined && { seed: ask.seed }),
    ...(ask.frequencyPenalty !== undefined && { frequency_penalty: ask.frequencyPenalty }),
    ...(ask.logprobs !== undefined && { logprobs: true, top_logprobs: ask.logprobs }),
    ...(ask.thinks && { reasoning_effort: 'medium' }),
    ...(ask.searches && { web_search_options: {} }),
  };
}

/** Offsets count characters of the text. */
const passage = (text: string, from: number, to: number): string => Array.from(text).slice(from, to).join('');

function seenIn(
  answer: Answer,
  { finish_reason, logprobs }: OpenAI.ChatCompletion.Choice,
  usage: OpenAI.CompletionUsage | undefined,
): Seen {
  const text = answer.content ?? '';
  return {
    text,
    thinking: answer.reasoning ?? '',
    refusal: answer.refusal ?? '',
    calls: (answer.tool_calls ?? []).map((call) =>
      call.type === 'function'
        ? { id: call.id, name: call.function.name, argumentsText: call.function.arguments }
        : { id: call.id, name: call.custom.name, argumentsText: call.custom.input },
    ),
    citations: (answer.annotations ?? []).map(({ url_citation: { url, title, start_index, end_index } }) => ({
      url,
      title,
      passage: passage(text, start_index, end_index),
    })),
    images: (answer.images ?? []).map(({ image_url }) => image_url.url.split(',').at(-1) ?? ''),
    logprobs: (logprobs?.content ?? []).map(({ token, logprob }) => ({ token, logprob })),
    finish: finish_reason,
    usage: {
      input: usage?.prompt_tokens ?? -1,
      output: usage?.completion_tokens ?? -1,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    },
  };
}

/** Reasoning is no part of OpenAI's own answers, so its users put the pieces together themselves. */
function joinReasoning(deltas: readonly Partial<Answer>[]): Partial<Answer> {
  const details: Json[] = [];
  for (const piece of deltas.flatMap(({ reasoning_details }) => reasoning_details ?? [])) {
    const open = details.find(({ index, type }) => index === piece['index'] && type === piece['type']);
    if (open === undefined) details.push({ ...piece });
    else
      for (const [name, value] of Object.entries(piece))
        open[name] = ['text', 'summary', 'data', 'signature'].includes(name)
          ? `${open[name] ?? ''}${value ?? ''}`
          : (value ?? open[name]);
  }
  const reasoning = deltas.map((delta) => delta.reasoning ?? '').join('');
  return {
    ...(reasoning !== '' && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(deltas.some(({ images }) => images) && { images: deltas.flatMap(({ images }) => images ?? []) }),
    ...(deltas.some(({ annotations }) => annotations) && {
      annotations: deltas.flatMap(({ annotations }) => annotations ?? []),
    }),
  };
}

async function answerOf(client: OpenAI, params: Params, stream: boolean): Promise<[Answer, OpenAI.ChatCompletion]> {
  if (!stream) {
    const whole = await client.chat.completions.create(params);
    return [whole.choices[0]?.message as Answer, whole];
  }
  const deltas: Partial<Answer>[] = [];
  const running = client.chat.completions.stream({ ...params, stream: true, stream_options: { include_usage: true } });
  running.on('chunk', ({ choices }) => {
    deltas.push(...choices.map(({ delta }) => delta as Partial<Answer>));
  });
  const whole = await running.finalChatCompletion();
  const message: Json = { ...whole.choices[0]?.message };
  // The last piece alone, and what the helper parsed: not for sending back.
  for (const name of ['parsed', 'reasoning', 'reasoning_content', 'reasoning_details']) delete message[name];
  return [{ ...(message as unknown as Answer), ...joinReasoning(deltas) }, whole];
}

export const chatCaller: Caller = {
  inbound: 'chat',
  open({ url, key }, model, ask): Conversation {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/api/v1`, maxRetries: 0 });
    const messages: Message[] = (ask.system ?? []).map((content) => ({ role: 'system', content }));
    let ids: string[] = [];
    return {
      say(said: Said): void {
        if ('user' in said) messages.push({ role: 'user', content: contentOf(said.user) });
        else if ('assistant' in said) messages.push({ role: 'assistant', content: said.assistant });
        else if ('system' in said) messages.push({ role: 'system', content: said.system });
        else if ('results' in said)
          for (const [at, { parts }] of said.results.entries())
            messages.push({
              role: 'tool',
              tool_call_id: ids[at] ?? '',
              content: parts.map(textOf).join(''),
            });
      },
      async hear(stream) {
        const [answer, whole] = await answerOf(client, paramsOf(model, ask, messages), stream);
        const choice = whole.choices[0] as OpenAI.ChatCompletion.Choice;
        messages.push(answer);
        ids = (answer.tool_calls ?? []).map(({ id }) => id);
        return seenIn(answer, choice, whole.usage);
      },
    };
  },
};
