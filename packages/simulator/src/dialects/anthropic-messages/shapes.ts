// The members of a messages request and their types; rules about several members are in the checks.
import { Shapes } from '../shape-check.ts';

export const messagesShapes = new Shapes(`
  Cache = { type: 'ephemeral', ttl?: '5m' | '1h' } | null
  Cached = { cache_control?: Cache }
  Id = text(/^[a-zA-Z0-9_-]+$/)
  ServerId = text(/^srvtoolu_[a-zA-Z0-9_]+$/)
  Name = text(1..128 /^[a-zA-Z0-9_-]{1,128}$/)
  Url = text(1..)
  CitationsConfig = { enabled?: flag } | null

  InDocument = { cited_text: text, document_index: int(0..), document_title: text | null, file_id?: text | null }
  Citation = by type {
    char_location: { ...InDocument, start_char_index end_char_index: int },
    page_location: { ...InDocument, start_page_number end_page_number: int },
    content_block_location: { ...InDocument, start_block_index end_block_index: int },
    web_search_result_location: { cited_text encrypted_index: text, title: text | null, url: Url },
    search_result_location: {
      cited_text source: text, title: text | null, search_result_index start_block_index end_block_index: int
    }
  }
  TextBlock = { text: text, ...Cached, citations?: [Citation] | null }
  TextBlocks = [by type in path { text: TextBlock }]
  Image = {
    source: by type in path {
      base64: { media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp', data: text },
      url: { url: Url },
      file: { file_id: text }
    },
    ...Cached, transformations?
  }
  Document = {
    source: by type in path {
      base64: { media_type: 'application/pdf', data: text },
      text: { media_type: 'text/plain', data: text },
      content: { content: text | [by type in path { text: TextBlock, image: Image }] },
      url: { url: Url },
      file: { file_id: text }
    },
    ...Cached, citations?: CitationsConfig, context? title?: text | null
  }
  SearchResult = { content: TextBlocks, source title: text, ...Cached, citations?: CitationsConfig }
  ToolResult = {
    tool_use_id: Id, ...Cached,
    content?: text | [by type in path {
      text: TextBlock, image: Image, search_result: SearchResult, document: Document,
      tool_reference: { tool_name: Name, ...Cached }
    }],
    is_error?: flag
  }
  Upload = { file_id: text, ...Cached }
  UserBlock = by type in path {
    text: TextBlock, image: Image, document: Document, search_result: SearchResult, tool_result: ToolResult,
    container_upload: Upload, mcp_tool_result: any
  }

  # Results of tools other than search: made by the vendor, accepted back unchanged.
  ServerResult = { tool_use_id: text, content, ...Cached, caller?, is_error?: flag }
  WebSearchResult = { type: 'web_search_result', encrypted_content title: text, url: Url, page_age?: text | null }
  AssistantBlock = by type in path {
    text: TextBlock,
    thinking: { thinking signature: text },
    redacted_thinking: { data: text },
    tool_use: { id: Id, name: Name, input: { *: any }, ...Cached, caller? },
    server_tool_use: {
      id: ServerId,
      name: 'web_search' | 'web_fetch' | 'code_execution' | 'bash_code_execution' | 'text_editor_code_execution'
        | 'tool_search_tool_regex' | 'tool_search_tool_bm25' | 'advisor',
      input, ...Cached, caller?
    },
    compaction: { content: text | null, ...Cached },
    container_upload: Upload,
    mcp_tool_use: { id name: text, input, server_name: text, ...Cached },
    web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
      text_editor_code_execution_tool_result tool_search_tool_result advisor_tool_result mcp_tool_result: ServerResult,
    web_search_tool_result: {
      tool_use_id: ServerId,
      content: [WebSearchResult] | { type: 'web_search_tool_result_error', error_code: text },
      ...Cached, caller?
    }
  }
  Message = by role {
    user: { content: text | [UserBlock] },
    assistant: { content: text | [AssistantBlock] },
    system: { content: text | [by type in path { text: TextBlock, tool_addition: { tool, ...Cached } }] }
  }

  Searching = { max_uses?: int(1..) | null, allowed_domains? blocked_domains?: [text] | null }
  WebSearch = {
    name: 'web_search', ...Searching,
    user_location?: { type: 'approximate', city? region? country? timezone?: text | null } | null,
    ...Cached, strict? defer_loading?: flag, allowed_callers?: [text]
  }
  WebFetch = {
    name: 'web_fetch', ...Searching, citations?, max_content_tokens?: int(1..) | null, use_cache?,
    ...Cached, defer_loading?: flag, allowed_callers?: [text]
  }
  CodeExecution = { name: 'code_execution', ...Cached }
  Tool = by type or custom in path {
    custom: {
      name: text(1.. /^[a-zA-Z0-9_-]{1,128}$/), input_schema: open { type: 'object' },
      type?: 'custom' | null, description?: text, ...Cached, strict?: flag, eager_input_streaming?: flag | null,
      defer_loading?: flag, input_examples?: [{ *: any }], allowed_callers?: [text]
    },
    web_search_20250305 web_search_20260209: WebSearch,
    bash_20250124: { name: 'bash', ...Cached },
    text_editor_20250124: { name: 'str_replace_editor', ...Cached },
    text_editor_20250429: { name: 'str_replace_based_edit_tool', ...Cached },
    text_editor_20250728: { name: 'str_replace_based_edit_tool', ...Cached, max_characters?: int(1..) | null },
    memory_20250818: { name: 'memory', ...Cached },
    web_search_20260318: WebSearch,
    web_fetch_20250910 web_fetch_20260209 web_fetch_20260318: WebFetch,
    tool_search_tool_bm25_20251119: { name: 'tool_search_tool_bm25', ...Cached },
    tool_search_tool_regex_20251119: { name: 'tool_search_tool_regex', ...Cached },
    code_execution_20250522 code_execution_20250825 code_execution_20260120 code_execution_20260521: CodeExecution,
    advisor_20260301: { name: 'advisor', ...Cached, model?: text, max_uses?: int(1..) | null, caching?, max_tokens? },
    mcp_toolset: open { mcp_server_name: text }
  }
  Parallel = { disable_parallel_tool_use?: flag }
  JsonFormat = { type: 'json_schema', schema: { *: any } } | null
  Display = 'summarized' | 'omitted' | null

  Count = {
    model: text(1..), messages: [Message](1..),
    ...Cached,
    output_config?: {
      effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null, format?: JsonFormat, task_budget?
    },
    context_management?: { edits?: [open { type: text }] } | null,
    mcp_servers?: [open { type name url: text }],
    output_format?: JsonFormat,
    speed?: 'standard' | 'fast' | null,
    system?: text | TextBlocks,
    thinking?: by type in path {
      enabled: { budget_tokens: int(1024..), display?: Display }, disabled: {}, adaptive: { display?: Display }
    },
    tool_choice?: by type in path { auto any: Parallel, tool: { name: text, ...Parallel }, none: {} },
    tools?: [Tool]
  }
  Create = {
    ...Count, max_tokens: int(1..),
    container?, diagnostics?: { previous_message_id?: text | null } | null, inference_geo?: text | null,
    metadata?: { user_id?: text(..256) | null },
    service_tier?: 'auto' | 'standard_only', stop_sequences?: [text], stream?: flag, temperature?: num(0..1),
    # Both accept -1, which means no limit.
    top_k?: int(-1..), top_p?: num(-1..1)
  }
`);
