/** System blocks and turns → `instructions` and `input`, for an upstream. */
import type { TextCall } from '../../canonical/call.ts';
import type {
  Block,
  DocumentBlock,
  MediaBlock,
  SearchResultBlock,
  ThinkingBlock,
  ToolResultBlock,
  Turn,
} from '../../canonical/content.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { dataUrlOf, requireWeb } from '../../passes/data-url.ts';
import { fileNameOf, headlineOf } from '../../passes/headline.ts';
import { JSON_INSTRUCTION, lacksJsonWord } from '../../passes/json-word.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { withAnsweredCalls } from '../../passes/normalise-turns.ts';
import { SafeIds } from '../../passes/safe-names.ts';
import type { TargetFacts } from '../dialect.ts';
import { ID } from './decode-items.ts';
import { quirksOf, type ResponsesQuirks } from './quirks.ts';
import { mayOpen } from './seals.ts';

const MAX_CALL_ID = 64;

export function encodeItems(call: TextCall, target: TargetFacts, losses: LossList): JsonObject {
  const writer = new ItemWriter(target, losses);
  const instructions = writer.system(call.system);
  const turns = withAnsweredCalls(call.turns, () => losses.add('block.tool-result', 'approximated'));
  for (const turn of turns) writer.turn(turn);
  if (lacksJsonWord(call)) writer.instruct(JSON_INSTRUCTION);
  // An upstream refuses a request without input: then the instructions become the input.
  if (writer.items.length === 0 && instructions !== undefined)
    return { input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: instructions }] }] };
  return { ...(instructions !== undefined && { instructions }), input: writer.items };
}

class ItemWriter {
  readonly items: JsonObject[] = [];
  readonly #target: TargetFacts;
  readonly #quirks: ResponsesQuirks;
  readonly #losses: LossList;
  readonly #ids = new SafeIds(MAX_CALL_ID);
  readonly #customCalls = new Set<string>();

  constructor(target: TargetFacts, losses: LossList) {
    this.#target = target;
    this.#quirks = quirksOf(target);
    this.#losses = losses;
  }

  /** Instructions written as a message stay one; the rest is the text of `instructions`. */
  system(blocks: readonly Block[]): string | undefined {
    const plain: Block[] = [];
    const messages: { role: string; blocks: Block[] }[] = [];
    for (const block of blocks) {
      const role = stringAt(block.extras?.[ID], 'role');
      if (role !== undefined) messages.push({ role, blocks: [block] });
      else (messages.at(-1)?.blocks ?? plain).push(block);
    }
    if (plain.some(({ kind }) => kind === 'media')) throw cannotCarry('call.system', 'may only be text for this model');
    const text = plain.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
    if (plain.some((block) => block.cache !== undefined)) this.#losses.add('block.cache');
    const asMember = this.#quirks.instructionsAs === 'instructions' && text.length === plain.length;
    if (plain.length > 0 && !asMember)
      this.#message(this.#quirks.instructionsAs === 'system' ? 'system' : 'developer', this.#given(plain));
    for (const { role, blocks: own } of messages) this.#message(role, this.#given(own));
    return asMember && text.length > 0 ? text.join('\n\n') : undefined;
  }

  instruct(text: string): void {
    this.#message(this.#quirks.instructionRole, [{ type: 'input_text', text }]);
  }

  turn(turn: Turn): void {
    if (turn.name !== undefined) this.#losses.add('turn.name');
    switch (turn.role) {
      case 'system':
        this.#message(stringAt(turn.extras?.[ID], 'role') ?? this.#quirks.instructionRole, this.#given(turn.blocks));
        return;
      case 'user':
        this.#user(turn);
        return;
      case 'assistant':
        this.#assistant(turn);
        return;
    }
  }

