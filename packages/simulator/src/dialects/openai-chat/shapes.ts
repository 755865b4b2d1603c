// The members of a chat-completions request and their types; rules about several members are in the checks.
import { Shapes } from '../shape-check.ts';

export const chatShapes = new Shapes(String.raw`
  Name = chars(1..64 /^[a-zA-Z0-9_-]+$/)
  Content = text | [any](1..)
  CallId = chars(1..40)
  Schema = { *: any }
  Breakpoint = open { mode: 'explicit', ttl?: text }
  Said = { content: Content, name?: chars(..64 /^[^\s<|\\\/>]+$/) }

  Call = {
    id: CallId, type: 'function' | 'custom',
    function?: { name: chars(..64 /^[a-zA-Z0-9_-]+$/), arguments: text }, custom?: { name input: text }
  }
  Message = by role {
    developer system user: Said,
    assistant: {
      content?: text | [any](1..) | null, name?: chars(..64 /^[^\s<|\\\/>]+$/), refusal?: text | null, annotations?: [any],
      audio?: open { id: text } | null, function_call?: open { name arguments: text } | null, tool_calls?: [Call](1..128)
    },
    # A name is accepted and ignored.
    tool: { content: Content, tool_call_id: CallId, name?: chars(..64 /^[^\s<|\\\/>]+$/) },
    function: { content: text | null, name: text }
  }
  Part = by type {
    text: { text: text, prompt_cache_breakpoint?: Breakpoint },
    refusal: { refusal: text },
    image_url: {
      image_url: { url: text, detail?: 'auto' | 'low' | 'high' | 'original' }, prompt_cache_breakpoint?: Breakpoint
    },
    input_audio: { input_audio: { data: text, format: 'wav' | 'mp3' }, prompt_cache_breakpoint?: Breakpoint },
    file: { file: { file_data? file_id? filename?: text }, prompt_cache_breakpoint?: Breakpoint }
  }

  FunctionTool = {
    type: 'function', function: { name: Name, description?: text, parameters?: Schema, strict?: flag | null }
  }
  CustomTool = { type: 'custom', custom: { name: Name, description?: text, format?: Schema } }
  FunctionChoice = { type: 'function', function: { name: text } }
  CustomChoice = { type: 'custom', custom: { name: text } }
  AllowedTools = { type: 'allowed_tools', allowed_tools: { mode: 'auto' | 'required', tools: [Schema](1..) } }
  PlainFormat = { type: text }
  SchemaFormat = {
    type: text, json_schema: { name: Name, description?: text, schema?: Schema, strict?: flag | null }
  }

  # Messages, tools and the like are checked one by one.
  Parameters = open {
    model: text, messages: [any](1..),
    audio?: { format: text, voice } | null,
    frequency_penalty?: num(-2..2) | null,
    function_call?, functions?: [any](1..128),
    logit_bias?: { *: num(-100..100) } | null, logprobs?: flag | null,
    max_completion_tokens? max_tokens?: int(1..) | null,
    metadata?: { *: chars(..512) }(..16) | null,
    modalities?: ['text' | 'audio'](1..) | null,
    moderation?: { model: text, policy? } | null,
    n?: int(1..128) | null, parallel_tool_calls?: flag,
    prediction?: { type: 'content', content: text | [{ type: 'text', text: text }] } | null,
    presence_penalty?: num(-2..2) | null,
    prompt_cache_key?: text | null,
    prompt_cache_options?: { mode?: 'implicit' | 'explicit', ttl?: '30m' },
    prompt_cache_retention?: 'in_memory' | 'in-memory' | '24h' | null,
    reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null,
    response_format?: open { type: 'text' | 'json_object' | 'json_schema' },
    safety_identifier?: chars(..64) | null,
    seed?: int(-9223372036854775808..9223372036854775808) | null,
    service_tier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast' | null,
    stop?: chars(1..) | [chars(1..)](..4) | null,
    store? stream?: flag | null, stream_options?: { include_usage? include_obfuscation?: flag } | null,
    temperature?: num(0..2) | null,
    tool_choice?, tools?: [any](1..128) | null, top_logprobs?: int(0..20) | null, top_p?: num(0..1) | null,
    user?: text, verbosity?: 'low' | 'medium' | 'high' | null,
    web_search_options?: {
      search_context_size?: 'low' | 'medium' | 'high', user_location?: { type: 'approximate', approximate: open {} } | null
    }
  }
  # Compatible servers take more stop strings; DeepSeek takes 16. The last four are parameters that vLLM-like servers add.
  CompatibleParameters = open { ...Parameters, stop?: chars(1..) | [chars(1..)](..16) | null }
  AddedParameters = open {
    top_k?: int(-1..) | null, min_p?: num(0..1) | null, repetition_penalty?: num(>0) | null, chat_template_kwargs?: Schema | null
  }
`);
