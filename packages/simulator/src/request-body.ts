// Reads a request body up to a limit.
import type { IncomingMessage } from 'node:http';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Undefined if the body exceeds the limit or the peer closes before its end. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
