/** A chat upstream that gives one long answer, in one piece or in HTTP chunks of one byte each. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export type Manner = 'whole' | 'event' | 'events';
export type Cut = 'one piece' | 'one byte';

const LETTER = 'x';
/** About the size of a kernel buffer. */
const BLOCK_BYTES = 65_536;
const EVENT_LETTERS = 20;

type Answer = {
  readonly type: string;
  readonly head: string;
  readonly repeated: string;
  readonly times: number;
  readonly tail: string;
};

const chunk = (content: string): string =>
  `{"id":"c","object":"chat.completion.chunk","created":1,"model":"any","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}`;
const [CHUNK_HEAD = '', CHUNK_TAIL = ''] = chunk('|').split('|');
const LAST =
  'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
  'data: {"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\ndata: [DONE]\n\n';
const EVENT = `data: ${chunk(LETTER.repeat(EVENT_LETTERS))}\n\n`;

function answerOf(manner: Manner, bytes: number): Answer {
  switch (manner) {
    case 'whole':
      return {
        type: 'application/json',
        head: '{"id":"c","object":"chat.completion","created":1,"model":"any","choices":[{"index":0,"message":{"role":"assistant","content":"',
        repeated: LETTER,
        times: bytes,
        tail: '"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}',
      };
    case 'event':
      return {
        type: 'text/event-stream',
        head: `data: ${CHUNK_HEAD}`,
        repeated: LETTER,
        times: bytes,
        tail: `${CHUNK_TAIL}\n\n${LAST}`,
      };
    case 'events':
      return {
        type: 'text/event-stream',
        head: '',
        repeated: EVENT,
        times: Math.ceil(bytes / EVENT.length),
        tail: LAST,
      };
  }
}

const inBytes = (text: string): string => text.replaceAll(/[\s\S]/g, (letter) => `1\r\n${letter}\r\n`);

async function send(socket: Socket, { type, head, repeated, times, tail }: Answer, cut: Cut): Promise<void> {
  const spell = cut === 'one byte' ? inBytes : (text: string): string => text;
  const length = head.length + repeated.length * times + tail.length;
  const framing = cut === 'one byte' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  const write = async (text: string): Promise<void> => {
    if (!socket.write(text, 'latin1') && !socket.destroyed) await once(socket, 'drain');
  };
  await write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${framing}\r\nconnection: close\r\n\r\n${spell(head)}`);
  const inBlock = Math.max(1, Math.floor(BLOCK_BYTES / repeated.length));
  const block = spell(repeated.repeat(inBlock));
  let left = times;
  for (; left >= inBlock; left -= inBlock) await write(block);
  await write(spell(repeated.repeat(left) + tail) + (cut === 'one byte' ? '0\r\n\r\n' : ''));
  socket.end();
}

export type TinyUpstream = {
  readonly url: string;
  /** The answer to every request from now on. */
  say(manner: Manner, bytes: number, cut: Cut): void;
  close(): void;
};

export async function openTinyUpstream(): Promise<TinyUpstream> {
  let answer = answerOf('whole', 0);
  let cut: Cut = 'one piece';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let request = '';
    socket.on('data', (bytes: Buffer) => {
      request += bytes.toString('latin1');
      const end = request.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
      if (end === -1 || request.length < end + 4 + length) return;
      request = '';
      send(socket, answer, cut).catch(() => socket.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    say: (manner, bytes, howCut) => {
      answer = answerOf(manner, bytes);
      cut = howCut;
    },
    close: () => server.close(),
  };
}
