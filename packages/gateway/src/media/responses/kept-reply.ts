/**
 * A caller's reply that sends an answer on once it is stored: the last event of a stream, or the whole of another
 * answer, waits for the store. What could not be stored is sent all the same, since it is paid for: it then says so.
 */
import { isJsonObject, type Json, type JsonObject, objectAt } from '@trivium/protocol/canonical';
import { JsonShapeError, scanMembers } from '@trivium/protocol/framing';
import { type CallerPort, ForwardingReply } from '../../kernel/caller-port.ts';
import type { RequestRecord } from '../../kernel/record.ts';
import type { KeepingReply } from '../../kernel/stored-responses.ts';

/** `response`: JSON text of a finished one; resolves to false if it is not stored. */
export type KeepResponse = (response: string) => Promise<boolean>;

const ENDS = ['event: response.completed\n', 'event: response.incomplete\n'] as const;
const FINISHED: ReadonlySet<string | undefined> = new Set(['"completed"', '"incomplete"']);
const LOSSES = 'x-trivium-losses';
const LOSS = 'store';

export class KeptReply extends ForwardingReply implements KeepingReply {
  readonly #keep: KeepResponse;
  /** The last event of a stream, and what follows it. */
  #held: string | undefined;
  /** Set once nothing more will come; resolves when all has been passed on. */
  #ending: Promise<void> | undefined;

  constructor(caller: CallerPort, keep: KeepResponse) {
    super(caller);
    this.#keep = keep;
  }

  override answer(status: number, headers: readonly string[], body: string): void {
    if (status !== 200 || !FINISHED.has(memberOf(body, 'status'))) {
      this.caller.answer(status, headers, body);
      return;
    }
    this.#ending = this.#keep(body).then((isStored) => {
      if (isStored) this.caller.answer(status, headers, body);
      else this.caller.answer(status, withLoss(headers), JSON.stringify({ ...parsed(body), store: false }));
    });
  }

  override write(text: string): boolean {
    if (this.#held !== undefined) {
      this.#held += text;
      return true;
    }
    const at = endIn(text);
    if (at === -1) return this.caller.write(text);
    this.#held = text.slice(at);
    return at === 0 || this.caller.write(text.slice(0, at));
  }

  override finish(trailers?: Readonly<Record<string, string>>): void {
    const held = this.#held;
    const event = held === undefined ? undefined : lastEvent(held);
    if (held === undefined || event === undefined) {
      this.#finishWith(held, trailers);
      return;
    }
    this.#ending = this.#keep(event.response).then((isStored) => {
      if (isStored) this.#finishWith(held, trailers);
      else {
        const { head, data, rest } = event;
        const wire = parsed(data);
        const own = JSON.stringify({ ...wire, response: { ...objectAt(wire, 'response'), store: false } });
        const known = trailers?.[LOSSES];
        this.#finishWith(`${head}data: ${own}\n\n${rest}`, {
          ...trailers,
          [LOSSES]: known === undefined ? LOSS : `${known},${LOSS}`,
        });
      }
    });
  }

  /** A stream that broke off is not stored. */
  override cut(): void {
    if (this.#held !== undefined) this.caller.write(this.#held);
    this.caller.cut();
  }

  afterwards(record: RequestRecord, tell: (record: RequestRecord) => void): void {
    if (this.#ending === undefined) tell(record);
    else void this.#ending.then(() => tell(record));
  }

  #finishWith(text: string | undefined, trailers: Readonly<Record<string, string>> | undefined): void {
    if (text !== undefined) this.caller.write(text);
    this.caller.finish(trailers);
  }
}

/** Where the last event of a stream begins; a line break inside an event's JSON is escaped. */
function endIn(text: string): number {
  for (const end of ENDS) {
    const at = text.lastIndexOf(end);
    if (at === 0 || (at > 0 && text[at - 1] === '\n')) return at;
  }
  return -1;
}

type LastEvent = {
  readonly head: string;
  readonly data: string;
  readonly response: string;
  readonly rest: string;
};

const DATA = 'data: ';
/** The gateway wrote it. */
const MAX_DEPTH = 1000;

function lastEvent(held: string): LastEvent | undefined {
  const from = held.indexOf(DATA);
  const to = held.indexOf('\n\n', from);
  const data = from === -1 || to === -1 ? '' : held.slice(from + DATA.length, to);
  const response = memberOf(data, 'response');
  return response === undefined ? undefined : { head: held.slice(0, from), data, response, rest: held.slice(to + 2) };
}

/** Found without reading the rest of the text. */
function memberOf(text: string, wanted: string): string | undefined {
  try {
    const member = scanMembers(text, MAX_DEPTH).find(({ name }) => name === wanted);
    return member === undefined ? undefined : text.slice(member.valueStart, member.valueEnd);
  } catch (error) {
    if (error instanceof JsonShapeError) return undefined;
    throw error;
  }
}

function parsed(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

function withLoss(headers: readonly string[]): readonly string[] {
  const at = headers.indexOf(LOSSES);
  if (at === -1) return [...headers, LOSSES, LOSS];
  return headers.with(at + 1, `${headers[at + 1]},${LOSS}`);
}
