/** Passes exports of people's programs to the operator's receiver, byte for byte. What cannot be sent is dropped and counted. */
import type { TelemetrySink } from '../kernel/telemetry-sink.ts';
import { operatorPost } from './operator-post.ts';

export type RelaySettings = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBodyBytes: number;
  readonly maxAtOnce: number;
  readonly timeoutMs: number;
};

export type RelayPorts = {
  readonly ca: () => readonly string[];
  readonly nowMs: () => number;
  /** At most once a minute. */
  readonly onDropped: (count: number, problem: string) => void;
};

const REPORT_EVERY_MS = 60_000;
const MAX_ANSWER_BYTES = 65_536;

export class OtlpRelay implements TelemetrySink {
  readonly #settings: () => RelaySettings | undefined;
  readonly #ports: RelayPorts;
  #underWay = 0;
  #dropped = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  /** Undefined: there is no receiver, and nothing is sent. */
  constructor(settings: () => RelaySettings | undefined, ports: RelayPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  get maxBodyBytes(): number {
    return this.#settings()?.maxBodyBytes ?? 0;
  }

  enter(): boolean {
    const settings = this.#settings();
    if (settings === undefined) return false;
    if (this.#underWay >= settings.maxAtOnce) {
      this.#drop('too many exports at once');
      return false;
    }
    this.#underWay++;
    return true;
  }

  release(): void {
    this.#underWay--;
  }

  relay(signal: string, headers: Readonly<Record<string, string>>, body: Uint8Array): void {
    this.#send(signal, headers, body)
      .catch((error: unknown) => this.#drop(error instanceof Error ? error.message : String(error)))
      .finally(() => this.release());
  }

  async #send(signal: string, given: Readonly<Record<string, string>>, body: Uint8Array): Promise<void> {
    const settings = this.#settings();
    if (settings === undefined) return;
    const { url, headers, timeoutMs } = settings;
    const target = `${url.replace(/\/+$/, '')}/v1/${signal}`;
    const until = AbortSignal.timeout(timeoutMs);
    const sent = { 'user-agent': 'trivium', ...given, ...headers };
    const { answer, close } = await operatorPost(
      target,
      { headers: sent, body, signal: until },
      timeoutMs,
      this.#ports.ca(),
    );
    try {
      await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal: until });
      if (answer.statusCode >= 300) throw new Error(`the receiver answered ${answer.statusCode}`);
    } finally {
      await close();
    }
  }

  #drop(problem: string): void {
    this.#dropped++;
    const nowMs = this.#ports.nowMs();
    if (nowMs - this.#reportedAtMs < REPORT_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    this.#ports.onDropped(this.#dropped, problem);
    this.#dropped = 0;
  }
}
