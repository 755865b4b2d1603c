/**
 * Tool calls of one answer have distinct ids: some hosts give several calls the same one, and clients match results by
 * id. The first keeps its id; the caller sends the others back under their new ones, results included.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { Block } from '../canonical/content.ts';
import type { Event } from '../canonical/events.ts';

/** Not among the taken ones; the same id if it is free. */
export function distinctId(id: string, isTaken: (id: string) => boolean): string {
  let distinct = id;
  for (let copy = 2; isTaken(distinct); copy++) distinct = `${id}_${copy}`;
  return distinct;
}

/** For a stream; each candidate has ids of its own. */
export class DistinctCalls {
  #taken: Set<string> | undefined;

  /** The same event if its call has an id of its own. */
  of(event: Event): Event {
    if (event.type !== 'block-start' || event.block.kind !== 'tool-call') return event;
    const { candidate, block } = event;
    this.#taken ??= new Set();
    const taken = this.#taken;
    const id = distinctId(block.id, (each) => taken.has(`${candidate} ${each}`));
    taken.add(`${candidate} ${id}`);
    return id === block.id ? event : { ...event, block: { ...block, id } };
  }
}

/** The same answer if every call has an id of its own. */
export function withDistinctCalls(answer: TextAnswer): TextAnswer {
  if (!answer.candidates.some(({ blocks }) => hasSeveralCalls(blocks))) return answer;
  const candidates = answer.candidates.map((candidate) => {
    const blocks = distinctBlocks(candidate.blocks);
    return blocks === candidate.blocks ? candidate : { ...candidate, blocks };
  });
  return candidates.every((candidate, at) => candidate === answer.candidates[at]) ? answer : { ...answer, candidates };
}

function hasSeveralCalls(blocks: readonly Block[]): boolean {
  let calls = 0;
  for (const { kind } of blocks) if (kind === 'tool-call') calls++;
  return calls > 1;
}

function distinctBlocks(blocks: readonly Block[]): readonly Block[] {
  const taken = new Set<string>();
  let changed = false;
  const out = blocks.map((block) => {
    if (block.kind !== 'tool-call') return block;
    const id = distinctId(block.id, (each) => taken.has(each));
    taken.add(id);
    if (id === block.id) return block;
    changed = true;
    return { ...block, id };
  });
  return changed ? out : blocks;
}
