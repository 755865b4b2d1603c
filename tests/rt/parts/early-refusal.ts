/** A body of which the first half is sent, and the rest only where nothing is said to that half. */
import { request } from 'node:http';
import { KEY } from './gateway-process.ts';

const FIRST_SHARE = 0.5;

export type Refusal = {
  /** 0 when there was none. */
  readonly status: number;
  /** It came before the second half was sent. */
  readonly isEarly: boolean;
};

export type Patience = {
  /** For an answer to the first half. */
  readonly earlyMs: number;
  readonly limitMs: number;
};

export function sendByHalves(url: string, body: object, { earlyMs, limitMs }: Patience): Promise<Refusal> {
  const payload = Buffer.from(JSON.stringify(body));
  const half = Math.floor(payload.length * FIRST_SHARE);
  return new Promise((resolve) => {
    let isEarly = true;
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': String(payload.length),
        authorization: `Bearer ${KEY}`,
      },
    });
    const end = (status: number): void => {
      clearTimeout(early);
      clearTimeout(patience);
      outgoing.destroy();
      resolve({ status, isEarly });
    };
    const early = setTimeout(() => {
      isEarly = false;
      outgoing.end(payload.subarray(half));
    }, earlyMs);
    const patience = setTimeout(() => end(0), limitMs);
    outgoing.on('response', ({ statusCode = 0 }) => end(statusCode));
    outgoing.on('error', () => end(0));
    outgoing.write(payload.subarray(0, half));
  });
}
