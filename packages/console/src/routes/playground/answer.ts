/** An answer as it grows, read from the events or the whole body of each protocol. */
import type { Mode, Picture } from './draft.ts';

type ToolCall = { readonly name: string; readonly arguments: string };
export type Answer = {
  readonly text: string;
  readonly thinking: string;
  readonly tools: readonly ToolCall[];
  readonly pictures: readonly Picture[];
  /** Pictures that the provider gave as addresses. */
  readonly links: readonly string[];
  /** Pieces of what is spoken, each as base64. */
  readonly sound: readonly string[];
  /** Places of documents, the best first. */
  readonly ranks: readonly { readonly place: number; readonly score: number }[];
  readonly usage?: { readonly input: number; readonly output: number };
  readonly problem?: string;
};

export const EMPTY: Answer = { text: '', thinking: '', tools: [], pictures: [], links: [], sound: [], ranks: [] };

/** JSON of another maker: read with care, never trusted. */
type Json = { readonly [name: string]: unknown };
export const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(object) : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

const usageOf = (usage: unknown, input: string, output: string): Pick<Answer, 'usage'> =>
  typeof usage === 'object' && usage !== null
    ? { usage: { input: count(object(usage)[input]), output: count(object(usage)[output]) } }
    : {};

/** A provider that counts wrongly must not make a list of billions. */
const MAX_TOOLS = 1000;

/** Adds a piece of arguments to the call at `index`. */
function withTool(answer: Answer, index: number, name: string, piece: string): Answer {
  if (!Number.isInteger(index) || index < 0 || index >= MAX_TOOLS) return answer;
  const tools = [...answer.tools];
  const before = tools[index] ?? { name: '', arguments: '' };
  tools[index] = { name: before.name + name, arguments: before.arguments + piece };
  return { ...answer, tools };
}

const dataPicture = (url: string): Picture | undefined => {
  const match = /^data:([\w/+.-]+);base64,(.+)$/s.exec(url);
  return match === null ? undefined : { mime: match[1] ?? '', base64: match[2] ?? '' };
};

function withLink(answer: Answer, url: string): Answer {
  const picture = dataPicture(url);
  return picture === undefined
    ? { ...answer, links: [...answer.links, url] }
    : { ...answer, pictures: [...answer.pictures, picture] };
}

function onChat(answer: Answer, data: Json): Answer {
  const choice = object(list(data['choices'])[0]);
  const part = object(choice['delta'] ?? choice['message']);
  let next: Answer = {
    ...answer,
    text: answer.text + text(part['content']) + text(part['refusal']),
    thinking: answer.thinking + (text(part['reasoning_content']) || text(part['reasoning'])),
    ...usageOf(data['usage'], 'prompt_tokens', 'completion_tokens'),
  };
  for (const [place, call] of list(part['tool_calls']).entries()) {
    const { name, arguments: piece } = object(call['function']);
    next = withTool(next, typeof call['index'] === 'number' ? call['index'] : place, text(name), text(piece));
  }
  for (const image of list(part['images'])) next = withLink(next, text(object(image['image_url'])['url']));
  return next;
}

function onResponsesItem(answer: Answer, item: Json): Answer {
  if (item['type'] === 'function_call')
    return { ...answer, tools: [...answer.tools, { name: text(item['name']), arguments: text(item['arguments']) }] };
  if (item['type'] === 'image_generation_call' && text(item['result']) !== '')
    return { ...answer, pictures: [...answer.pictures, { mime: 'image/png', base64: text(item['result']) }] };
  return answer;
}

function onResponses(answer: Answer, data: Json): Answer {
  switch (data['type']) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return { ...answer, text: answer.text + text(data['delta']) };
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return { ...answer, thinking: answer.thinking + text(data['delta']) };
    case 'response.output_item.done':
      return onResponsesItem(answer, object(data['item']));
    case 'response.completed':
    case 'response.incomplete':
      return { ...answer, ...usageOf(object(data['response'])['usage'], 'input_tokens', 'output_tokens') };
    case 'response.failed':
      return { ...answer, problem: text(object(object(data['response'])['error'])['message']) };
    default:
      break;
  }
  if (data['object'] !== 'response') return answer;
  let next: Answer = { ...answer, ...usageOf(data['usage'], 'input_tokens', 'output_tokens') };
  for (const item of list(data['output'])) {
    for (const part of list(item['content']))
      next = { ...next, text: next.text + text(part['text']) + text(part['refusal']) };
    for (const part of list(item['summary'])) next = { ...next, thinking: next.thinking + text(part['text']) };
    next = onResponsesItem(next, item);
  }
  return next;
}

function onBlock(answer: Answer, index: number, block: Json): Answer {
  if (block['type'] === 'tool_use') {
    const input = object(block['input']);
    const whole = Object.keys(input).length > 0 ? JSON.stringify(input) : '';
    return withTool(answer, index, text(block['name']), whole);
  }
  return {
    ...answer,
    text: answer.text + text(block['text']),
    thinking: answer.thinking + text(block['thinking']),
  };
}

