/** Validates the items of `input` and their parts, each by the schema of its type or role. */
import type { Static } from 'typebox';
import type { MediaKind } from '../../canonical/content.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import { isBase64 } from '../../passes/base64.ts';
import { isWebUrl, readDataUrl } from '../../passes/data-url.ts';
import { checkWith, compileAll, isGiven, malformed, tagOf, unsupported } from '../checking.ts';
import type { Sealing } from '../dialect.ts';
import { ItemsByType, type ItemType, PartsByType, type ResponsesPartType } from './wire.ts';

type Items = { [T in ItemType]: Static<(typeof ItemsByType)[T]> };
type Parts = { [P in ResponsesPartType]: Static<(typeof PartsByType)[P]> };
export type ResponsesPart = Parts[ResponsesPartType];
type WithParts<T, K extends string> = Omit<T, K> & { readonly [P in K]: string | readonly ResponsesPart[] };
/** Kept whole: only upstreams of this dialect understand it. */
type OwnItem = { readonly type: 'own'; readonly wire: JsonObject };
export type CheckedItem =
  | (WithParts<Items['message'], 'content' | 'type'> & { readonly type: 'message' })
  | Items['function_call']
  | WithParts<Items['function_call_output'], 'output'>
  | Items['custom_tool_call']
  | WithParts<Items['custom_tool_call_output'], 'output'>
  | Items['reasoning']
  | OwnItem;

/** Features that a target may not support, collected during validation. */
type InputTraits = {
  envelopes: boolean;
  rawSeals: boolean;
  /** Reasoning without a seal: only a reference to an item that was not stored. */
  bareReasoning: boolean;
  customCalls: boolean;
  richOutput: boolean;
  fileUrls: boolean;
  /** A call has no output. */
  unanswered: boolean;
  /** Members that only the service behind a ChatGPT login takes. */
  loginMembers: boolean;
};

export type CheckedInput = {
  readonly items: readonly CheckedItem[];
  readonly traits: Readonly<InputTraits>;
  readonly media: readonly { readonly kind: MediaKind; readonly path: string }[];
  readonly losses: PathLosses;
};

const items = compileAll(ItemsByType);
const parts = compileAll(PartsByType);

/** Items of tools that a provider runs with state or prices that this service does not track. */
const HOSTED_ITEMS: ReadonlySet<string> = new Set([
  'file_search_call',
  'computer_call',
  'computer_call_output',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'shell_call',
  'shell_call_output',
]);
const MAX_SHOWN_TYPE = 64;
const GIVEN: readonly ResponsesPartType[] = ['input_text', 'input_image', 'input_file'];
const SAID: readonly ResponsesPartType[] = ['output_text', 'refusal'];

class InputCheck {
  readonly media: { kind: MediaKind; path: string }[] = [];
  readonly losses = new PathLosses();
  readonly traits: InputTraits = {
    envelopes: false,
    rawSeals: false,
    bareReasoning: false,
    customCalls: false,
    richOutput: false,
    fileUrls: false,
    unanswered: false,
    loginMembers: false,
  };
  readonly #sealing: Sealing | undefined;
  readonly #callIds = new Set<string>();
  /** Calls that have no output yet. */
  readonly #open = new Set<string>();

  constructor(sealing: Sealing | undefined) {
    this.#sealing = sealing;
  }

  item(item: unknown, path: string): CheckedItem {
    const type =
      tagOf(item, 'type', path) ??
      (typeof item === 'object' && item !== null && 'role' in item ? 'message' : 'item_reference');
    if (typeof item === 'object' && item !== null && LOGIN_MEMBER in item) this.traits.loginMembers = true;
    switch (type) {
      case 'message':
        return this.#message(checkWith(items.message, item, path), path);
      case 'function_call':
      case 'custom_tool_call': {
        const call = checkWith<Items['function_call'] | Items['custom_tool_call']>(items[type], item, path);
        this.#callIds.add(call.call_id);
        this.#open.add(call.call_id);
        if (call.type === 'custom_tool_call') this.traits.customCalls = true;
        return call;
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#output(checkWith<OutputItem>(items[type], item, path), path);
      case 'reasoning':
        return this.#reasoning(checkWith(items.reasoning, item, path), path);
      case 'item_reference':
        throw unsupported(
          path,
          'refers to an item, but the gateway stores none: set `store: false` in the client, so that it sends whole items (AI SDK: `providerOptions: { openai: { store: false } }`), or have the operator set `state.keepHours`',
        );
      default:
        if (type === '' || HOSTED_ITEMS.has(type))
          throw malformed(`${path}.type`, `is not offered: ${type.slice(0, MAX_SHOWN_TYPE)}`);
        // Other items belong to this dialect's own hosts, known today or not: agents send their vendor's newest.
        // `tagOf` has checked that it is an object, and it came from JSON.
        return { type: 'own', wire: withoutLoginMember(item as JsonObject) };
    }
  }

  end(): void {
    this.traits.unanswered = this.#open.size > 0;
  }

  #message(message: Items['message'], path: string): CheckedItem {
    const content = this.#parts(message.content, message.role === 'assistant' ? SAID : GIVEN, `${path}.content`);
    return { ...message, type: 'message', content };
  }

