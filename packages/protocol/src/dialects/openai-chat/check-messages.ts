/** Messages and their parts, each judged by the form its role or type claims. */
import type { Static } from 'typebox';
import type { MediaKind } from '../../canonical/content.ts';
import { checkWith, compile, isGiven, malformed, tagOf, unsupported, type Validator } from '../checking.ts';
import { isBase64, readDataUrl } from './data-url.ts';
import { MessagesByRole, PartsByType, type PartType, type Role, ToolCallsByType } from './wire.ts';

type Messages = { [R in Role]: Static<(typeof MessagesByRole)[R]> };
type Parts = { [P in PartType]: Static<(typeof PartsByType)[P]> };
export type Part = Parts[PartType];
export type ToolCall = Static<(typeof ToolCallsByType)['function']> | Static<(typeof ToolCallsByType)['custom']>;
type WithParts<T> = Omit<T, 'content'> & { readonly content: string | readonly Part[] | null };

export type Message =
  | WithParts<Messages['developer']>
  | WithParts<Messages['system']>
  | WithParts<Messages['user']>
  | (WithParts<Omit<Messages['assistant'], 'tool_calls'>> & { readonly tool_calls: readonly ToolCall[] })
  | WithParts<Messages['tool']>
  | Messages['function'];

/** What a target may be unable to take as it stands, noticed in passing. */
export type MessageTraits = {
  readonly names: boolean;
  readonly legacyFunctions: boolean;
  readonly reasoning: boolean;
  /** A signature or encrypted reasoning, which only its issuer can use. */
  readonly sealedReasoning: boolean;
  readonly developer: boolean;
  readonly systemMessages: number;
  readonly customCalls: boolean;
};

export type CheckedMessages = {
  readonly list: readonly Message[];
  readonly traits: MessageTraits;
  readonly media: readonly { readonly kind: MediaKind; readonly path: string }[];
};

const roles: { [R in Role]: Validator<Messages[R]> } = {
  developer: compile(MessagesByRole.developer),
  system: compile(MessagesByRole.system),
  user: compile(MessagesByRole.user),
  assistant: compile(MessagesByRole.assistant),
  tool: compile(MessagesByRole.tool),
  function: compile(MessagesByRole.function),
};
const parts: { [P in PartType]: Validator<Parts[P]> } = {
  text: compile(PartsByType.text),
  image_url: compile(PartsByType.image_url),
  input_audio: compile(PartsByType.input_audio),
  file: compile(PartsByType.file),
  refusal: compile(PartsByType.refusal),
};
const toolCalls = { function: compile(ToolCallsByType.function), custom: compile(ToolCallsByType.custom) };

