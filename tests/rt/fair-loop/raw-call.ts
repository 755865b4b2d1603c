/** One connection of an attacker in the judge's own process, where counts are enough: what it could send and what came back. */
import { once } from 'node:events';
import { connect } from 'node:net';

const LIMIT_MS = 60_000;
const BLOCK_BYTES = 65_536;
/** Of a large answer only the beginning is kept. */
const KEPT_CHARACTERS = 4_000_000;

export type RawReply = {
  /** 0 without an answer. */
  readonly status: number;
  readonly text: string;
  /** What the kernels took; the gateway has read at most this. */
  readonly sentBytes: number;
  /** The gateway ended the connection. */
  readonly isEnded: boolean;
};

/** `enough` ends it from this side. */
export async function rawCall(url: string, bytes: Buffer, enough?: (text: string) => boolean): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let [text, isEnded] = ['', true];
  const leave = (): void => {
    isEnded = false;
    socket.destroy();
  };
  socket.on('error', () => undefined);
  socket.setTimeout(LIMIT_MS, leave);
  socket.setEncoding('latin1').on('data', (piece) => {
    if (text.length < KEPT_CHARACTERS) text += piece;
    if (enough?.(text) === true) leave();
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let sent = 0;
  for (; sent < bytes.length && !socket.destroyed; sent += BLOCK_BYTES)
    if (!socket.write(bytes.subarray(sent, sent + BLOCK_BYTES)))
      await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
  await closed;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  return { status, text, sentBytes: Math.min(sent, bytes.length), isEnded };
}
