/** Validates messages and their parts, each by the schema of its role or type. */
import type { Static } from 'typebox';
import type { MediaKind } from '../../canonical/content.ts';
import { PathLosses } from '../../canonical/loss.ts';
import { isBase64 } from '../../passes/base64.ts';
import { isLongId } from '../../passes/call-ids.ts';
import { readDataUrl } from '../../passes/data-url.ts';
import { checkWith, compileAll, isGiven, malformed, tagOf, unsupported } from '../checking.ts';
import type { Sealing } from '../dialect.ts';
import { type ChatPartType, type MessageRole, MessagesByRole, PartsByType, ToolCallsByType } from './wire.ts';

type Messages = { [R in MessageRole]: Static<(typeof MessagesByRole)[R]> };
type Parts = { [P in ChatPartType]: Static<(typeof PartsByType)[P]> };
export type ChatPart = Parts[ChatPartType];
export type ToolCall = Static<(typeof ToolCallsByType)['function']> | Static<(typeof ToolCallsByType)['custom']>;
/** The caller's own objects, known to be valid: nothing is copied until the canonical form is needed. */
type WithParts<T> = Omit<T, 'content'> & { readonly content?: string | readonly ChatPart[] | null };

export type Message =
  | WithParts<Messages['developer']>
  | WithParts<Messages['system']>
  | WithParts<Messages['user']>
  | (WithParts<Omit<Messages['assistant'], 'tool_calls'>> & { readonly tool_calls?: readonly ToolCall[] | null })
  | WithParts<Messages['tool']>
  | Messages['function'];

/** Features that a target may not support, collected during validation. */
type MessageTraits = {
  names: boolean;
  legacyFunctions: boolean;
  reasoning: boolean;
  /** A signature or encrypted reasoning, which only its issuer can use. */
  sealedReasoning: boolean;
  /** At least one of the gateway's envelopes, valid or not. */
  envelopes: boolean;
  /** An assistant message has tool calls but no `reasoning_content`. */
  unthoughtCalls: boolean;
  developer: boolean;
  systemMessages: number;
  toolResults: boolean;
  customCalls: boolean;
  /** A call id is longer than the format's home accepts. */
  longCallIds: boolean;
  /** A call is not answered by the messages after it. */
  unanswered: boolean;
};

export type CheckedMessages = {
  readonly list: readonly Message[];
  readonly traits: Readonly<MessageTraits>;
  readonly media: readonly { readonly kind: MediaKind; readonly path: string }[];
  /** Envelopes that cannot be opened. */
  readonly losses: PathLosses;
};

const roles = compileAll(MessagesByRole);
const parts = compileAll(PartsByType);
const toolCalls = compileAll(ToolCallsByType);

