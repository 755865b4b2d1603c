/**
 * Callers who send a byte now and then: half of them never finish their headers, the other half never finish their body.
 * One that is cut off comes back at once.
 */
import { RawPeer } from './raw-peer.ts';

type Part = 'head' | 'body';
type Sender = { readonly part: Part; peer: RawPeer | undefined; at: number };

export type Lives = {
  readonly cut: number;
  /** The longest connection in ms, cut or still open. */
  readonly longestMs: Readonly<Record<Part, number>>;
  /** Statuses that the cut connections had received, with counts. */
  readonly statuses: Readonly<Record<string, number>>;
};

/** Senders take turns in slices, so that bytes and connections are spread over time. */
const SLICES = 20;

export class SlowSenders {
  readonly #url: string;
  readonly #head: Buffer;
  readonly #body: Buffer;
  readonly #senders: Sender[];
  readonly #longestMs: Record<Part, number> = { head: 0, body: 0 };
  readonly #statuses: Record<string, number> = {};
  readonly #ticking: NodeJS.Timeout;
  #cut = 0;
  #slice = 0;
  #stopped = false;

  constructor(url: string, question: { readonly head: string; readonly body: string }, count: number, everyMs: number) {
    this.#url = url;
    this.#head = Buffer.from(question.head);
    this.#body = Buffer.from(question.body);
    this.#senders = Array.from({ length: count }, (_, index) => {
      const part: Part = index % 2 === 0 ? 'head' : 'body';
      return { part, peer: undefined, at: 0 };
    });
    this.#ticking = setInterval(() => this.#tick(), everyMs / SLICES);
  }

  get connected(): number {
    return this.#senders.filter(({ peer }) => peer?.socket.readyState === 'open').length;
  }

  stop(): Lives {
    this.#stopped = true;
    clearInterval(this.#ticking);
    for (const { part, peer } of this.#senders) {
      if (peer === undefined) continue;
      this.#note(part, peer);
      peer.socket.destroy();
    }
    return { cut: this.#cut, longestMs: this.#longestMs, statuses: this.#statuses };
  }

  #connect(sender: Sender): void {
    const { part } = sender;
    const peer = new RawPeer(this.#url);
    sender.peer = peer;
    sender.at = 0;
    // The header timeout runs from the first byte.
    if (part === 'head') sender.at = 1;
    peer.socket.write(part === 'head' ? this.#head.subarray(0, 1) : this.#head);
    peer.socket.on('close', () => {
      if (this.#stopped) return;
      this.#note(part, peer);
      this.#cut += 1;
      this.#statuses[peer.status] = (this.#statuses[peer.status] ?? 0) + 1;
      this.#connect(sender);
    });
  }

  #note(part: Part, peer: RawPeer): void {
    this.#longestMs[part] = Math.max(this.#longestMs[part], (peer.closedAtMs ?? performance.now()) - peer.openedAtMs);
  }

  #tick(): void {
    this.#slice = (this.#slice + 1) % SLICES;
    for (let index = this.#slice; index < this.#senders.length; index += SLICES) {
      const sender = this.#senders[index];
      if (sender === undefined) continue;
      if (sender.peer === undefined) this.#connect(sender);
      if (sender.peer?.socket.writable !== true) continue;
      const text = sender.part === 'head' ? this.#head : this.#body;
      // The last byte is never sent.
      if (sender.at < text.length - 1) sender.peer.socket.write(text.subarray(sender.at, sender.at + 1));
      sender.at += 1;
    }
  }
}
