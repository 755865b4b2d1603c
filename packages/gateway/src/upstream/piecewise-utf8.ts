/**
 * Bytes in pieces → text in pieces: a character split by the network is returned whole, with the piece that completes
 * it.
 */
import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

export class PiecewiseUtf8 {
  #decoder: StringDecoder | undefined;

  /** Most pieces end with an ASCII character and need no state. */
  write(piece: Buffer): string {
    if (this.#decoder === undefined && (piece[piece.length - 1] ?? 0) < 0x80)
      return isAscii(piece) ? piece.toString('latin1') : piece.toString('utf8');
    this.#decoder ??= new StringDecoder('utf8');
    return this.#decoder.write(piece);
  }

  /** The rest of an incomplete character. */
  end(): string {
    return this.#decoder?.end() ?? '';
  }
}
