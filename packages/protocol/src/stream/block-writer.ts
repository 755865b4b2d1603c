/**
 * Turns loose deltas into the strict block grammar, once for all loose dialects. Text and thinking blocks end when
 * another block starts; tool calls stay open side by side until `close`, because loose dialects interleave their
 * fragments and never mark one as complete.
 */
import type { BlockNote, Event, OpenBlock } from '../canonical/events.ts';
import type { Sealed } from '../canonical/sealed.ts';

export class BlockWriter {
  readonly #open = new Map<string, { readonly index: number; readonly block: OpenBlock }>();
  readonly #candidate: number;
  readonly #nextIndex: () => number;

  /** Writers of several candidates share one counter, since block indexes are unique in an answer. */
  constructor(candidate = 0, nextIndex: () => number = counter()) {
    this.#candidate = candidate;
    this.#nextIndex = nextIndex;
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** Opens the block with this key unless it is open. */
  start(key: string, block: OpenBlock, out: Event[]): void {
    if (this.#open.has(key)) return;
    this.#closeRunning(out);
    const index = this.#nextIndex();
    this.#open.set(key, { index, block });
    out.push({ type: 'block-start', index, candidate: this.#candidate, block });
  }

  delta(key: string, block: OpenBlock, text: string, out: Event[]): void {
    this.start(key, block, out);
    const index = this.#open.get(key)?.index;
    if (index !== undefined && text !== '') out.push({ type: 'block-delta', index, text });
  }

  note(key: string, note: BlockNote, out: Event[]): void {
    const index = this.#open.get(key)?.index;
    if (index !== undefined) out.push({ type: 'block-note', index, note });
  }

  seal(key: string, seal: Sealed, out: Event[]): void {
    const index = this.#open.get(key)?.index;
    if (index !== undefined) out.push({ type: 'block-seal', index, seal });
  }

  end(key: string, out: Event[]): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    out.push({ type: 'block-end', index: open.index });
  }

  close(out: Event[]): void {
    for (const key of [...this.#open.keys()]) this.end(key, out);
  }

  #closeRunning(out: Event[]): void {
    for (const [key, { block }] of this.#open) if (block.kind !== 'tool-call') this.end(key, out);
  }
}

export function counter(): () => number {
  let next = 0;
  return () => next++;
}
