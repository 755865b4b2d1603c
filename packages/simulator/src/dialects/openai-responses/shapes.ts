// The members of a Responses request and their types; rules about several members are in the checks.
import { Shapes } from '../shape-check.ts';

export const responsesShapes = new Shapes(`
  Status = 'in_progress' | 'completed' | 'incomplete' | null
  CallId = text(1..64)
  CallName = text(1..128 /^[a-zA-Z0-9_-]+$/)
  Name = text(1..64 /^[a-zA-Z0-9_-]+$/)
  Nothing = {}
  InputPart = by type {
    input_text: { text: text, prompt_cache_breakpoint? },
    input_image: {
      detail?: 'auto' | 'low' | 'high' | 'original', image_url? file_id?: text | null, prompt_cache_breakpoint?
    },
    input_file: {
      detail?: 'auto' | 'low' | 'high', file_data?: text, file_id?: text | null, file_url? filename?: text,
      prompt_cache_breakpoint?
    }
  }
  Input = text | [InputPart]
  Said = { content: Input, id?: text, status?: Status }
  # A message needs no type. The last are items of tools that the vendor runs, or that change what later turns may call:
  # accepted back unchanged.
  Item = by type or message {
    message: by role {
      user system developer: Said,
      assistant: {
        content: text | [by type {
          output_text: { text: text, annotations?: [any], logprobs?: [any] | null }, refusal: { refusal: text }
        }],
        id?: text, status?: Status, phase?: 'commentary' | 'final_answer' | null
      }
    },
    function_call: {
      call_id: CallId, name: CallName, arguments: text, id?: text, status?: Status, caller?, namespace?: text
    },
    function_call_output: {
      call_id: CallId, output: Input, id?: text | null, status?: Status, caller?, name?: text | null
    },
    reasoning: {
      summary: [{ type: 'summary_text', text: text }], id?: text, encrypted_content?: text | null,
      content?: [{ type: 'reasoning_text', text: text }] | null, status?: Status
    },
    web_search_call: { id status: text, action? },
    image_generation_call: {
      id: text, result: text | null, status? output_format? size? quality? background?: text, revised_prompt?: text | null
    },
    custom_tool_call: { call_id: CallId, name: CallName, input: text, id?: text, status?: Status },
    custom_tool_call_output: { call_id: CallId, output: text | [any], id?: text, status?: Status },
    item_reference: { id: text },
    additional_tools tool_search_call tool_search_output compaction mcp_list_tools mcp_call mcp_approval_request
      mcp_approval_response apply_patch_call apply_patch_call_output code_interpreter_call file_search_call
      local_shell_call local_shell_call_output shell_call shell_call_output: any
  }

  WebSearch = {
    filters?, search_context_size?: 'low' | 'medium' | 'high', user_location?, external_web_access?: flag,
    search_content_types?: ['text' | 'image']
  }
  Tool = by type {
    function: {
      name: Name, description?: text | null, parameters?: { *: any } | null, strict?: flag | null, defer_loading?: flag
    },
    custom: { name: Name, description?: text, format?, defer_loading?: flag },
    web_search web_search_2025_08_26 web_search_preview: WebSearch,
    image_generation code_interpreter file_search mcp: any,
    apply_patch: Nothing,
    tool_search: { execution?: text, description?: text | null, parameters? },
    namespace: { name: Name, tools: [any], description?: text | null },
    local_shell: Nothing,
    shell: { environment? },
    computer computer_use_preview: any
  }
  Choice = by type {
    function custom: { name: text },
    allowed_tools: { mode: 'auto' | 'required', tools: [{ *: any }] },
    web_search web_search_preview image_generation: Nothing,
    file_search code_interpreter mcp apply_patch shell: any
  }
  Summary = 'auto' | 'concise' | 'detailed' | null

  # The model is part of the prompt, if there is one.
  Create = {
    model?: text, context_management?: [{ *: any }] | null, moderation?, client_metadata?: { *: text } | null,
    background?: flag | null, conversation?,
    include?: [
      'file_search_call.results' | 'web_search_call.results' | 'web_search_call.action.sources'
      | 'message.input_image.image_url' | 'computer_call_output.output.image_url' | 'code_interpreter_call.outputs'
      | 'reasoning.encrypted_content' | 'message.output_text.logprobs'
    ] | null,
    input?: text | [Item], instructions?: text | null,
    max_output_tokens?: int(16..) | null, max_tool_calls?: int(1..) | null, metadata?: { *: text(..512) } | null,
    parallel_tool_calls?: flag | null, previous_response_id?: text | null,
    prompt?, prompt_cache_key?: text | null, prompt_cache_options?,
    prompt_cache_retention?: 'in_memory' | 'in-memory' | '24h' | null,
    reasoning?: {
      effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null, context? mode?: text | null,
      summary? generate_summary?: Summary
    } | null,
    safety_identifier?: text(..64) | null,
    service_tier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast' | null,
    store? stream?: flag | null, stream_options?: { include_obfuscation?: flag } | null, temperature?: num(0..2) | null,
    text?: {
      format?: by type {
        text json_object: Nothing, json_schema: { name: Name, schema: { *: any }, description?: text, strict?: flag | null }
      },
      verbosity?: 'low' | 'medium' | 'high' | null
    },
    tool_choice?: 'none' | 'auto' | 'required' | Choice,
    tools?: [Tool], top_logprobs?: int(0..20) | null, top_p?: num(0..1) | null, truncation?: 'auto' | 'disabled' | null,
    user?: text
  }
`);
