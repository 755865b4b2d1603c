/**
 * A program: an upstream that answers as the model's name asks, `<mode>.<count>.<size>`, over raw sockets and as fast as it is read. It
 * speaks all four formats. Its port is the first message to its parent.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { FORMATS, type Format } from './host-formats.ts';

const BLOCK_BYTES = 65_536;
const BLOCKS_PER_TURN = 16;
const PROBED_BYTES = 8192;
const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const ENDLESS = Number.POSITIVE_INFINITY;

const asChunk = (bytes: string): Buffer => Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`);
const asIs = (bytes: string): Buffer => Buffer.from(bytes);

class Answer {
  readonly #socket: Socket;
  readonly #format: Format;
  readonly #count: number;
  readonly #size: number;

  constructor(socket: Socket, format: Format, count: number, size: number) {
    this.#socket = socket;
    this.#format = format;
    this.#count = count;
    this.#size = size;
  }

  async #write(bytes: string | Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(bytes)) return;
    await Promise.race([once(this.#socket, 'drain'), once(this.#socket, 'close')]).catch(() => undefined);
  }

  async #repeat(unit: string, times: number, frame: (bytes: string) => Buffer = asChunk): Promise<void> {
    const one = frame(unit);
    const inBlock = Math.max(1, Math.floor(BLOCK_BYTES / one.length));
    const block = Buffer.alloc(inBlock * one.length, one);
    for (let left = times, blocks = 1; left > 0 && !this.#socket.destroyed; left -= inBlock, blocks++) {
      await this.#write(left >= inBlock ? block : block.subarray(0, left * one.length));
      if (blocks % BLOCKS_PER_TURN === 0) await new Promise(setImmediate);
    }
  }

  async #json(body: string | Buffer): Promise<void> {
    const length = Buffer.byteLength(body);
    await this.#write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`);
    await this.#write(body);
  }

  async #stream(content: () => Promise<void>): Promise<void> {
    await this.#write(STREAM_HEAD);
    if (this.#format.opening !== '') await this.#write(asChunk(this.#format.opening));
    await content();
    await this.#write(asChunk(this.#format.ending));
    await this.#write('0\r\n\r\n');
  }

  /** Resolves when the connection can serve another request. */
  async give(mode: string, isStreamed: boolean): Promise<void> {
    const { text, whole } = this.#format;
    const x = 'x'.repeat(this.#size);
    switch (mode) {
      case 'ok':
        return isStreamed ? this.#stream(() => this.#write(asChunk(text('hello')))) : this.#json(whole('hello'));
      case 'tiny':
        return this.#stream(() => this.#repeat(text(x), this.#count));
      case 'json':
        return this.#json(whole('x'.repeat(this.#count)));
      case 'objects':
        return this.#json(`${whole('x').slice(0, -1)},"zz":[${'{"a":{}},'.repeat(this.#count)}0]}`);
      case 'empty':
        return this.#stream(() => this.#repeat(text(''), ENDLESS));
      case 'stuck':
        // Content first, so that the head of the answer is out.
        return this.#stream(async () => {
          await this.#write(asChunk(text('x')));
          await this.#repeat(text(''), ENDLESS);
        });
      case 'comments':
        return this.#stream(() => this.#repeat(':\n', ENDLESS));
      case 'rarely':
        // As many empty deltas as `count`, then one letter, `size` times.
        return this.#stream(async () => {
          for (let round = 0; round < this.#size; round++) {
            await this.#repeat(text(''), this.#count);
            await this.#write(asChunk(text('x')));
          }
        });
      case 'blank':
        return this.#stream(() => this.#repeat('\n'.repeat(60_000), ENDLESS));
      case 'interim':
        return this.#repeat('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', ENDLESS, asIs);
      case 'extensions':
        return this.#stream(() => this.#repeat(`1;${'a'.repeat(this.#size)}\r\n:\r\n`, ENDLESS, asIs));
      default:
        return this.#write('HTTP/1.1 400 Unknown\r\ncontent-length: 0\r\n\r\n');
    }
  }
}

/** Reads requests and remembers only the ends of each body, where the model and the wish for a stream are. */
function serve(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.setMaxListeners(0);
  let head: string | undefined;
  let waiting = Buffer.alloc(0);
  let left = 0;
  let first = '';
  let last = '';
  const answer = (): void => {
    const path = head?.split(' ')[1] ?? '';
    const seen = `${path} ${first} ${last}`;
    const [, mode = 'ok', count = '0', size = '1'] = /"(?:model)":"([a-z]+)(?:\.(\d+))?(?:\.(\d+))?"/.exec(seen) ??
      /\/models\/([a-z]+)(?:\.(\d+))?(?:\.(\d+))?:/.exec(seen) ?? ['', 'ok'];
    const isStreamed = /"stream": ?true/.test(seen) || path.includes('streamGenerate');
    head = undefined;
    first = last = '';
    socket.pause();
    new Answer(socket, FORMATS[formatOf(path)], Number(count), Number(size)).give(mode, isStreamed).then(
      () => socket.resume(),
      () => socket.destroy(),
    );
  };
  socket.on('data', (bytes: Buffer) => {
    let body = bytes;
    if (head === undefined) {
      waiting = Buffer.concat([waiting, bytes]);
      const end = waiting.indexOf('\r\n\r\n');
      if (end === -1) return;
      head = waiting.toString('latin1', 0, end);
      left = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      body = waiting.subarray(end + 4);
      waiting = Buffer.alloc(0);
    }
    if (first.length < PROBED_BYTES) first += body.toString('latin1', 0, PROBED_BYTES);
    last = (last + body.toString('latin1', Math.max(0, body.length - PROBED_BYTES))).slice(-PROBED_BYTES);
    left -= body.length;
    if (left <= 0) answer();
  });
}

function formatOf(path: string): keyof typeof FORMATS {
  if (path.includes('/messages')) return 'messages';
  if (path.includes('enerateContent')) return 'generate';
  return path.includes('/responses') ? 'responses' : 'chat';
}

const server = createServer({ noDelay: true }, serve);
await once(server.listen(0, '127.0.0.1'), 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