function onMessages(answer: Answer, data: Json): Answer {
  const delta = object(data['delta']);
  switch (data['type']) {
    case 'message_start': {
      const usage = object(object(data['message'])['usage']);
      return { ...answer, usage: { input: count(usage['input_tokens']), output: 0 } };
    }
    case 'content_block_start':
      return onBlock(answer, count(data['index']), object(data['content_block']));
    case 'content_block_delta':
      if (delta['type'] === 'input_json_delta')
        return withTool(answer, count(data['index']), '', text(delta['partial_json']));
      return onBlock(answer, count(data['index']), delta);
    case 'message_delta': {
      const { input_tokens: input, output_tokens: output } = object(data['usage']);
      return { ...answer, usage: { input: count(input) || (answer.usage?.input ?? 0), output: count(output) } };
    }
    case 'message':
      return list(data['content']).reduce<Answer>((next, block, index) => onBlock(next, index, block), {
        ...answer,
        ...usageOf(data['usage'], 'input_tokens', 'output_tokens'),
      });
    default:
      return answer;
  }
}

function onGenai(answer: Answer, data: Json): Answer {
  let next: Answer = {
    ...answer,
    ...usageOf(data['usageMetadata'], 'promptTokenCount', 'candidatesTokenCount'),
  };
  const [candidate] = list(data['candidates']);
  for (const part of list(object(object(candidate)['content'])['parts'])) {
    const { functionCall, inlineData } = part;
    if (functionCall !== undefined) {
      const { name, args } = object(functionCall);
      next = { ...next, tools: [...next.tools, { name: text(name), arguments: JSON.stringify(args ?? {}) }] };
    } else if (inlineData !== undefined) {
      const { mimeType, data: base64 } = object(inlineData);
      next = { ...next, pictures: [...next.pictures, { mime: text(mimeType), base64: text(base64) }] };
    } else if (part['thought'] === true) next = { ...next, thinking: next.thinking + text(part['text']) };
    else next = { ...next, text: next.text + text(part['text']) };
  }
  return next;
}

function onImages(answer: Answer, data: Json): Answer {
  let next: Answer = { ...answer, ...usageOf(data['usage'], 'input_tokens', 'output_tokens') };
  const format = text(data['output_format']) || 'png';
  for (const { b64_json: base64, url } of list(data['data']))
    next =
      text(base64) === ''
        ? withLink(next, text(url))
        : { ...next, pictures: [...next.pictures, { mime: pictureType(text(base64), format), base64: text(base64) }] };
  return next;
}

const onSpeech = (answer: Answer, data: Json): Answer =>
  text(data['audio']) === ''
    ? // What is charged by the character has no tokens.
      {
        ...answer,
        ...(count(object(data['usage'])['total_tokens']) > 0 &&
          usageOf(data['usage'], 'input_tokens', 'output_tokens')),
      }
    : { ...answer, sound: [...answer.sound, text(data['audio'])] };

const onTranscription = (answer: Answer, data: Json): Answer => ({
  ...answer,
  text: text(data['text']),
  ...(object(data['usage'])['type'] === 'tokens' && usageOf(data['usage'], 'input_tokens', 'output_tokens')),
});

const onRerank = (answer: Answer, data: Json): Answer => ({
  ...answer,
  ranks: list(data['results']).map((each) => ({ place: count(each['index']), score: count(each['relevance_score']) })),
});

/** By the first bytes; what is none of these is not drawn. */
function pictureType(base64: string, otherwise: string): string {
  if (base64.startsWith('iVBORw0KGgo')) return 'image/png';
  if (base64.startsWith('/9j/')) return 'image/jpeg';
  if (base64.startsWith('UklGR')) return 'image/webp';
  if (base64.startsWith('R0lGOD')) return 'image/gif';
  return `image/${otherwise}`;
}

const READERS: Readonly<Record<Exclude<Mode, 'video'>, (answer: Answer, data: Json) => Answer>> = {
  chat: onChat,
  responses: onResponses,
  messages: onMessages,
  genai: onGenai,
  image: onImages,
  speech: onSpeech,
  transcription: onTranscription,
  rerank: onRerank,
};

/** An error has the same place in every protocol. */
export const problemOf = (data: unknown): string | undefined => {
  const { error } = object(data);
  if (typeof error === 'string') return error;
  const message = text(object(error)['message']);
  return message === '' ? undefined : message;
};

/** `data`: one event of the stream, or the whole answer. */
export function grown(mode: Mode, answer: Answer, data: unknown): Answer {
  const problem = problemOf(data);
  if (problem !== undefined) return { ...answer, problem };
  return mode === 'video' ? answer : READERS[mode](answer, object(data));
}
