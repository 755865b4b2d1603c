/** A JSON body as text: counted against its bounds as it arrives, gathered in few pieces, and valid UTF-8. */
import { isAscii, isUtf8 } from 'node:buffer';
import { GatewayError } from '@trivium/protocol/canonical';
import { GatheredBytes, type JsonBounds, JsonCounter, JsonShapeError } from '@trivium/protocol/framing';
import { shapeFault } from '../request/entry/shape-fault.ts';
import type { BodyReader } from './body.ts';

const NOT_TEXT = new GatewayError({ kind: 'malformed', message: 'The request body is not valid UTF-8.' });

export class JsonBody implements BodyReader<string> {
  readonly #bounds: JsonBounds;
  readonly #declaredBytes: number | undefined;
  #first: Buffer | undefined;
  #gathered: GatheredBytes | undefined;
  #counter: JsonCounter | undefined;

  constructor(bounds: JsonBounds, declaredBytes: number | undefined) {
    this.#bounds = bounds;
    this.#declaredBytes = declaredBytes;
  }

  /** What comes in one piece is no more than the socket is read at once: it is counted when its text is looked through. */
  take(chunk: Buffer): void {
    if (this.#first === undefined) {
      this.#first = chunk;
      return;
    }
    if (this.#gathered === undefined) {
      this.#gathered = new GatheredBytes(this.#declaredBytes);
      this.#counter = new JsonCounter(this.#bounds);
      this.#gather(this.#first);
    }
    this.#gather(chunk);
  }

  end(): string {
    const bytes = this.#gathered === undefined ? this.#first : this.#gathered.join();
    if (bytes === undefined) return '';
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Most bodies are plain ASCII, and that is the cheaper way to text.
    if (isAscii(whole)) return whole.toString('latin1');
    if (isUtf8(whole)) return whole.toString('utf8');
    throw NOT_TEXT;
  }

  #gather(chunk: Buffer): void {
    try {
      this.#counter?.feed(chunk);
    } catch (error) {
      if (!(error instanceof JsonShapeError)) throw error;
      throw new GatewayError(shapeFault(error), { cause: error });
    }
    this.#gathered?.push(chunk);
  }
}
