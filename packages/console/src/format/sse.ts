/** The `data` of server-sent events, as text arrives in pieces of any size. */
export class EventReader {
  #rest = '';

  push(piece: string): readonly string[] {
    const blocks = (this.#rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(dataOf).filter((data) => data !== '');
  }

  /** The last event, if the stream ended without an empty line after it. */
  end(): readonly string[] {
    return this.push('\n\n');
  }
}

const dataOf = (block: string): string =>
  block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n');
