/** The body of a request as text: bounded as it arrives, whatever the length header says, and valid UTF-8. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@trivium/protocol/canonical';

const TOO_LARGE = (limit: number): GatewayError =>
  new GatewayError({ kind: 'too-large', message: `The request body is larger than ${limit} bytes.` });
const NOT_TEXT = new GatewayError({ kind: 'malformed', message: 'The request body is not valid UTF-8.' });
const BROKEN_OFF = new GatewayError({ kind: 'cancelled', message: 'The caller hung up while sending the request.' });

export function readText(
  request: IncomingMessage,
  declaredLength: string | undefined,
  maxBytes: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (declaredLength !== undefined && Number(declaredLength) > maxBytes) {
      reject(TOO_LARGE(maxBytes));
      return;
    }
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.pause();
        reject(TOO_LARGE(maxBytes));
      } else if (first === undefined) first = chunk;
      else if (more === undefined) more = [first, chunk];
      else more.push(chunk);
    });
    request.on('end', () => {
      const bytes = more === undefined ? first : Buffer.concat(more, length);
      if (bytes === undefined) resolve('');
      // Most bodies are plain ASCII, and that is the cheaper way to text.
      else if (isAscii(bytes)) resolve(bytes.toString('latin1'));
      else if (isUtf8(bytes)) resolve(bytes.toString('utf8'));
      else reject(NOT_TEXT);
    });
    request.on('error', () => reject(BROKEN_OFF));
    request.on('close', () => reject(BROKEN_OFF));
  });
}
