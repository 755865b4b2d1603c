/** Checks a sequence of events against the grammar of `canonical/events.ts`. */
import type { Event } from '../canonical/events.ts';

class Grammar {
  readonly #open = new Map<number, 'open' | 'call' | 'sealed' | 'sealed-call'>();
  readonly #used = new Set<number>();
  readonly #candidates = new Set<number>();
  readonly #ended = new Set<number>();
  #state: 'before' | 'running' | 'over' = 'before';

  /** The problem with this event at this position, or undefined. */
  push(event: Event): string | undefined {
    if (this.#state === 'over' && event.type !== 'answer-end') return `${event.type} after the end`;
    if (event.type === 'answer-fault') return this.#close();
    if (event.type === 'answer-start') {
      if (this.#state !== 'before') return 'a second answer-start';
      this.#state = 'running';
      return undefined;
    }
    if (this.#state === 'before') return `${event.type} before answer-start`;
    return this.#inside(event);
  }

  end(): string | undefined {
    if (this.#state !== 'over') return 'ended without answer-end, prompt-blocked or answer-fault';
    for (const candidate of this.#candidates)
      if (!this.#ended.has(candidate)) return `candidate ${candidate} never ended`;
    return undefined;
  }

  #close(): undefined {
    this.#state = 'over';
    for (const candidate of this.#candidates) this.#ended.add(candidate);
    return undefined;
  }

  /** Arguments of a call may follow its seal. */
  #takesContent(index: number): boolean {
    const state = this.#open.get(index);
    return state !== undefined && state !== 'sealed';
  }

  #seal(index: number): string | undefined {
    const state = this.#open.get(index);
    if (state !== 'open' && state !== 'call') return `block-seal for block ${index}, which is not open`;
    this.#open.set(index, state === 'call' ? 'sealed-call' : 'sealed');
    return undefined;
  }

  #inside(event: Exclude<Event, { type: 'answer-start' | 'answer-fault' }>): string | undefined {
    switch (event.type) {
      case 'block-start':
        if (this.#used.has(event.index)) return `block ${event.index} starts twice`;
        if (event.index !== this.#used.size) return `block ${event.index} starts out of turn`;
        if (this.#ended.size > 0) return `block ${event.index} starts after an answer-end`;
        this.#used.add(event.index);
        this.#candidates.add(event.candidate);
        this.#open.set(event.index, event.block.kind === 'tool-call' ? 'call' : 'open');
        return undefined;
      case 'block-delta':
      case 'block-note':
        if (!this.#takesContent(event.index)) return `${event.type} for block ${event.index}, which is not open`;
        return event.type === 'block-delta' && event.text === ''
          ? `an empty delta for block ${event.index}`
          : undefined;
      case 'block-seal':
        return this.#seal(event.index);
      case 'block-end':
        return this.#open.delete(event.index) ? undefined : `block-end for block ${event.index}, which is not open`;
      case 'usage-update':
      case 'answer-note':
        return undefined;
      case 'answer-end':
        if (this.#open.size > 0) return 'answer-end while a block is open';
        if (this.#ended.has(event.candidate)) return `candidate ${event.candidate} ends twice`;
        this.#ended.add(event.candidate);
        this.#state = 'over';
        return undefined;
      case 'prompt-blocked':
        if (this.#used.size > 0) return 'prompt-blocked after content';
        this.#state = 'over';
        return undefined;
    }
  }
}

/** The first problem of a whole sequence, with its position. */
export function grammarProblem(events: readonly Event[]): string | undefined {
  const grammar = new Grammar();
  for (const [position, event] of events.entries()) {
    const problem = grammar.push(event);
    if (problem !== undefined) return `event ${position}: ${problem}`;
  }
  return grammar.end();
}
