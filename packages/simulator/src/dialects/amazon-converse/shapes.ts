// The members of a converse request and their types, from the service's own description; rules about several members
// are in the checks. Of a block's members exactly one is there.
import { Shapes } from '../shape-check.ts';

export const converseShapes = new Shapes(`
  Cache = { type: 'default', ttl?: '5m' | '1h' }
  Name = text(1..64 /^[a-zA-Z0-9_-]+$/)
  Id = text(1..64 /^[a-zA-Z0-9_.:-]+$/)
  Bytes = text(1.. /^[A-Za-z0-9+=\\/]+$/)
  Media = { bytes?: Bytes, s3Location?: { uri: text(1..1024), bucketOwner?: text } }
  Words = [{ text: text(1..) }](1..)
  Citable = { enabled: flag }
  Image = { format: 'png' | 'jpeg' | 'gif' | 'webp', source: Media }
  Document = {
    format?: 'pdf' | 'csv' | 'doc' | 'docx' | 'xls' | 'xlsx' | 'html' | 'txt' | 'md',
    name: text(1..200 /^[A-Za-z0-9\\-()[\\]]+( [A-Za-z0-9\\-()[\\]]+)*$/),
    source: { bytes?: Bytes, s3Location? , text?: text(1..), content?: Words },
    context?: text(1..), citations?: Citable
  }
  Video = {
    format: 'mkv' | 'mov' | 'mp4' | 'webm' | 'flv' | 'mpeg' | 'mpg' | 'wmv' | 'three_gp', source: Media
  }
  Audio = {
    format: 'mp3' | 'opus' | 'wav' | 'aac' | 'flac' | 'mp4' | 'ogg' | 'mkv' | 'mka' | 'x-aac' | 'm4a' | 'mpeg' | 'mpga'
      | 'pcm' | 'webm',
    source: Media
  }
  SearchResult = { source title: text, content: Words, citations?: Citable }
  ToolUse = { toolUseId: Id, name: Name, input: { *: any }, type?: 'server_tool_use' }
  ToolResult = {
    toolUseId: Id, status?: 'success' | 'error',
    content: [{ json?, text?: text(1..), image?: Image, document?: Document, video?: Video, searchResult?: SearchResult }](1..)
  }
  Span = { start end: int(0..), documentIndex? searchResultIndex?: int(0..) }
  Cited = {
    content: Words,
    citations: [{
      title? source?: text, sourceContent?: Words,
      location?: { web?: { url?: text, domain?: text }, documentChar? documentPage? documentChunk? searchResultLocation?: Span }
    }]
  }
  Block = {
    text?: text(1..), image?: Image, document?: Document, video?: Video, audio?: Audio, toolUse?: ToolUse,
    toolResult?: ToolResult, cachePoint?: Cache, searchResult?: SearchResult, citationsContent?: Cited, guardContent?,
    reasoningContent?: { reasoningText?: { text: text, signature?: text }, redactedContent?: Bytes }
  }
  Message = { role: 'user' | 'assistant', content: [Block](1..) }
  ToolSpec = { name: Name, description?: text(1..), inputSchema: { json: open { type: 'object' } }, strict?: flag }
  Counted = {
    messages: [Message](1..),
    system?: [{ text?: text(1..), cachePoint?: Cache, guardContent? }],
    toolConfig?: {
      tools: [{ toolSpec?: ToolSpec, cachePoint?: Cache, systemTool?: { name: Name } }](1..),
      toolChoice?: { auto? any?: {}, tool?: { name: Name } }
    },
    additionalModelRequestFields?: { *: any }
  }
  Count = { input: { converse: Counted } }
  Create = {
    ...Counted,
    inferenceConfig?: {
      maxTokens?: int(1..), temperature? topP?: num(0..1), stopSequences?: [text(1..)](..2500)
    },
    outputConfig?: {
      textFormat?: {
        type: 'json_schema', structure: { jsonSchema: { schema: text(1..), name? description?: text(1..) } }
      },
      effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max'
    },
    additionalModelResponseFieldPaths?: [text(1..256 /^\\//)](..10),
    guardrailConfig? performanceConfig? serviceTier? promptVariables?, requestMetadata?: { *: text(..256) }(..16)
  }
`);
