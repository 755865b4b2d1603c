/** Sends the first half of a body, and the rest only if the first half gets no answer. */
import { request } from 'node:http';
import { KEY } from './gateway-process.ts';

const FIRST_SHARE = 0.5;

export type Refusal = {
  /** 0 when there was none. */
  readonly status: number;
  /** The answer came before the second half was sent. */
  readonly isEarly: boolean;
};

export type Patience = {
  /** Wait in ms for an answer to the first half. */
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
