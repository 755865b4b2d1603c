/**
 * The last turns of connections, in memory and bounded over all of them: where there is no more room the oldest go first,
 * and their callers, who get the error of an unknown id, send the whole conversation again.
 */
import type { ConnectionTurns } from '../../kernel/stored-responses.ts';
import { noPrevious } from './faults.ts';

/** Of one connection: callers continue the last turn, and retry the one before it. */
const MAX_TURNS = 4;

type Turn = {
  readonly connection: Remembered;
  readonly id: string;
  readonly items: readonly string[];
  readonly characters: number;
};

export class ConnectionMemory {
  readonly #maxCharacters: () => number;
  /** Oldest first. */
  readonly #turns = new Set<Turn>();
  #characters = 0;

  constructor(maxCharacters: () => number) {
    this.#maxCharacters = maxCharacters;
  }

  open(): ConnectionTurns {
    return new Remembered(this);
  }

  add(turn: Turn): void {
    this.#turns.add(turn);
    this.#characters += turn.characters;
    for (const oldest of this.#turns) {
      if (this.#characters <= this.#maxCharacters()) return;
      oldest.connection.forget(oldest.id);
    }
  }

  delete(turn: Turn): void {
    if (this.#turns.delete(turn)) this.#characters -= turn.characters;
  }
}

class Remembered implements ConnectionTurns {
  readonly #memory: ConnectionMemory;
  /** Most connections have one turn. */
  readonly #turns = new Map<string, Turn>();
  #isClosed = false;

  constructor(memory: ConnectionMemory) {
    this.#memory = memory;
  }

  find(responseId: string): readonly string[] | undefined {
    return this.#turns.get(responseId)?.items;
  }

  require(responseId: string): readonly string[] {
    const items = this.find(responseId);
    if (items === undefined) throw noPrevious(responseId);
    return items;
  }

  keep(responseId: string, items: readonly string[]): void {
    // An answer may end after its connection.
    if (this.#isClosed) return;
    this.forget(responseId);
    const [oldest] = this.#turns.keys();
    if (oldest !== undefined && this.#turns.size >= MAX_TURNS) this.forget(oldest);
    const characters = items.reduce((sum, item) => sum + item.length, 0);
    const turn: Turn = { connection: this, id: responseId, items, characters };
    this.#turns.set(responseId, turn);
    this.#memory.add(turn);
  }

  forget(responseId: string): void {
    const turn = this.#turns.get(responseId);
    if (turn === undefined) return;
    this.#turns.delete(responseId);
    this.#memory.delete(turn);
  }

  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#turns.keys()]) this.forget(id);
  }
}
