/** The messages protocol through the official Anthropic SDK. */
import Anthropic from '@anthropic-ai/sdk';
import type { Ask, Caller, Conversation, Part, Said, Seen } from '../meaning.ts';
import { schemaOf } from './word-schema.ts';

type Params = Anthropic.MessageCreateParamsNonStreaming;
type UserBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam;

const OUTPUT_TOKENS = 4096;
const THINKING_TOKENS = 2048;

function blockOf(part: Part): UserBlock {
  if ('text' in part)
    return { type: 'text', text: part.text, ...(part.cached && { cache_control: { type: 'ephemeral' } }) };
  if ('image' in part) return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: part.image } };
  if ('imageUrl' in part) return { type: 'image', source: { type: 'url', url: part.imageUrl } };
  if ('pdf' in part)
    return {
      type: 'document',
      title: part.name,
      source: { type: 'base64', media_type: 'application/pdf', data: part.pdf },
    };
  throw new Error('messages has no audio');
}

function choiceOf({ choice, oneCall }: Ask): Anthropic.ToolChoice | undefined {
  const alone = oneCall && { disable_parallel_tool_use: true };
  if (choice === 'none') return { type: 'none' };
  if (choice === 'any') return { type: 'any', ...alone };
  if (typeof choice === 'object') return { type: 'tool', name: choice.one, ...alone };
  return oneCall ? { type: 'auto', ...alone } : undefined;
}

function toolsOf({ tools = [], searches }: Ask): Anthropic.ToolUnion[] {
  return [
    ...tools.map(({ name, about, schema }) => ({
      name,
      description: about,
      input_schema: schema as Anthropic.Tool.InputSchema,
    })),
    ...(searches ? [{ type: 'web_search_20250305' as const, name: 'web_search' as const }] : []),
  ];
}

function paramsOf(model: string, ask: Ask, messages: Anthropic.MessageParam[]): Params {
  const tools = toolsOf(ask);
  const choice = choiceOf(ask);
  const { output } = ask;
  return {
    model,
    messages,
    max_tokens: ask.maxTokens ?? OUTPUT_TOKENS,
    ...(ask.system !== undefined && { system: ask.system.map((text) => ({ type: 'text', text })) }),
    ...(tools.length > 0 && { tools }),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(typeof output === 'object' && { output_config: { format: { type: 'json_schema', schema: schemaOf(output) } } }),
    ...(ask.temperature !== undefined && { temperature: ask.temperature }),
    ...(ask.topP !== undefined && { top_p: ask.topP }),
    ...(ask.topK !== undefined && { top_k: ask.topK }),
    ...(ask.stop !== undefined && { stop_sequences: [...ask.stop] }),
    ...(ask.thinks && { thinking: { type: 'enabled', budget_tokens: THINKING_TOKENS } }),
  };
}

function citationOf(citation: Anthropic.TextCitation, passage: string): Seen['citations'] {
  if (citation.type === 'web_search_result_location')
    return [{ url: citation.url, title: citation.title ?? '', passage }];
  return citation.type === 'char_location' ? [{ url: '', title: citation.document_title ?? '', passage }] : [];
}

function seenIn({ content, stop_reason, usage }: Anthropic.Message): Seen {
  const texts = content.filter((block) => block.type === 'text');
  const text = texts.map((block) => block.text).join('');
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    text,
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    refusal: stop_reason === 'refusal' ? text : '',
    calls: content
      .filter((block) => block.type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, argumentsText: JSON.stringify(input) })),
    citations: texts.flatMap((block) =>
      (block.citations ?? []).flatMap((citation) => citationOf(citation, block.text)),
    ),
    images: [],
    logprobs: [],
    finish: stop_reason ?? '',
    usage: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      output: usage.output_tokens,
      cached,
    },
  };
}

/** A search the vendor ran itself, as it stands in the history of one who let it. */
const VENDOR_BLOCKS: Anthropic.ContentBlockParam[] = [
  { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'three roads' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_01',
    content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
  },
  { type: 'text', text: 'I could not search.' },
];

export const messagesCaller: Caller = {
  inbound: 'messages',
  open({ url, key }, model, ask): Conversation {
    const client = new Anthropic({ apiKey: key, baseURL: `${url}/api/anthropic`, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [];
    let ids: string[] = [];
    return {
      say(said: Said): void {
        if ('user' in said) messages.push({ role: 'user', content: said.user.map(blockOf) });
        else if ('assistant' in said) messages.push({ role: 'assistant', content: said.assistant });
        else if ('vendorBlock' in said) messages.push({ role: 'assistant', content: VENDOR_BLOCKS });
        else if ('system' in said) messages.push({ role: 'system', content: said.system });
        else
          messages.push({
            role: 'user',
            content: said.results.map(({ parts, failed }, at) => ({
              type: 'tool_result',
              tool_use_id: ids[at] ?? '',
              content: parts.map(blockOf),
              ...(failed && { is_error: true }),
            })),
          });
      },
      async hear(stream) {
        const params = paramsOf(model, ask, messages);
        const answer = stream
          ? await client.messages.stream(params).finalMessage()
          : await client.messages.create(params);
        if (answer.content.length > 0) messages.push({ role: 'assistant', content: answer.content });
        ids = answer.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
        return seenIn(answer);
      },
    };
  },
};
