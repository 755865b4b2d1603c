/** Checks that a reply reports a timeout in its protocol's error format, before a stream or in the middle of one. */
import type { Road } from '../../support/roads.ts';
import type { Reply } from './ask.ts';

type Json = Readonly<Record<string, unknown>>;

/** Marks of a complete answer. */
const FINISHED: Readonly<Record<Road['name'], RegExp>> = {
  chat: /\[DONE\]|"finish_reason":"/,
  messages: /message_stop|"stop_reason":"/,
  genai: /finishReason/,
  responses: /event: response\.(?:completed|incomplete)/,
};

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

const inner = (json: Json, member: string): Json => (json[member] ?? {}) as Json;

/** The error code, from an object in the protocol's exact format. */
function wordOf(name: Road['name'], json: Json): unknown {
  const error = inner(json, 'error');
  switch (name) {
    case 'chat':
    case 'responses':
      return `${error['type']}/${error['code']}`;
    case 'messages':
      return json['type'] === 'error' ? error['type'] : undefined;
    case 'genai':
      return error['code'] === 504 ? error['status'] : undefined;
  }
}

const TIMEOUT: Readonly<Record<Road['name'], string>> = {
  chat: 'server_error/timeout',
  messages: 'timeout_error',
  genai: 'DEADLINE_EXCEEDED',
  responses: 'server_error/timeout',
};

/** Streams of one protocol have fewer error codes than its other answers. */
const TIMEOUT_IN_STREAM: Readonly<Record<Road['name'], string>> = { ...TIMEOUT, messages: 'api_error' };

/** The last error record of a stream. */
function streamWord(name: Road['name'], text: string): unknown {
  const records = text.split('\n\n').filter((record) => /^(?:event|data): /.test(record));
  const dataOf = (record: string): Json => parsed(/^data: (.*)$/m.exec(record)?.[1] ?? '');
  if (name !== 'responses') return wordOf(name, records.map(dataOf).findLast((data) => 'error' in data) ?? {});
  const failed = records.find((record) => record.startsWith('event: response.failed\n'));
  const error = inner(inner(dataOf(failed ?? ''), 'response'), 'error');
  return records.some((record) => record.startsWith('event: error\n')) && typeof error['code'] === 'string'
    ? TIMEOUT_IN_STREAM.responses
    : undefined;
}

/** Why the reply is not a correct timeout report; undefined when it is one. */
export function notATimeout(name: Road['name'], reply: Reply): string | undefined {
  const { status, text, complete } = reply;
  if (FINISHED[name].test(text)) return 'it looks like a finished answer';
  if (status === 504) {
    const word = wordOf(name, parsed(text));
    return complete && word === TIMEOUT[name] ? undefined : `504 with ${word}: ${text.slice(0, 200)}`;
  }
  if (status !== 200) return `status ${status}: ${reply.failure ?? text.slice(0, 200)}`;
  if (complete) return 'the stream ended as if it were whole';
  const word = streamWord(name, text);
  return word === TIMEOUT_IN_STREAM[name] ? undefined : `a stream that ends with ${word}: …${text.slice(-200)}`;
}