  #output(item: OutputItem, path: string): CheckedItem {
    if (!this.#callIds.has(item.call_id)) throw malformed(`${path}.call_id`, 'does not answer any earlier tool call');
    this.#open.delete(item.call_id);
    const output = this.#parts(item.output, GIVEN, `${path}.output`);
    if (typeof output !== 'string' && output.some((part) => part.type !== 'input_text')) this.traits.richOutput = true;
    return { ...item, output };
  }

  #reasoning(item: Items['reasoning'], path: string): CheckedItem {
    const sealed = item.encrypted_content ?? '';
    if (sealed === '') this.traits.bareReasoning = true;
    else if (this.#sealing?.isEnvelope(sealed) !== true) this.traits.rawSeals = true;
    else {
      this.traits.envelopes = true;
      if (this.#sealing.unwrap(sealed) === undefined) this.losses.add(`${path}.encrypted_content`, 'foreign-seal');
    }
    return item;
  }

  #parts(
    content: string | readonly unknown[],
    allowed: readonly ResponsesPartType[],
    path: string,
  ): string | readonly ResponsesPart[] {
    if (typeof content === 'string') return content;
    return content.map((part, position) => this.#part(part, allowed, `${path}[${position}]`));
  }

  #part(part: unknown, allowed: readonly ResponsesPartType[], path: string): ResponsesPart {
    const tag = tagOf(part, 'type', path);
    const type = allowed.find((candidate) => candidate === tag);
    switch (type) {
      case 'input_text':
      case 'output_text':
      case 'refusal':
        return checkWith<ResponsesPart>(parts[type], part, path);
      case 'input_image':
        return this.#image(checkWith(parts.input_image, part, path), path);
      case 'input_file':
        return this.#file(checkWith(parts.input_file, part, path), path);
      case undefined:
        throw malformed(`${path}.type`, `must be one of ${allowed.join(', ')}`);
    }
  }

  #image(part: Parts['input_image'], path: string): ResponsesPart {
    if (isGiven(part.file_id)) throw storedElsewhere(`${path}.file_id`, 'image_url');
    const url = part.image_url;
    if (url === undefined || url === null) throw malformed(`${path}.image_url`, 'is required');
    if (url.startsWith('data:')) {
      if (readDataUrl(url) === undefined) throw malformed(`${path}.image_url`, 'is not a base64 data URL');
    } else if (!isWebUrl(url)) throw malformed(`${path}.image_url`, 'must be an http(s) URL or a base64 data URL');
    this.media.push({ kind: 'image', path });
    return part;
  }

  #file(part: Parts['input_file'], path: string): ResponsesPart {
    if (isGiven(part.file_id)) throw storedElsewhere(`${path}.file_id`, 'file_data');
    const { file_data: data, file_url: url } = part;
    if (isGiven(url)) {
      if (!isWebUrl(url ?? '')) throw malformed(`${path}.file_url`, 'must be an http(s) URL');
      this.traits.fileUrls = true;
    } else if (data === undefined || data === null) throw malformed(path, 'needs file_data or file_url');
    else if (!isBase64(data) && readDataUrl(data) === undefined) throw malformed(`${path}.file_data`, 'is not base64');
    this.media.push({ kind: 'document', path });
    return part;
  }
}

/** Codex with a ChatGPT login puts it on every item, and the format's own API refuses it. */
const LOGIN_MEMBER = 'internal_chat_message_metadata_passthrough';

function withoutLoginMember(item: JsonObject): JsonObject {
  if (!(LOGIN_MEMBER in item)) return item;
  const { [LOGIN_MEMBER]: _, ...rest } = item;
  return rest;
}

type OutputItem = Items['function_call_output'] | Items['custom_tool_call_output'];

const storedElsewhere = (field: string, instead: string) =>
  unsupported(field, `names a file stored elsewhere; send its content as ${instead}`);

export function checkInput(input: string | readonly unknown[], sealing: Sealing | undefined): CheckedInput {
  const check = new InputCheck(sealing);
  const checked: readonly CheckedItem[] =
    typeof input === 'string'
      ? [{ type: 'message', role: 'user', content: input }]
      : input.map((item, position) => check.item(item, `input[${position}]`));
  check.end();
  return { items: checked, traits: check.traits, media: check.media, losses: check.losses };
}
