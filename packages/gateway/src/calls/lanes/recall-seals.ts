/**
 * For callers that send back only the tool calls of an answer: its seals are stored while it passes, and restored if
 * its calls come back unchanged, for the owner of the seals alone.
 */
import {
  type Block,
  type Event,
  ownsSeal,
  type RedactedBlock,
  type Sealed,
  type SealOwner,
  type TextAnswer,
  type TextCall,
  type ThinkingBlock,
  type ToolCallBlock,
  type Turn,
} from '@trivium/protocol/canonical';
import { inOrder } from '@trivium/protocol/dialects';
import type { KeptTurn, Recalled, SealMemory } from '../../kernel/seals.ts';

/** Ids of calls in turns that came back without any seal; empty if there is nothing to restore. */
export const bareCallIds = ({ turns }: TextCall): string[] =>
  turns.flatMap((turn) => (isBare(turn) ? callsOf(turn).map(({ id }) => id) : []));

const callsOf = ({ blocks }: Turn): ToolCallBlock[] => blocks.filter((block) => block.kind === 'tool-call');
const isBare = ({ role, blocks }: Turn): boolean =>
  role === 'assistant' && blocks.every((block) => !('seal' in block) || block.seal === undefined);

/** Returns the same call if nothing was restored. */
export function withRecalledSeals(call: TextCall, recalled: Recalled, owner: SealOwner): TextCall {
  if (recalled.size === 0) return call;
  const turns = call.turns.map((turn) => (isBare(turn) ? restored(turn, recalled, owner) : turn));
  return turns.some((turn, position) => turn !== call.turns[position]) ? { ...call, turns } : call;
}

function restored(turn: Turn, recalled: Recalled, owner: SealOwner): Turn {
  const calls = callsOf(turn);
  const kept = recalled.get(calls[0]?.id ?? '');
  if (kept === undefined || !kept.every((item) => isOwned(item, owner))) return turn;
  const keptCalls = kept.flatMap((item) => ('call' in item ? [item.call] : []));
  // A seal covers the blocks beside it: it does not apply to what the caller changed.
  const unchanged = calls.every((call) => keptCalls.some((same) => same.id === call.id && isSame(same, call)));
  if (!unchanged) return turn;
  const thoughtsBefore = new Map<string, Block[]>();
  const leading: Block[] = [];
  let waiting = leading;
  for (const item of kept) {
    if ('thought' in item) waiting.push(item.thought);
    else {
      if (waiting !== leading) thoughtsBefore.set(item.call.id, waiting);
      waiting = [];
    }
  }
  const seals = new Map(keptCalls.map(({ id, seal }) => [id, seal]));
  const hasThoughts = kept.some((item) => 'thought' in item);
  const blocks = turn.blocks.flatMap((block): Block[] => {
    if (block.kind === 'thinking' && hasThoughts) return [];
    if (block.kind !== 'tool-call') return [block];
    return [...(thoughtsBefore.get(block.id) ?? []), withSeal(block, seals.get(block.id))];
  });
  return { ...turn, blocks: [...leading, ...blocks] };
}

const withSeal = (call: ToolCallBlock, seal: Sealed | undefined): ToolCallBlock =>
  seal === undefined ? call : { ...call, seal };

function isOwned(item: KeptTurn[number], owner: SealOwner): boolean {
  const { seal } = 'call' in item ? item.call : item.thought;
  return seal === undefined || ownsSeal(owner, seal);
}

type Called = Pick<ToolCallBlock, 'name' | 'argumentsJson'>;
const isSame = (kept: Called, given: Called): boolean =>
  kept.name === given.name &&
  (kept.argumentsJson === given.argumentsJson || inOrder(kept.argumentsJson) === inOrder(given.argumentsJson));

type Sealable = ThinkingBlock | RedactedBlock | ToolCallBlock;

/** An answer with more characters of thinking, tool arguments and seals is not remembered. */
const MAX_KEPT_CHARACTERS = 262_144;

/** Observes one answer while it passes. */
export class SealTap {
  readonly #memory: SealMemory;
  readonly #accountId: string;
  readonly #blocks = new Map<number, Sealable>();
  #texts: string[] = [];
  #characters = 0;

  constructor(memory: SealMemory, accountId: string) {
    this.#memory = memory;
    this.#accountId = accountId;
  }

  whole({ candidates }: TextAnswer): void {
    const blocks = (candidates[0]?.blocks ?? []).filter(isSealable);
    if (blocks.reduce((sum, block) => sum + lengthOf(block), 0) <= MAX_KEPT_CHARACTERS) this.#keep(blocks);
  }

  observe(event: Event): void {
    switch (event.type) {
      case 'block-start':
        this.#start(event.index, event.candidate, event.block);
        return;
      case 'block-delta':
        if (this.#blocks.has(event.index)) this.#add(event.index, event.text);
        return;
      case 'block-seal': {
        const block = this.#blocks.get(event.index);
        if (block !== undefined) this.#blocks.set(event.index, { ...block, seal: event.seal });
        this.#characters += event.seal.data.length;
        return;
      }
      case 'answer-end':
        if (event.candidate === 0 && this.#characters <= MAX_KEPT_CHARACTERS) this.#keep(this.#finished());
        return;
      default:
        return;
    }
  }

  #start(index: number, candidate: number, block: Extract<Event, { type: 'block-start' }>['block']): void {
    if (candidate !== 0) return;
    if (block.kind === 'thinking') this.#blocks.set(index, { ...block, text: '' });
    else if (block.kind === 'tool-call') this.#blocks.set(index, { ...block, argumentsJson: '' });
    else if (block.kind === 'redacted') {
      this.#blocks.set(index, block);
      this.#characters += lengthOf(block);
    }
  }

  #add(index: number, text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_KEPT_CHARACTERS) this.#texts = [];
    else this.#texts[index] = (this.#texts[index] ?? '') + text;
  }

  #finished(): Sealable[] {
    return [...this.#blocks].map(([index, block]) => {
      const text = this.#texts[index] ?? '';
      if (block.kind === 'redacted') return block;
      return block.kind === 'thinking' ? { ...block, text } : { ...block, argumentsJson: text };
    });
  }

  /** Stores only what can be found again and has a seal: thoughts without one are of no use. */
  #keep(blocks: readonly Sealable[]): void {
    const calls = blocks.filter((block) => block.kind === 'tool-call');
    if (calls.length === 0) return;
    if (!blocks.some(({ seal }) => seal !== undefined)) {
      this.#memory.nothingToKeep?.(
        this.#accountId,
        calls.map(({ id }) => id),
      );
      return;
    }
    const turn = blocks.flatMap((block): KeptTurn => {
      if (block.kind === 'tool-call') {
        const { id, name, argumentsJson, seal } = block;
        return [{ call: { id, name, argumentsJson, ...(seal !== undefined && { seal }) } }];
      }
      return block.seal === undefined ? [] : [{ thought: block }];
    });
    this.#memory.keep(this.#accountId, turn);
  }
}

function lengthOf(block: Sealable): number {
  const sealLength = block.seal?.data.length ?? 0;
  if (block.kind === 'redacted') return sealLength;
  return sealLength + (block.kind === 'thinking' ? block.text : block.argumentsJson).length;
}

const isSealable = (block: Block): block is Sealable =>
  block.kind === 'thinking' || block.kind === 'redacted' || block.kind === 'tool-call';
