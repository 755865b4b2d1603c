/** System blocks and turns → chat messages, in their original form if a chat caller wrote them. */
import type { OutputFormat, TextCall } from '../../canonical/call.ts';
import type {
  Block,
  DocumentBlock,
  MediaBlock,
  SearchResultBlock,
  TextBlock,
  ToolResultBlock,
  Turn,
} from '../../canonical/content.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonArray, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { disownsSeal, ownsSeal, type Sealed } from '../../canonical/sealed.ts';
import { callIdForm } from '../../passes/call-ids.ts';
import { dataUrlOf, requireWeb } from '../../passes/data-url.ts';
import { fileNameOf, headlineOf } from '../../passes/headline.ts';
import { JSON_INSTRUCTION, lacksJsonWord } from '../../passes/json-word.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { hasSystemName, systemNameOf, withAnsweredCalls } from '../../passes/normalise-turns.ts';
import type { TargetFacts } from '../dialect.ts';
import { writeParts } from './content-parts.ts';
import type { ChatQuirks } from './quirks.ts';
import { writeDetail } from './reasoning.ts';
import { UNKNOWN_OWNER } from './seals.ts';
import { IMAGE_DETAILS } from './wire.ts';

/** The content of a tool message whose tool returned only images or files. */
const SHOWN_BELOW = 'The result is shown in the next message.';

/** Blocks that a user message can carry instead of the tool message. */
const isShowable = (block: Block): boolean =>
  (block.kind === 'media' && block.media === 'image') || block.kind === 'document' || block.kind === 'search-result';

const partsOf = (content: Json | undefined): readonly Json[] =>
  isJsonArray(content) ? content : [{ type: 'text', text: content ?? '' }];

export function encodeMessages(
  call: TextCall,
  quirks: ChatQuirks,
  target: TargetFacts,
  losses: LossList,
): JsonObject[] {
  const writer = new MessageWriter(quirks, target, losses);
  writer.system(call.system);
  for (const turn of withAnsweredCalls(call.turns, () => writer.mended())) writer.turn(turn);
  writer.instruct(call.output, lacksJsonWord(call));
  return writer.messages;
}

class MessageWriter {
  readonly messages: JsonObject[] = [];
  readonly #quirks: ChatQuirks;
  readonly #target: TargetFacts;
  readonly #losses: LossList;
  readonly #callId: (id: string) => string;

  constructor(quirks: ChatQuirks, target: TargetFacts, losses: LossList) {
    this.#quirks = quirks;
    this.#target = target;
    this.#losses = losses;
    this.#callId = callIdForm(quirks.toolCallIdLength);
  }

