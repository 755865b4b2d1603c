/**
 * The last turns of connections, in memory and bounded over all of them: where there is no more room the oldest go first,
 * and their callers, who get the error of an unknown id, send the whole conversation again.
 */

import { MEMORY_FACTOR } from '../../kernel/memory.ts';
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

/** The memory of this process for what is held for callers. */
export type TurnRoom = {
  /** False: there is no room. */
  keep(kind: 'turn', bytes: number): boolean;
  drop(kind: 'turn', bytes: number): void;
};

export class ConnectionMemory {
  readonly #maxCharacters: () => number;
  readonly #room: TurnRoom;
  /** Connections that are open. */
  connections = 0;
  /** Oldest first. */
  readonly #turns = new Set<Turn>();
  #characters = 0;

  constructor(maxCharacters: () => number, room: TurnRoom) {
    this.#maxCharacters = maxCharacters;
    this.#room = room;
  }

  open(): ConnectionTurns {
    this.connections++;
    return new Remembered(this);
  }

  /** False: it is not remembered. */
  add(turn: Turn): boolean {
    while (this.#characters + turn.characters > this.#maxCharacters()) if (!this.forgetOldest()) return false;
    if (!this.#room.keep('turn', bytesOf(turn))) return false;
    this.#turns.add(turn);
    this.#characters += turn.characters;
    return true;
  }

  /** False: nothing is remembered. */
  forgetOldest(): boolean {
    for (const { connection, id } of this.#turns) {
      connection.forget(id);
      return true;
    }
    return false;
  }

  delete(turn: Turn): void {
    if (!this.#turns.delete(turn)) return;
    this.#characters -= turn.characters;
    this.#room.drop('turn', bytesOf(turn));
  }
}

const bytesOf = ({ characters }: Turn): number => characters * MEMORY_FACTOR.turn;

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
    if (this.#memory.add(turn)) this.#turns.set(responseId, turn);
  }

  forget(responseId: string): void {
    const turn = this.#turns.get(responseId);
    if (turn === undefined) return;
    this.#turns.delete(responseId);
    this.#memory.delete(turn);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#memory.connections--;
    for (const id of [...this.#turns.keys()]) this.forget(id);
  }
}
