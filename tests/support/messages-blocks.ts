/** Blocks of the messages protocol, valid unless a test overrides members. */
import { assistant, type Json, text, user } from './messages-probe.ts';

/** The smallest valid file of each type. */
export const IMAGES: Readonly<Record<string, string>> = {
  'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]).toString('base64'),
  'image/gif': Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000', 'latin1').toString('base64'),
  'image/webp': Buffer.from('RIFF\u0010\u0000\u0000\u0000WEBPVP8 ', 'latin1').toString('base64'),
};
export const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

export const image = (source: unknown, members: Json = {}): Json => ({ type: 'image', source, ...members });
export const png = (members: Json = {}): Json =>
  image({ type: 'base64', media_type: 'image/png', data: IMAGES['image/png'] }, members);
export const document = (source: unknown, members: Json = {}): Json => ({ type: 'document', source, ...members });
export const pdf = (members: Json = {}): Json =>
  document({ type: 'base64', media_type: 'application/pdf', data: PDF }, members);
export const note = (members: Json = {}): Json =>
  document({ type: 'text', media_type: 'text/plain', data: 'A note about roads.' }, members);
export const searchResult = (members: Json = {}): Json => ({
  type: 'search_result',
  source: 'https://example.com/roads',
  title: 'Roads',
  content: [text('Three roads meet here.')],
  ...members,
});

export const toolUse = (members: Json = {}): Json => ({
  type: 'tool_use',
  id: 'toolu_1',
  name: 'weather',
  input: { city: 'Rome' },
  ...members,
});
export const toolResult = (members: Json = {}): Json => ({
  type: 'tool_result',
  tool_use_id: 'toolu_1',
  content: 'Sunny',
  ...members,
});
export const WEATHER = { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } };

/** A completed tool call with its result. */
export const called = (use: Json = toolUse(), result: Json = toolResult()): Json[] => [
  user('How is it in Rome?'),
  assistant(use),
  user(result),
];

export const serverToolUse = (members: Json = {}): Json => ({
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'roads' },
  ...members,
});
export const webSearchError = (error_code: unknown = 'unavailable'): Json => ({
  type: 'web_search_tool_result_error',
  error_code,
});
export const webSearchResult = (members: Json = {}): Json => ({
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: webSearchError(),
  ...members,
});

/** A turn in which the upstream searched the web. */
export const searched = (use: Json = serverToolUse(), result: Json = webSearchResult()): Json[] => [
  user('Where do roads meet?'),
  assistant(use, result, text('At the bridge.')),
  user('Sure?'),
];
