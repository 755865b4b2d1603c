// Running video tasks: a task answers a set number of polls with "not yet", and then ends as its prompt says. Bounded.
import type { ClipFate } from '../../instruction.ts';

export interface ClipOrder {
  readonly vendor: string;
  readonly host: string;
  readonly model: string;
  readonly count: number;
  readonly seconds: number;
  readonly fate: ClipFate;
  /** Number of polls answered with "not yet". */
  readonly polls: number;
}

export interface ClipTask extends ClipOrder {
  readonly id: string;
  asked: number;
}

/** The result of polling a task. */
export type ClipState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'done'; readonly clips: number; readonly blocked: number }
  | { readonly kind: 'failed'; readonly isInvalid: boolean };

const MAX_TASKS = 10_000;

export class ClipTasks {
  readonly #tasks = new Map<string, ClipTask>();
  #made = 0;

  open(order: ClipOrder): ClipTask {
    this.#made += 1;
    const task = { ...order, id: `clip-${this.#made}`, asked: 0 };
    this.#tasks.set(task.id, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MAX_TASKS && oldest !== undefined) this.#tasks.delete(oldest);
    return task;
  }

  find(id: string): ClipTask | undefined {
    return this.#tasks.get(id);
  }

  ask(task: ClipTask): ClipState {
    task.asked += 1;
    return this.stateOf(task);
  }

  /** The state at the last poll. */
  stateOf(task: ClipTask): ClipState {
    if (task.asked <= task.polls) return { kind: 'waiting' };
    const { fate, count } = task;
    if (fate === 'fails' || fate === 'invalid') return { kind: 'failed', isInvalid: fate === 'invalid' };
    const blocked = fate === 'blocked' ? count : fate === 'partly-blocked' ? 1 : 0;
    return { kind: 'done', clips: count - blocked, blocked };
  }
}
