/** What a program sends on a WebSocket, read by the parser of `ws`, whose types leave it out. */
import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';

export type SentFrame = { readonly atMs: number; readonly body: Readonly<Record<string, unknown>> };

type Receiver = new (options: { readonly isServer: boolean }) => Writable;
const { Receiver } = createRequire(import.meta.url)('ws') as { readonly Receiver: Receiver };

/** Give it the bytes of the caller, after the handshake. */
export function framesOf(onFrame: (frame: SentFrame) => void): Writable {
  const receiver = new Receiver({ isServer: true });
  receiver.on('message', (data: Buffer) => onFrame({ atMs: performance.now(), body: JSON.parse(data.toString()) }));
  // A handshake that was refused, or a cut in the middle of a frame.
  receiver.on('error', () => undefined);
  return receiver;
}