  #message(role: string, content: readonly JsonObject[], more: JsonObject = {}): void {
    if (content.length > 0) this.items.push({ type: 'message', role, content, ...more });
  }

  #user(turn: Turn): void {
    const rest: Block[] = [];
    for (const block of turn.blocks) {
      if (block.kind === 'tool-result') this.#result(block);
      else if (block.kind === 'foreign' && block.dialect === ID && isJsonObject(block.wire))
        this.items.push(block.wire);
      else rest.push(block);
    }
    this.#message('user', this.#given(rest));
  }

  #result(result: ToolResultBlock): void {
    if (result.isError) this.#losses.add('block.tool-result', 'approximated');
    if (result.cache !== undefined) this.#losses.add('block.cache');
    const said = result.extras?.[ID]?.['custom'] === true && this.#quirks.freeFormTools;
    const isCustom = said || this.#customCalls.has(result.callId);
    this.items.push({
      type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
      call_id: this.#ids.of(result.callId),
      output: this.#output(
        result.structured === undefined
          ? result.content
          : [
              { kind: 'text', text: JSON.stringify(result.structured) },
              ...result.content.filter(({ kind }) => kind === 'media'),
            ],
      ),
    });
  }

  #output(blocks: readonly Block[]): Json {
    const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
    if (blocks.some(({ cache }) => cache !== undefined)) this.#losses.add('block.cache');
    if (texts.length === blocks.length && texts.length <= 1) return texts[0] ?? '';
    if (this.#quirks.richToolOutput) return this.#given(blocks);
    if (texts.length < blocks.length) this.#losses.add('block.tool-result');
    return texts.join('\n');
  }

  /**
   * A reasoning item is only accepted together with what follows it: at the end of a turn the upstream would refuse it.
   */
  #assistant(turn: Turn): void {
    let said: JsonObject[] = [];
    let phase: JsonObject = {};
    const flush = (): void => {
      this.#message('assistant', said, phase);
      said = [];
      phase = {};
    };
    for (const block of turn.blocks) {
      if (block.kind === 'text' || block.kind === 'refusal') {
        const own = block.extras?.[ID];
        if (own?.['newMessage'] === true) flush();
        const word = stringAt(own, 'phase');
        if (word !== undefined) phase = { phase: word };
        said.push(...this.#said(block));
        continue;
      }
      flush();
      this.#item(block);
    }
    flush();
    while (this.items.at(-1)?.['type'] === 'reasoning') {
      this.items.pop();
      this.#losses.add('block.seal', 'approximated');
    }
  }

  #said(block: Extract<Block, { kind: 'text' | 'refusal' }>): JsonObject[] {
    if (block.cache !== undefined) this.#losses.add('block.cache');
    if (block.kind === 'refusal') return [{ type: 'refusal', refusal: block.text }];
    if (block.citations !== undefined) this.#losses.add('block.citations');
    if (block.seal !== undefined) this.#losses.add('block.seal', 'foreign-seal');
    return block.text === '' ? [] : [{ type: 'output_text', text: block.text }];
  }

  #item(block: Exclude<Block, { kind: 'text' | 'refusal' }>): void {
    switch (block.kind) {
      case 'thinking':
        this.#thinking(block);
        return;
      case 'redacted':
        if (this.#owns(block.seal)) this.items.push(reasoningItem(block.seal, [], []));
        else this.#losses.add('block.redacted', 'foreign-seal');
        return;
      case 'tool-call': {
        if (block.seal !== undefined) this.#losses.add('block.seal', 'foreign-seal');
        if (block.cache !== undefined) this.#losses.add('block.cache');
        if (block.form === 'custom') this.#customCalls.add(block.id);
        const namespace = stringAt(block.extras?.[ID], 'namespace');
        this.items.push({
          type: block.form === 'function' ? 'function_call' : 'custom_tool_call',
          call_id: this.#ids.call(block.id),
          name: block.name,
          ...(block.form === 'function' ? { arguments: block.argumentsJson } : { input: block.argumentsJson }),
          ...(namespace !== undefined && { namespace }),
        });
        return;
      }
      case 'foreign':
        if (block.dialect === ID && isJsonObject(block.wire)) this.items.push(block.wire);
        else this.#losses.add('block.foreign');
        return;
      case 'media':
      case 'document':
      case 'search-result':
      case 'tool-result':
      case 'server-tool':
        this.#losses.add(`block.${block.kind}`);
        return;
    }
  }

  #owns(seal: Sealed): boolean {
    return this.#quirks.encryptedReasoning && mayOpen(this.#target.sealOwner, seal);
  }

  /** Reasoning goes back only with its own seal: without it the upstream would look for an item it never stored. */
  #thinking(block: ThinkingBlock): void {
    const { seal } = block;
    if (seal === undefined || !this.#owns(seal)) {
      if (seal !== undefined) this.#losses.add('block.seal', 'foreign-seal');
      else this.#losses.add('block.thinking');
      return;
    }
    const own = block.extras?.[ID];
    const texts = (name: string): string[] =>
      arrayAt(own, name).flatMap((text) => (typeof text === 'string' ? text : []));
    if (own?.['summary'] !== undefined) this.items.push(reasoningItem(seal, texts('summary'), texts('content')));
    // Readable text of sealed reasoning is a summary, whatever other dialects call it.
    else this.items.push(reasoningItem(seal, block.text === '' ? [] : [block.text], []));
  }

  #headline(block: DocumentBlock | SearchResultBlock | MediaBlock): JsonObject[] {
    if (block.citable === true) this.#losses.add('block.citations');
    const text = headlineOf(
      block,
      block.kind === 'media' && block.media === 'document' && block.source.via === 'inline',
    );
    return text === '' ? [] : [{ type: 'input_text', text }];
  }

  #detail({ media, detail, extras }: MediaBlock): void {
    if (detail === undefined || detail === 'auto') return;
    if (media !== 'image') this.#losses.add('call.mediaResolution');
    else if (DETAILS[detail] !== detail && stringAt(extras?.[ID], 'detail') === undefined)
      this.#losses.add('call.mediaResolution', 'approximated');
  }

  #given(blocks: readonly Block[]): JsonObject[] {
    return blocks.flatMap((block) => this.#part(block));
  }

  #part(block: Block): JsonObject[] {
    if (block.cache !== undefined) this.#losses.add('block.cache');
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return block.text === '' ? [] : [{ type: 'input_text', text: block.text }];
      case 'media':
        this.#detail(block);
        return [...this.#headline(block), encodeMedia(block, this.#quirks)];
      case 'document':
      case 'search-result':
        return [...this.#headline(block), ...this.#given(block.content)];
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
}

const reasoningItem = (seal: Sealed, summary: readonly string[], content: readonly string[]): JsonObject => ({
  type: 'reasoning',
  ...(seal.itemId !== undefined && { id: seal.itemId }),
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  ...(content.length > 0 && { content: content.map((text) => ({ type: 'reasoning_text', text })) }),
  encrypted_content: seal.data,
});

const DETAILS: Readonly<Record<string, string>> = {
  low: 'low',
  medium: 'auto',
  high: 'high',
  ultra: 'high',
  auto: 'auto',
};

function encodeMedia(block: MediaBlock, quirks: ResponsesQuirks): JsonObject {
  const { source } = block;
  requireWeb(source);
  const url =
    source.via === 'url' ? source.url : dataUrlOf(block.mimeType ?? 'application/octet-stream', source.base64);
  switch (block.media) {
    case 'image': {
      const detail = stringAt(block.extras?.[ID], 'detail') ?? DETAILS[block.detail ?? 'auto'] ?? 'auto';
      return { type: 'input_image', image_url: url, detail };
    }
    case 'document':
      if (source.via === 'inline')
        return { type: 'input_file', filename: fileNameOf(block) ?? 'document', file_data: url };
      if (!quirks.fileUrls) throw cannotCarry('block.media', 'holds a document by URL, which this model cannot read');
      return { type: 'input_file', file_url: url };
    case 'audio':
    case 'video':
      throw cannotCarry('block.media', `holds ${block.media}, which this model cannot read`);
  }
}