const TEXT_ONLY: readonly PartType[] = ['text'];
const PARTS_OF: Readonly<Record<Exclude<Role, 'function'>, readonly PartType[]>> = {
  developer: TEXT_ONLY,
  system: TEXT_ONLY,
  tool: TEXT_ONLY,
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

class MessageCheck {
  readonly media: { kind: MediaKind; path: string }[] = [];
  readonly #callIds = new Set<string>();
  #functionCalled = false;

  message(message: unknown, path: string): Message {
    const role = tagOf(message, 'role', path);
    switch (role) {
      case 'developer':
        return this.#withParts(checkWith(roles.developer, message, path), path);
      case 'system':
        return this.#withParts(checkWith(roles.system, message, path), path);
      case 'user':
        return this.#withParts(checkWith(roles.user, message, path), path);
      case 'assistant':
        return this.#assistant(checkWith(roles.assistant, message, path), path);
      case 'tool': {
        const checked = checkWith(roles.tool, message, path);
        if (!this.#callIds.has(checked.tool_call_id))
          throw malformed(`${path}.tool_call_id`, 'does not answer any earlier tool call');
        return this.#withParts(checked, path);
      }
      case 'function': {
        const checked = checkWith(roles.function, message, path);
        if (!this.#functionCalled) throw malformed(path, 'does not follow a function_call');
        return checked;
      }
      default:
        throw malformed(`${path}.role`, 'must be one of developer, system, user, assistant, tool, function');
    }
  }

  #withParts<T extends { role: Exclude<Role, 'function'>; content?: string | readonly unknown[] | null | undefined }>(
    message: T,
    path: string,
  ): WithParts<T> {
    const { content } = message;
    if (typeof content === 'string' || content === null || content === undefined)
      return { ...message, content: content ?? null };
    const allowed = PARTS_OF[message.role];
    return {
      ...message,
      content: content.map((part, position) => this.#part(part, allowed, `${path}.content[${position}]`)),
    };
  }

  #assistant(message: Messages['assistant'], path: string): Message {
    const calls = (message.tool_calls ?? []).map((call, position) =>
      this.#toolCall(call, `${path}.tool_calls[${position}]`),
    );
    if (isGiven(message.function_call)) this.#functionCalled = true;
    const hasCall = calls.length > 0 || isGiven(message.function_call);
    if (!isGiven(message.content) && !hasCall && !isGiven(message.refusal))
      throw malformed(`${path}.content`, 'is required without tool_calls');
    if (isGiven(message.audio))
      throw unsupported(`${path}.audio`, 'refers to audio stored elsewhere, which no target of this model offers');
    const checked = this.#withParts(message, path);
    if (Array.isArray(checked.content) && checked.content.filter((part: Part) => part.type === 'refusal').length > 1)
      throw malformed(`${path}.content`, 'may hold one refusal part at most');
    return { ...checked, tool_calls: calls };
  }

  #toolCall(call: unknown, path: string): ToolCall {
    const type = tagOf(call, 'type', path);
    if (type !== 'function' && type !== 'custom') throw malformed(`${path}.type`, 'must be one of function, custom');
    const checked =
      type === 'function' ? checkWith(toolCalls.function, call, path) : checkWith(toolCalls.custom, call, path);
    this.#callIds.add(checked.id);
    return checked;
  }

  #part(part: unknown, allowed: readonly PartType[], path: string): Part {
    const tag = tagOf(part, 'type', path);
    const type = allowed.find((candidate) => candidate === tag);
    switch (type) {
      case 'text':
        return checkWith(parts.text, part, path);
      case 'refusal':
        return checkWith(parts.refusal, part, path);
      case 'image_url':
        return this.#image(checkWith(parts.image_url, part, path), path);
      case 'input_audio':
        return this.#audio(checkWith(parts.input_audio, part, path), path);
      case 'file':
        return this.#file(checkWith(parts.file, part, path), path);
      case undefined:
        throw malformed(path, `must have one of the types ${allowed.join(', ')}`);
    }
  }

  #image(part: Parts['image_url'], path: string): Part {
    const { url } = part.image_url;
    if (url.startsWith('data:')) {
      if (readDataUrl(url) === undefined) throw malformed(`${path}.image_url.url`, 'is not a base64 data URL');
    } else if (!/^https?:\/\/[^\s/]/.test(url))
      throw malformed(`${path}.image_url.url`, 'must be an http(s) URL or a base64 data URL');
    this.media.push({ kind: 'image', path });
    return part;
  }

  #audio(part: Parts['input_audio'], path: string): Part {
    if (!isBase64(part.input_audio.data)) throw malformed(`${path}.input_audio.data`, 'is not base64');
    this.media.push({ kind: 'audio', path });
    return part;
  }

  #file(part: Parts['file'], path: string): Part {
    const { file_data: data, file_id: id } = part.file;
    if (isGiven(id))
      throw unsupported(`${path}.file.file_id`, 'names a file stored elsewhere; send its content as file_data');
    if (data === undefined || data === null) throw malformed(`${path}.file`, 'needs file_data');
    if (!isBase64(data) && readDataUrl(data) === undefined) throw malformed(`${path}.file.file_data`, 'is not base64');
    this.media.push({ kind: 'document', path });
    return part;
  }
}

export function checkMessages(messages: readonly unknown[]): CheckedMessages {
  const check = new MessageCheck();
  const list = messages.map((message, position) => check.message(message, `messages[${position}]`));
  return { list, traits: traitsOf(list), media: check.media };
}

function traitsOf(list: readonly Message[]): MessageTraits {
  const system = list.filter((message) => message.role === 'system' || message.role === 'developer');
  const assistants = list.filter((message) => message.role === 'assistant');
  return {
    names: list.some((message) => message.role !== 'function' && isGiven(message.name)),
    legacyFunctions:
      list.some((message) => message.role === 'function') ||
      assistants.some((message) => isGiven(message.function_call)),
    reasoning: assistants.some(
      (message) =>
        isGiven(message.reasoning) || isGiven(message.reasoning_content) || isGiven(message.reasoning_details),
    ),
    sealedReasoning: assistants.some((message) =>
      message.reasoning_details?.some((detail) => isGiven(detail.signature) || isGiven(detail.data)),
    ),
    developer: system.some((message) => message.role === 'developer'),
    systemMessages: system.length,
    customCalls: assistants.some((message) => message.tool_calls.some((call) => call.type === 'custom')),
  };
}
