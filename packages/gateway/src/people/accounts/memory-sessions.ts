// Sessions of a gateway without a database: in this process only, lost at its end.

import { BoundedMap } from '../../kernel/bounded-map.ts';
import {
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  type Session,
  type SessionStore,
  type SessionSubject,
  type SignInMethod,
} from './sessions.ts';

const MAX_SESSIONS = 10_000;

export class MemorySessions implements SessionStore {
  readonly #nowMs: () => number;
  readonly #sessions = new BoundedMap<string, { readonly session: Session; seenAtMs: number }>(MAX_SESSIONS);

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  async open(hash: string, subject: SessionSubject, method: SignInMethod): Promise<void> {
    if (subject.kind === 'member') throw new Error('members need a database');
    const nowMs = this.#nowMs();
    const session = { subject, method, createdAtMs: nowMs, endsAtMs: nowMs + SESSION_MAX_MS };
    this.#sessions.set(hash, { session, seenAtMs: nowMs });
  }

  async find(hash: string): Promise<Session | undefined> {
    const known = this.#sessions.get(hash);
    if (known === undefined) return undefined;
    const nowMs = this.#nowMs();
    if (nowMs >= Math.min(known.session.endsAtMs, known.seenAtMs + SESSION_IDLE_MS)) {
      this.#sessions.delete(hash);
      return undefined;
    }
    known.seenAtMs = nowMs;
    return known.session;
  }

  async end(hash: string): Promise<void> {
    this.#sessions.delete(hash);
  }

  /** Codes exist only in the database. */
  async redeem(): Promise<undefined> {
    return undefined;
  }
}
