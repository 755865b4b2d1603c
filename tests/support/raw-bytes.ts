/** Sends bytes to the server over a raw socket and returns the answers, with a timeout: a hang is a failure. */
import { connect } from 'node:net';

/** In ms; on an idle machine nothing here takes a second. */
const DEADLINE_MS = 15_000;

export type RawReply = { readonly status: number; readonly head: string; readonly body: string };
export type RawResult = { readonly replies: readonly RawReply[]; readonly closed: boolean; readonly hung: boolean };

export type SendOptions = {
  /** Number of whole answers to wait for; then the socket is closed. */
  readonly replies?: number;
  /** Half-close after writing. */
  readonly end?: boolean;
  /** Half-close after the first answer and read until the server disconnects, in case it sends more. */
  readonly untilClosed?: boolean;
};

export function sendRaw(
  { url }: { readonly url: string },
  bytes: string | Buffer,
  { replies = 1, end = false, untilClosed = false }: SendOptions = {},
): Promise<RawResult> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const pieces: Buffer[] = [];
    let result: RawResult = { replies: [], closed: false, hung: false };
    const done = (more: Partial<RawResult>): void => {
      clearTimeout(timer);
      result = { ...result, ...more, replies: parseReplies(Buffer.concat(pieces)) };
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => done({ hung: true }), DEADLINE_MS);
    socket.on('connect', () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      if (end) socket.end();
    });
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      if (parseReplies(Buffer.concat(pieces)).length < replies) return;
      if (untilClosed) socket.end();
      else done({});
    });
    socket.on('error', () => {});
    socket.on('close', () => done({ closed: true }));
  });
}

/** Whole answers only; the gateway gives every refusal and every probe a content-length. */
function parseReplies(bytes: Buffer): RawReply[] {
  const replies: RawReply[] = [];
  let rest = bytes;
  for (;;) {
    const split = rest.indexOf('\r\n\r\n');
    if (split === -1) return replies;
    const head = rest.subarray(0, split).toString('latin1');
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (rest.length < split + 4 + length) return replies;
    replies.push({
      status: Number(head.split(' ')[1]),
      head,
      body: rest.subarray(split + 4, split + 4 + length).toString('utf8'),
    });
    rest = rest.subarray(split + 4 + length);
  }
}