const TEXT_ONLY: readonly ChatPartType[] = ['text'];
const PARTS_OF: Readonly<Record<Exclude<MessageRole, 'function'>, readonly ChatPartType[]>> = {
  developer: TEXT_ONLY,
  system: TEXT_ONLY,
  tool: TEXT_ONLY,
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

class MessageCheck {
  readonly losses = new PathLosses();
  readonly media: { kind: MediaKind; path: string }[] = [];
  readonly traits: MessageTraits = {
    names: false,
    legacyFunctions: false,
    reasoning: false,
    sealedReasoning: false,
    envelopes: false,
    unthoughtCalls: false,
    developer: false,
    systemMessages: 0,
    toolResults: false,
    customCalls: false,
    longCallIds: false,
    unanswered: false,
  };
  readonly #sealing: Sealing | undefined;
  #callIds: Set<string> | undefined;
  /** Calls that have no result yet. */
  #open: Set<string> | undefined;
  #functionCalled = false;

  constructor(sealing: Sealing | undefined) {
    this.#sealing = sealing;
  }

  message(message: unknown, path: string): void {
    const role = tagOf(message, 'role', path);
    if (role !== 'tool' && this.#open !== undefined && this.#open.size > 0) this.traits.unanswered = true;
    switch (role) {
      case 'developer':
        this.traits.developer = true;
        this.#instruction(checkWith(roles.developer, message, path), path);
        break;
      case 'system':
        this.#instruction(checkWith(roles.system, message, path), path);
        break;
      case 'user':
        this.#parts(checkWith(roles.user, message, path), path);
        break;
      case 'assistant':
        this.#assistant(checkWith(roles.assistant, message, path), path);
        break;
      case 'tool':
        this.#toolResult(checkWith(roles.tool, message, path), path);
        break;
      case 'function':
        checkWith(roles.function, message, path);
        if (!this.#functionCalled) throw malformed(path, 'does not follow a function_call');
        this.traits.legacyFunctions = true;
        break;
      default:
        throw malformed(`${path}.role`, 'must be one of developer, system, user, assistant, tool, function');
    }
  }

  #instruction(message: Messages['developer'] | Messages['system'], path: string): void {
    this.traits.systemMessages++;
    this.#parts(message, path);
  }

  #toolResult(message: Messages['tool'], path: string): void {
    this.traits.toolResults = true;
    this.#open?.delete(message.tool_call_id);
    if (this.#callIds?.has(message.tool_call_id) !== true)
      throw malformed(`${path}.tool_call_id`, 'does not answer any earlier tool call');
    this.#parts(message, path);
  }

  #parts(message: Spoken, path: string): void {
    if (isGiven(message.name)) this.traits.names = true;
    const { content } = message;
    if (!Array.isArray(content)) return;
    const allowed = PARTS_OF[message.role];
    for (const [position, part] of content.entries()) this.#part(part, allowed, `${path}.content[${position}]`);
  }

  #assistant(message: Messages['assistant'], path: string): void {
    const { traits } = this;
    const calls = message.tool_calls ?? [];
    for (const [position, call] of calls.entries()) this.#toolCall(call, `${path}.tool_calls[${position}]`);
    if (isGiven(message.function_call)) {
      this.#functionCalled = true;
      traits.legacyFunctions = true;
    }
    const hasCall = calls.length > 0 || isGiven(message.function_call);
    if (!isGiven(message.content) && !hasCall && !isGiven(message.refusal))
      throw malformed(`${path}.content`, 'is required without tool_calls');
    if (isGiven(message.audio))
      throw unsupported(`${path}.audio`, 'refers to audio stored elsewhere, which no target of this model offers');
    if (isGiven(message.reasoning) || isGiven(message.reasoning_content) || isGiven(message.reasoning_details))
      traits.reasoning = true;
    for (const [position, { signature, data }] of (message.reasoning_details ?? []).entries()) {
      this.#seal(signature, `${path}.reasoning_details[${position}].signature`);
      this.#seal(data, `${path}.reasoning_details[${position}].data`);
    }
    if (hasCall && !isGiven(message.reasoning_content)) traits.unthoughtCalls = true;
    this.#parts(message, path);
    if (Array.isArray(message.content) && message.content.filter(isRefusal).length > 1)
      throw malformed(`${path}.content`, 'may hold one refusal part at most');
  }

  #seal(text: string | null | undefined, path: string): void {
    if (text === undefined || text === null) return;
    this.traits.sealedReasoning = true;
    if (this.#sealing?.isEnvelope(text) !== true) return;
    this.traits.envelopes = true;
    if (this.#sealing.unwrap(text) === undefined) this.losses.add(path, 'foreign-seal');
  }

  #toolCall(call: unknown, path: string): void {
    const type = tagOf(call, 'type', path);
    if (type !== 'function' && type !== 'custom') throw malformed(`${path}.type`, 'must be one of function, custom');
    if (type === 'custom') this.traits.customCalls = true;
    const { id } =
      type === 'function' ? checkWith(toolCalls.function, call, path) : checkWith(toolCalls.custom, call, path);
    if (isLongId(id)) this.traits.longCallIds = true;
    this.#callIds ??= new Set();
    this.#callIds.add(id);
    this.#open ??= new Set();
    this.#open.add(id);
  }

  #part(part: unknown, allowed: readonly ChatPartType[], path: string): void {
    const tag = tagOf(part, 'type', path);
    const type = allowed.find((candidate) => candidate === tag);
    switch (type) {
      case 'text':
        checkWith(parts.text, part, path);
        return;
      case 'refusal':
        checkWith(parts.refusal, part, path);
        return;
      case 'image_url':
        this.#image(checkWith(parts.image_url, part, path), path);
        return;
      case 'input_audio':
        if (!isBase64(checkWith(parts.input_audio, part, path).input_audio.data))
          throw malformed(`${path}.input_audio.data`, 'is not base64');
        this.media.push({ kind: 'audio', path });
        return;
      case 'file':
        this.#file(checkWith(parts.file, part, path), path);
        return;
      case undefined:
        throw malformed(path, `must have one of the types ${allowed.join(', ')}`);
    }
  }

  #image(part: Parts['image_url'], path: string): void {
    const { url } = part.image_url;
    if (url.startsWith('data:')) {
      if (readDataUrl(url) === undefined) throw malformed(`${path}.image_url.url`, 'is not a base64 data URL');
    } else if (!/^https?:\/\/[^\s/]/.test(url))
      throw malformed(`${path}.image_url.url`, 'must be an http(s) URL or a base64 data URL');
    this.media.push({ kind: 'image', path });
  }

  #file(part: Parts['file'], path: string): void {
    const { file_data: data, file_id: id } = part.file;
    if (isGiven(id))
      throw unsupported(`${path}.file.file_id`, 'names a file stored elsewhere; send its content as file_data');
    if (data === undefined || data === null) throw malformed(`${path}.file`, 'needs file_data');
    if (!isBase64(data) && readDataUrl(data) === undefined) throw malformed(`${path}.file.file_data`, 'is not base64');
    this.media.push({ kind: 'document', path });
  }
}

type Spoken = {
  readonly role: Exclude<MessageRole, 'function'>;
  readonly content?: string | readonly unknown[] | null | undefined;
  readonly name?: string | null | undefined;
};

const isRefusal = (part: unknown): boolean => tagOf(part, 'type', '') === 'refusal';

export function checkMessages(messages: readonly unknown[], sealing: Sealing | undefined): CheckedMessages {
  const check = new MessageCheck(sealing);
  for (let position = 0; position < messages.length; position++)
    check.message(messages[position], `messages[${position}]`);
  // The loop above has validated each of them by the schema of its role.
  return { list: messages as readonly Message[], traits: check.traits, media: check.media, losses: check.losses };
}
