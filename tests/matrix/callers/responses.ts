/** The Responses protocol through the official OpenAI SDK. */
import OpenAI from 'openai';
import type { Ask, Caller, Conversation, Part, Said, Seen } from '../meaning.ts';
import { schemaOf } from './word-schema.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Response = OpenAI.Responses.Response;

function partOf(part: Part): OpenAI.Responses.ResponseInputContent {
  if ('text' in part) {
    const mark = part.cached ? { prompt_cache_breakpoint: { mode: 'explicit' as const } } : {};
    return { type: 'input_text', text: part.text, ...mark };
  }
  if ('image' in part) return { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${part.image}` };
  if ('imageUrl' in part) return { type: 'input_image', detail: 'auto', image_url: part.imageUrl };
  if ('pdf' in part)
    return { type: 'input_file', filename: part.name, file_data: `data:application/pdf;base64,${part.pdf}` };
  throw new Error('Responses has no audio');
}

function formatOf(output: NonNullable<Ask['output']>): OpenAI.Responses.ResponseFormatTextConfig {
  if (output === 'json') return { type: 'json_object' };
  const schema = schemaOf(output);
  return { type: 'json_schema', name: 'answer', schema, strict: true };
}

function toolsOf({ tools = [], customTool, searches }: Ask): OpenAI.Responses.Tool[] {
  return [
    ...tools.map(({ name, about, schema }) => ({
      type: 'function' as const,
      name,
      description: about,
      parameters: schema,
      strict: false,
    })),
    ...(customTool === undefined ? [] : [{ type: 'custom' as const, name: customTool }]),
    ...(searches ? [{ type: 'web_search' as const }] : []),
  ];
}

function choiceOf(choice: NonNullable<Ask['choice']>): NonNullable<Params['tool_choice']> {
  if (typeof choice === 'object') return { type: 'function', name: choice.one };
  return choice === 'any' ? 'required' : 'none';
}

function paramsOf(model: string, ask: Ask, input: Item[]): Params {
  const tools = toolsOf(ask);
  const [instructions] = ask.system ?? [];
  const include: OpenAI.Responses.ResponseIncludable[] = [
    ...(ask.thinks ? ['reasoning.encrypted_content' as const] : []),
    ...(ask.logprobs === undefined ? [] : ['message.output_text.logprobs' as const]),
  ];
  return {
    model,
    input,
    store: false,
    ...(instructions !== undefined && { instructions }),
    ...(tools.length > 0 && { tools }),
    ...(ask.choice !== undefined && { tool_choice: choiceOf(ask.choice) }),
    ...(ask.oneCall && { parallel_tool_calls: false }),
    ...(ask.output !== undefined && { text: { format: formatOf(ask.output) } }),
    ...(ask.maxTokens !== undefined && { max_output_tokens: ask.maxTokens }),
    ...(ask.temperature !== undefined && { temperature: ask.temperature }),
    ...(ask.topP !== undefined && { top_p: ask.topP }),
    ...(ask.logprobs !== undefined && { top_logprobs: ask.logprobs }),
    ...(ask.thinks && { reasoning: { effort: 'medium', summary: 'auto' } }),
    ...(include.length > 0 && { include }),
  };
}

/** A status says that it ended; a reason, why it did not end well. */
function finishOf({ status, incomplete_details }: Response): string {
  return incomplete_details?.reason ?? status ?? '';
}

function seenIn(response: Response): Seen {
  const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const texts = parts.filter((part) => part.type === 'output_text');
  return {
    text: texts.map(({ text }) => text).join(''),
    thinking: response.output
      .flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : []))
      .map(({ text }) => text)
      .join(''),
    refusal: parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
    calls: response.output.flatMap((item) => {
      if (item.type === 'function_call') return [{ id: item.call_id, name: item.name, argumentsText: item.arguments }];
      return item.type === 'custom_tool_call' ? [{ id: item.call_id, name: item.name, argumentsText: item.input }] : [];
    }),
    citations: texts.flatMap(({ text, annotations }) =>
      annotations.flatMap((annotation) =>
        annotation.type === 'url_citation'
          ? [
              {
                url: annotation.url,
                title: annotation.title,
                passage: Array.from(text).slice(annotation.start_index, annotation.end_index).join(''),
              },
            ]
          : [],
      ),
    ),
    images: response.output.flatMap((item) => (item.type === 'image_generation_call' ? [item.result ?? ''] : [])),
    logprobs: texts.flatMap(({ logprobs }) => (logprobs ?? []).map(({ token, logprob }) => ({ token, logprob }))),
    finish: finishOf(response),
    usage: {
      input: response.usage?.input_tokens ?? -1,
      output: response.usage?.output_tokens ?? -1,
      cached: response.usage?.input_tokens_details.cached_tokens ?? 0,
    },
  };
}

/** Removes parsed values that the SDK's stream helper adds: they must not be sent back. */
const sendable = (item: OpenAI.Responses.ResponseOutputItem): Item =>
  JSON.parse(
    JSON.stringify(item, (name, value: unknown) =>
      name === 'parsed' || name === 'parsed_arguments' ? undefined : value,
    ),
  ) as Item;

export const responsesCaller: Caller = {
  inbound: 'responses',
  open({ url, key }, model, ask): Conversation {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/api/v1`, maxRetries: 0 });
    const input: Item[] = (ask.system ?? []).slice(1).map((content) => ({ role: 'developer', content }));
    let called: readonly (OpenAI.Responses.ResponseFunctionToolCall | OpenAI.Responses.ResponseCustomToolCall)[] = [];
    return {
      say(said: Said): void {
        if ('user' in said) input.push({ role: 'user', content: said.user.map(partOf) });
        else if ('assistant' in said) input.push({ role: 'assistant', content: said.assistant });
        else if ('system' in said) input.push({ role: 'developer', content: said.system });
        else if ('vendorBlock' in said)
          input.push({
            type: 'web_search_call',
            id: 'ws_01',
            status: 'completed',
            action: { type: 'search', query: 'three roads' },
          } as Item);
        else
          for (const [at, { parts }] of said.results.entries()) {
            const call = called[at];
            const output = parts.every((part) => 'text' in part)
              ? parts.map(({ text }) => text).join('')
              : parts.map(partOf);
            const type = call?.type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
            input.push({ type, call_id: call?.call_id ?? '', output } as Item);
          }
      },
      async hear(stream) {
        const params = paramsOf(model, ask, input);
        const response = stream
          ? await client.responses.stream({ ...params, stream: true }).finalResponse()
          : await client.responses.create(params);
        input.push(...response.output.map(sendable));
        called = response.output.flatMap((item) =>
          item.type === 'function_call' || item.type === 'custom_tool_call' ? [item] : [],
        );
        return seenIn(response);
      },
    };
  },
};
