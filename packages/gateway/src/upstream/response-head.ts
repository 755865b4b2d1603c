/** Status and headers of an answer. Headers are looked up in its text on demand: most are never read. */
const KEEP_ALIVE_TIMEOUT = /timeout=(\d+)/;

export class ResponseHead {
  readonly status: number;
  readonly #text: string;
  /** Four offsets for each header: start and end of its name, start and end of its value. */
  readonly #offsets: readonly number[];

  constructor(status: number, text: string, offsets: readonly number[]) {
    this.status = status;
    this.#text = text;
    this.#offsets = offsets;
  }

  /** The first header of this name, which must be in lower case. */
  get(name: string): string | undefined {
    const text = this.#text;
    const offsets = this.#offsets;
    for (let at = 0; at < offsets.length; at += 4) {
      const start = offsets[at] ?? 0;
      const end = offsets[at + 1] ?? 0;
      if (end - start === name.length && text.slice(start, end).toLowerCase() === name)
        return text.slice(offsets[at + 2], offsets[at + 3]);
    }
    return undefined;
  }

  /** Name, value, name, value… */
  all(): readonly string[] {
    const texts: string[] = [];
    for (let at = 0; at < this.#offsets.length; at += 2)
      texts.push(this.#text.slice(this.#offsets[at], this.#offsets[at + 1]));
    return texts;
  }

  get announcesBody(): boolean {
    return this.get('transfer-encoding') !== undefined || Number(this.get('content-length') ?? 0) > 0;
  }

  /** In ms: how long the upstream keeps an idle connection open. */
  get keepAliveMs(): number | undefined {
    const seconds = this.get('keep-alive')?.match(KEEP_ALIVE_TIMEOUT)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  }
}
