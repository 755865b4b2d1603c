// Shapes of content blocks, by role.
import {
  anything,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  type Shape,
  type ShapeMembers,
  tagged,
  text,
  textOr,
  word,
} from '../shape-check.ts';

export const cacheControl: Shape = nullable(object({ type: word('ephemeral') }, { ttl: word('5m', '1h') }));
const cached: ShapeMembers = { cache_control: cacheControl };
const type: ShapeMembers = { type: anything };
const id = text({ pattern: /^[a-zA-Z0-9_-]+$/u });
const name = text({ min: 1, max: 128, pattern: /^[a-zA-Z0-9_-]{1,128}$/u });
const url = text({ min: 1 });
const citationsConfig = nullable(object({}, { enabled: flag }));

const location: ShapeMembers = { ...type, cited_text: text() };
const inDocument: ShapeMembers = { ...location, document_index: integer({ min: 0 }), document_title: nullable(text()) };
const citation = tagged('type', {
  char_location: object(
    { ...inDocument, start_char_index: integer(), end_char_index: integer() },
    { file_id: nullable(text()) },
  ),
  page_location: object(
    { ...inDocument, start_page_number: integer(), end_page_number: integer() },
    { file_id: nullable(text()) },
  ),
  content_block_location: object(
    { ...inDocument, start_block_index: integer(), end_block_index: integer() },
    { file_id: nullable(text()) },
  ),
  web_search_result_location: object({ ...location, encrypted_index: text(), title: nullable(text()), url }),
  search_result_location: object({
    ...location,
    source: text(),
    title: nullable(text()),
    search_result_index: integer(),
    start_block_index: integer(),
    end_block_index: integer(),
  }),
});

const textBlock = object({ ...type, text: text() }, { ...cached, citations: nullable(list(citation)) });
export const textBlocks = list(tagged('type', { text: textBlock }, { inPath: true }));

const image = object(
  {
    ...type,
    source: tagged(
      'type',
      {
        base64: object({
          ...type,
          media_type: word('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
          data: text(),
        }),
        url: object({ ...type, url }),
        file: object({ ...type, file_id: text() }),
      },
      { inPath: true },
    ),
  },
  { ...cached, transformations: nullable(anything) },
);

const document = object(
  {
    ...type,
    source: tagged(
      'type',
      {
        base64: object({ ...type, media_type: word('application/pdf'), data: text() }),
        text: object({ ...type, media_type: word('text/plain'), data: text() }),
        content: object({
          ...type,
          content: textOr(list(tagged('type', { text: textBlock, image }, { inPath: true }))),
        }),
        url: object({ ...type, url }),
        file: object({ ...type, file_id: text() }),
      },
      { inPath: true },
    ),
  },
  { ...cached, citations: citationsConfig, context: nullable(text()), title: nullable(text()) },
);

const searchResult = object(
  { ...type, content: textBlocks, source: text(), title: text() },
  { ...cached, citations: citationsConfig },
);

const toolReference = object({ ...type, tool_name: name }, cached);
const resultContent = tagged(
  'type',
  { text: textBlock, image, search_result: searchResult, document, tool_reference: toolReference },
  { inPath: true },
);
const toolResult = object(
  { ...type, tool_use_id: id },
  { ...cached, content: textOr(list(resultContent)), is_error: flag },
);

const webSearchResult = object(
  { type: word('web_search_result'), encrypted_content: text(), title: text(), url },
  { page_age: nullable(text()) },
);
const webSearchError = object({ type: word('web_search_tool_result_error'), error_code: text() });
const webSearchContent: Shape = (value, path, options) =>
  (Array.isArray(value) ? list(webSearchResult) : webSearchError)(value, path, options);

export const userBlocks = tagged(
  'type',
  {
    text: textBlock,
    image,
    document,
    search_result: searchResult,
    tool_result: toolResult,
    container_upload: object({ ...type, file_id: text() }, cached),
    mcp_tool_result: anything,
  },
  { inPath: true },
);

const SERVER_TOOLS = [
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
  'advisor',
] as const;
/** Results of tools other than search: made by the vendor, accepted back unchanged. */
const OTHER_RESULTS = [
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'advisor_tool_result',
  'mcp_tool_result',
];
const serverResult = object(
  { ...type, tool_use_id: text(), content: anything },
  { ...cached, caller: anything, is_error: flag },
);

export const systemBlocks = list(
  tagged('type', { text: textBlock, tool_addition: object({ ...type, tool: anything }, cached) }, { inPath: true }),
);

export const assistantBlocks = tagged(
  'type',
  {
    text: textBlock,
    thinking: object({ ...type, thinking: text(), signature: text() }),
    redacted_thinking: object({ ...type, data: text() }),
    tool_use: object({ ...type, id, name, input: mapOf(anything) }, { ...cached, caller: anything }),
    server_tool_use: object(
      {
        ...type,
        id: text({ pattern: /^srvtoolu_[a-zA-Z0-9_]+$/u }),
        name: word(...SERVER_TOOLS),
        input: anything,
      },
      { ...cached, caller: anything },
    ),
    compaction: object({ ...type, content: nullable(text()) }, cached),
    container_upload: object({ ...type, file_id: text() }, cached),
    mcp_tool_use: object({ ...type, id: text(), name: text(), input: anything, server_name: text() }, cached),
    ...Object.fromEntries(OTHER_RESULTS.map((each) => [each, serverResult])),
    web_search_tool_result: object(
      { ...type, tool_use_id: text({ pattern: /^srvtoolu_[a-zA-Z0-9_]+$/u }), content: webSearchContent },
      { ...cached, caller: anything },
    ),
  },
  { inPath: true },
);
