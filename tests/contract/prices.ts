/**
 * Members of the makers' requests by what they do to the price: those of the tables (record 0057), and those named here, which
 * change nothing but tokens, and tokens are metered. A member of a newer SDK that is in neither is unjudged.
 */
import { MONEY_MEMBERS as MESSAGES } from '../../packages/protocol/src/dialects/anthropic-messages/money.ts';
import { MONEY_MEMBERS as CHAT } from '../../packages/protocol/src/dialects/openai-chat/known-fields.ts';
import { MONEY_MEMBERS as RESPONSES } from '../../packages/protocol/src/dialects/openai-responses/known-fields.ts';
import type { Maker } from './deviations.ts';
import type { MakerSchema } from './schemas.ts';

type Judged = {
  readonly maker: Maker;
  readonly type: string;
  readonly table: Readonly<Record<string, string>>;
  readonly metered: string;
};

const JUDGED: readonly Judged[] = [
  {
    maker: 'OpenAI',
    type: 'ChatRequest',
    table: CHAT,
    metered: `messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
      metadata modalities moderation n parallel_tool_calls presence_penalty prompt_cache_key reasoning_effort response_format
      safety_identifier seed stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity`,
  },
  {
    maker: 'OpenAI',
    type: 'ResponsesRequest',
    table: RESPONSES,
    // Background work and held conversations are refused by rules of their own; cached tokens are metered.
    metered: `background conversation image include input instructions max_output_tokens metadata model moderation
      parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier store
      stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user`,
  },
  {
    maker: 'Anthropic',
    type: 'MessagesRequest',
    table: MESSAGES,
    metered: `max_tokens messages model cache_control diagnostics mcp_servers metadata output_config output_format
      stop_sequences stream system thinking tool_choice tools`,
  },
  {
    maker: 'Google',
    type: 'GenerateRequest',
    // Members that the gateway's own description of the format lacks are removed, with a loss.
    table: {},
    metered: 'contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent labels',
  },
];

export function unjudgedMembers(schemas: Readonly<Record<Maker, MakerSchema>>): string[] {
  return JUDGED.flatMap(({ maker, type, table, metered }) => {
    const known = new Set([...Object.keys(table), ...metered.split(/\s+/)]);
    const members = Object.keys(schemas[maker].definitions[type]?.properties ?? {});
    return members.filter((member) => !known.has(member)).map((member) => `${maker} ${type}.${member}`);
  });
}
