/** Which kind of body an exchange holds, by its path, and the JSON texts in it. */
type Format = readonly [path: RegExp, format: string, hosts?: readonly string[]];
const HOSTS_OF_OPENAI = ['openai', 'compatible'];

/** Hosts of other formats have the same paths here and there: only the named ones are held to the format. */
const FORMATS: readonly Format[] = [
  [/\/chat\/completions$/, 'chat'],
  [/\/responses$/, 'responses'],
  [/\/messages$/, 'messages'],
  [/\/messages\/count_tokens$/, 'count'],
  [/\/embeddings$/, 'embeddings'],
  [/\/images\/generations$/, 'images'],
  [/:(?:generateContent|streamGenerateContent)$/, 'generate'],
  [/\/audio\/speech$/, 'speech', HOSTS_OF_OPENAI],
  // Requests are forms.
  [/\/audio\/transcriptions$/, 'transcript', []],
  [/\/audio\/translations$/, 'translation', []],
  [/\/moderations$/, 'moderations', HOSTS_OF_OPENAI],
  [/\/completions$/, 'completions', HOSTS_OF_OPENAI],
  [/\/v1\/videos$/, 'videos', ['openai']],
  [/\/v1\/videos\/[^/]+$/, 'video', []],
  [/\/v1\/rerank$/, 'voyage', ['voyage']],
  [/\/rerank$/, 'rerank', ['cohere']],
];

/** `host`: whose path it is; absent: the gateway's own. */
const formatOf = (path: string, host?: string): string | undefined =>
  FORMATS.find(
    ([pattern, format, hosts]) =>
      pattern.test(path.split('?')[0] ?? '') &&
      (host === undefined ? format !== 'voyage' : hosts?.includes(host) !== false),
  )?.[1];
/** Bytes, or events of which no types are published. */
const ERRORS_ONLY: ReadonlySet<string> = new Set(['speech']);
/** No types of errors are published. */
const NO_ERRORS: ReadonlySet<string> = new Set(['rerank']);

const DIALECTS: Readonly<Record<string, string>> = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  messages: 'anthropic-messages',
  generate: 'google-generate',
};
/** Claude in other houses. */
const CLOUD_MESSAGES = /:(?:rawPredict|streamRawPredict)$|\/model\/.*\/invoke(?:-with-response-stream)?$/;

/** Models of any maker, in the format of their host. */
const CONVERSE = /\/model\/[^/]+\/converse(?:-stream)?$/;

/** The format in which a host is asked for text at this path. */
export function dialectOf(path: string): string | undefined {
  if (CLOUD_MESSAGES.test(path.split('?')[0] ?? '')) return 'anthropic-messages';
  if (CONVERSE.test(path.split('?')[0] ?? '')) return 'amazon-converse';
  return DIALECTS[formatOf(path) ?? ''];
}

export function requestKind(path: string, host = ''): string | undefined {
  const format = formatOf(path, host);
  return format === undefined ? undefined : `${format}Request`;
}

export function answerKind(path: string, status: number, text: string): string | undefined {
  // What a provider answers at a path that is passed through is nobody's format.
  const format = path.includes('/passthrough/') ? undefined : formatOf(path);
  // A path that is nowhere answers in the form of chat (E-10), whatever it ends with.
  if (format === undefined || (format === 'generate' && status === 404)) return undefined;
  if ((status === 200 ? ERRORS_ONLY : NO_ERRORS).has(format)) return undefined;
  // Outside their own mounts headers decide the form of what is refused before it is routed.
  const isMessages = format === 'messages' || format === 'count';
  if (isMessages && status !== 200 && !/^\/api\/(?:anthropic|messages)\//.test(path)) return undefined;
  return `${format}${status !== 200 ? 'Error' : isStream(path, text) ? 'Event' : 'Answer'}`;
}

const isEvents = (text: string): boolean => /^(?:data|event|:)/.test(text);
const isStream = (path: string, text: string): boolean => isEvents(text) || path.includes(':streamGenerateContent');

/** Every JSON value of an answer: the body, the members of a streamed array, or the data of each event. */
export function jsonOf(text: string): unknown[] {
  if (!isEvents(text)) return [parsed(text)].flat(1).filter((one) => one !== undefined);
  return text
    .split(/\r?\n\r?\n/)
    .map((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((lines) => parsed(lines.map((line) => line.slice('data:'.length)).join('\n')))
    .filter((one) => one !== undefined);
}

/** Nothing where it is no JSON: the mark of an end, a keep-alive, an answer cut off on purpose. Other tests judge those. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
