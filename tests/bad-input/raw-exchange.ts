/** Requests as bytes, and the error formats of the protocols. */
import { expect } from 'vitest';
import { type RawReply, sendRaw } from '../support/raw-bytes.ts';
import { KEY, type Stand } from '../support/stand.ts';

export { type RawReply, sendRaw } from '../support/raw-bytes.ts';

export const CHAT_PATH = '/api/v1/chat/completions';
export const GOOD_BODY = JSON.stringify({ model: 'compatible/any', messages: [{ role: 'user', content: 'Hi' }] });

export type HeadOptions = {
  readonly line?: string;
  readonly host?: string | undefined;
  readonly auth?: string;
  readonly type?: string;
  readonly length?: string;
  readonly more?: string;
};

/** A request as text; every part can be replaced, an empty one is omitted. */
export function requestText(body: string = GOOD_BODY, options: HeadOptions = {}): string {
  const {
    line = `POST ${CHAT_PATH} HTTP/1.1`,
    host = 'Host: gateway',
    auth = `Authorization: Bearer ${KEY}`,
  } = options;
  const {
    type = 'Content-Type: application/json',
    length = `Content-Length: ${Buffer.byteLength(body)}`,
    more = '',
  } = options;
  const lines = [line, host, auth, type, length, more].filter((text) => text !== '');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export type Protocol = 'chat' | 'messages' | 'genai';

/** Expects the error format of the path's protocol. */
export function expectErrorForm(reply: RawReply, protocol: Protocol): void {
  const body: unknown = JSON.parse(reply.body);
  const message = expect.stringMatching(/\S/);
  if (protocol === 'chat')
    expect(body).toEqual({
      error: {
        message,
        type: expect.any(String),
        param: expect.toBeOneOf([null, expect.any(String)]),
        code: expect.any(String),
      },
    });
  else if (protocol === 'messages')
    expect(body).toEqual({
      type: 'error',
      error: { type: expect.any(String), message },
      request_id: expect.any(String),
    });
  else expect(body).toEqual({ error: { code: reply.status, message, status: expect.any(String), details: [] } });
  expect(reply.body).not.toMatch(/at .*\.ts:\d+|node:internal|Error:/);
}

/** The server still serves after the attack. */
export async function expectServing(stand: Stand): Promise<void> {
  const { replies } = await sendRaw(stand, requestText());
  expect(replies.map(({ status }) => status)).toEqual([200]);
}