  system(blocks: readonly Block[]): void {
    if (blocks.some(({ kind }) => kind === 'media'))
      throw cannotCarry('call.system', 'may only be text for this model');
    let group: Block[] = [];
    const flush = (): void => {
      const [first, ...rest] = group;
      if (first === undefined) return;
      const name = systemNameOf(first);
      if (hasSystemName(rest)) this.#losses.add('turn.name');
      this.messages.push({ role: this.#systemRole(first), content: this.#content(group), ...this.#name(name) });
      group = [];
    };
    for (const block of blocks) {
      if (block.extras?.['openai-chat']?.['newMessage'] === true && this.#quirks.multipleSystem) flush();
      group.push(block);
    }
    flush();
  }

  /** A call without result got one. */
  mended(): void {
    this.#losses.add('block.tool-result', 'approximated');
  }

  turn(turn: Turn): void {
    switch (turn.role) {
      case 'system': {
        const message = { role: this.#systemRole(turn), content: this.#content(turn.blocks), ...this.#name(turn.name) };
        if (!this.#quirks.multipleSystem) this.#losses.add('turn.system', 'approximated');
        this.#instruction(message);
        return;
      }
      case 'user':
        this.#user(turn);
        return;
      case 'assistant':
        this.#assistant(turn);
        return;
    }
  }

  /** For hosts without schemas the schema goes into the prompt; the others require at least a mention of JSON. */
  instruct(output: OutputFormat | undefined, unsaid: boolean): void {
    if (output === undefined || output.kind === 'text') return;
    const { jsonMode } = this.#quirks;
    if (output.kind === 'json' ? jsonMode !== 'none' && !unsaid : jsonMode === 'schema') return;
    const instruction =
      output.kind === 'schema'
        ? `Answer with one JSON object that matches this JSON Schema: ${JSON.stringify(output.schema)}`
        : output.kind === 'enum'
          ? `Answer with a JSON object {"value": …} whose value is one of: ${JSON.stringify(output.values)}`
          : JSON_INSTRUCTION;
    this.#instruction({ role: 'system', content: instruction });
  }

  /** In its place, or at the end of the first message for hosts that accept instructions nowhere else. */
  #instruction(message: JsonObject): void {
    const [first] = this.messages;
    if (this.#quirks.multipleSystem) this.messages.push(message);
    else if (first?.['role'] === 'system' || first?.['role'] === 'developer') {
      if (message['name'] !== undefined) this.#losses.add('turn.name');
      this.messages[0] = { ...first, content: [...partsOf(first['content']), ...partsOf(message['content'])] };
    } else this.messages.unshift(message);
  }

  #systemRole(node: Block | Turn): string {
    const given = stringAt(node.extras?.['openai-chat'], 'role') ?? 'system';
    return this.#quirks.systemRole === 'as-given' ? given : this.#quirks.systemRole;
  }

  #name(name: string | undefined): JsonObject {
    if (name === undefined) return {};
    if (this.#quirks.messageNames) return { name };
    this.#losses.add('turn.name');
    return {};
  }

  #user(turn: Turn): void {
    const results = turn.blocks.filter((block) => block.kind === 'tool-result');
    // Tool messages hold only text in this dialect: other blocks follow all of them, because nothing may come in
    // between.
    const shown = results.flatMap(({ content }) => content.filter(isShowable));
    for (const result of results) {
      if (result.cache !== undefined) this.#losses.add('block.cache');
      // The text describes the error; this dialect has no error flag.
      if (result.isError) this.#losses.add('block.tool-result', 'approximated');
      this.messages.push({
        role: 'tool',
        tool_call_id: this.#callId(result.callId),
        content: this.#resultContent(result),
        // Only if a chat caller wrote one: tool messages of the format have no name.
        ...(result.extras?.['openai-chat']?.['named'] === true && this.#name(result.name)),
      });
    }
    const rest = [...shown, ...turn.blocks.filter((block) => block.kind !== 'tool-result')];
    if (rest.length > 0 || results.length === 0)
      this.messages.push({ role: 'user', content: this.#content(rest), ...this.#name(turn.name) });
  }

  #resultContent({ content, structured }: ToolResultBlock): Json {
    const texts = content.filter((block) => block.kind === 'text');
    const shown = content.filter(isShowable).length;
    if (texts.length < content.length)
      this.#losses.add('block.tool-result', texts.length + shown < content.length ? 'no-equivalent' : 'approximated');
    if (structured !== undefined) return JSON.stringify(structured);
    return texts.length === 0 && shown > 0 ? SHOWN_BELOW : this.#content(texts);
  }

  #assistant(turn: Turn): void {
    const calls = turn.blocks.filter((block) => block.kind === 'tool-call');
    const refusals = turn.blocks.filter((block) => block.kind === 'refusal');
    const spoken = turn.blocks.filter((block) => block.kind === 'text');
    for (const block of turn.blocks)
      if (block.kind === 'server-tool' || block.kind === 'foreign' || block.kind === 'media')
        this.#losses.add(`block.${block.kind}`);
      // A request of this dialect has no member for state attached to text or tool calls.
      else if ((block.kind === 'text' || block.kind === 'tool-call') && block.seal !== undefined)
        this.#losses.add('block.seal', 'foreign-seal');
    const reasoning = this.#reasoning(turn.blocks);
    const speaks = calls.length > 0 || refusals.length > 0;
    // Nothing is left of it: hosts refuse an empty message.
    if (!speaks && spoken.length === 0 && turn.blocks.length > 0 && Object.keys(reasoning).length === 0) return;
    this.messages.push({
      role: 'assistant',
      content: spoken.length > 0 ? this.#spoken(spoken) : speaks ? null : '',
      ...(refusals.length > 0 && { refusal: refusals.map(({ text }) => text).join('') }),
      ...reasoning,
      ...(calls.length > 0 && { tool_calls: calls.map((call) => this.#toolCall(call)) }),
      ...this.#name(turn.name),
      ...(turn.continues === true &&
        PREFILL_MEMBERS.has(this.#quirks.prefillWrite) && { [this.#quirks.prefillWrite]: true }),
    });
  }

  /** A plain string unless the caller wrote parts: some models answer in the form in which they see their own text. */
  #spoken(blocks: readonly TextBlock[]): Json {
    const content = this.#content(blocks);
    const asArray = blocks.some((block) => block.extras?.['openai-chat']?.['asArray'] === true);
    return Array.isArray(content) && !asArray ? blocks.map(({ text }) => text).join('') : content;
  }

  /** Reasoning is sent back only if the host wants it; sealed details only to their owner. */
  #reasoning(blocks: readonly Block[]): JsonObject {
    const thinking = blocks.filter((block) => block.kind === 'thinking');
    const redacted = blocks.filter((block) => block.kind === 'redacted');
    if (thinking.length === 0 && redacted.length === 0) {
      const isWanted =
        this.#quirks.reasoningReplay === 'required' && blocks.some((block) => block.kind === 'tool-call');
      return isWanted ? { reasoning_content: '' } : {};
    }
    const thoughts = blocks.filter((block) => block.kind === 'thinking' || block.kind === 'redacted');
    const originals = thoughts.map((block) => objectAt(block.extras?.['openai-chat'], 'detail'));
    const hasDetails = thoughts.some(({ seal }, position) => seal !== undefined || originals[position] !== undefined);
    const owned = thoughts.every(({ seal }) => seal === undefined || this.#owns(seal));
    if (hasDetails && owned && this.#quirks.reasoningRead.includes('reasoning_details'))
      return {
        // Callers of other formats, and envelopes, return the seal without its original detail.
        reasoning_details: thoughts.map(
          (block, index) => originals[index] ?? writeDetail(block, block.seal?.data, index),
        ),
      };
    if (redacted.length > 0) this.#losses.add('block.redacted', 'foreign-seal');
    if (thinking.some((block) => block.seal !== undefined)) this.#losses.add('block.seal', 'foreign-seal');
    const inParts = this.#quirks.reasoningRead.includes('thinking-parts');
    // If reasoning is part of the content, models that do not reason refuse it.
    const refused = inParts && this.#target.model.thinking.kind === 'none';
    if (this.#quirks.reasoningReplay === 'forbidden' || refused) {
      if (thinking.length > 0) this.#losses.add('block.thinking');
      return {};
    }
    const text = thinking.map((block) => block.text).join('');
    if (!inParts) return { reasoning_content: text };
    return text === '' ? {} : { content: writeParts(text, blocks) };
  }

  #owns(seal: Sealed): boolean {
    const { sealOwner } = this.#target;
    return ownsSeal(sealOwner, seal) || (ownsSeal(UNKNOWN_OWNER, seal) && !disownsSeal(sealOwner, seal));
  }

  #toolCall(call: Extract<Block, { kind: 'tool-call' }>): JsonObject {
    if (call.cache !== undefined) this.#losses.add('block.cache');
    return call.form === 'function'
      ? { id: this.#callId(call.id), type: 'function', function: { name: call.name, arguments: call.argumentsJson } }
      : { id: this.#callId(call.id), type: 'custom', custom: { name: call.name, input: call.argumentsJson } };
  }

  #content(blocks: readonly Block[]): Json {
    const parts = blocks.flatMap((block) => this.#part(block));
    const only = parts[0];
    const asArray = blocks[0]?.extras?.['openai-chat']?.['asArray'] === true;
    if (parts.length === 0) return '';
    return parts.length === 1 && only?.['type'] === 'text' && !asArray ? (only['text'] ?? '') : parts;
  }

  #part(block: Block): JsonObject[] {
    if (block.cache !== undefined) this.#losses.add('block.cache');
    switch (block.kind) {
      case 'text':
        if (block.citations !== undefined) this.#losses.add('block.citations');
        return [{ type: 'text', text: block.text }];
      case 'refusal':
        return [{ type: 'refusal', refusal: block.text }];
      case 'media':
        if (losesDetail(block)) this.#losses.add('call.mediaResolution');
        return [...this.#headline(block), encodeMedia(block)];
      case 'document':
      case 'search-result':
        return [...this.#headline(block), ...block.content.flatMap((inner) => this.#part(inner))];
      case 'thinking':
      case 'redacted':
      case 'tool-call':
      case 'tool-result':
      case 'server-tool':
      case 'foreign':
        this.#losses.add(`block.${block.kind}`);
        return [];
    }
  }

  #headline(block: DocumentBlock | SearchResultBlock | MediaBlock): JsonObject[] {
    if (block.citable === true) this.#losses.add('block.citations');
    const text = headlineOf(block, block.kind === 'media' && block.media === 'document');
    return text === '' ? [] : [{ type: 'text', text }];
  }
}

const PREFILL_MEMBERS: ReadonlySet<string> = new Set(['prefix', 'partial']);
const DETAILS: ReadonlySet<string> = new Set(IMAGE_DETAILS);

const losesDetail = ({ media, detail = 'auto' }: MediaBlock): boolean =>
  detail !== 'auto' && (media !== 'image' || !DETAILS.has(detail));

function encodeMedia(block: MediaBlock): JsonObject {
  const { source } = block;
  requireWeb(source);
  const url =
    source.via === 'url' ? source.url : dataUrlOf(block.mimeType ?? 'application/octet-stream', source.base64);
  switch (block.media) {
    case 'image':
      return {
        type: 'image_url',
        image_url: { url, ...(block.detail !== undefined && DETAILS.has(block.detail) && { detail: block.detail }) },
      };
    case 'audio':
      if (source.via === 'url') throw cannotCarry('block.media', 'holds audio by URL, which this model cannot read');
      return {
        type: 'input_audio',
        input_audio: { data: source.base64, format: (block.mimeType ?? 'audio/wav').replace(/^audio\//, '') },
      };
    case 'document': {
      if (source.via === 'url')
        throw cannotCarry('block.media', 'holds a document by URL, which this model cannot read');
      const filename = fileNameOf(block);
      return { type: 'file', file: { file_data: url, ...(filename !== undefined && { filename }) } };
    }
    case 'video':
      throw cannotCarry('block.media', 'holds video, which this model cannot read');
  }
}
