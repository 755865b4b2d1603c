import type { Socket } from 'node:net';
import type { Fault } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { refuseHead } from './head.ts';

const MOUNTS = { chat: ['/api/v1'], messages: ['/m'], genai: ['/g'] };

function refused(code: string | undefined, packet: string | undefined, writable = true) {
  const seen: { protocol: string; fault: Fault }[] = [];
  const log: string[] = [];
  const socket = { writable, destroy: () => log.push('destroy'), end: (text: string) => log.push(text) };
  const error = Object.assign(new Error('parser'), {
    ...(code !== undefined && { code }),
    ...(packet !== undefined && { rawPacket: Buffer.from(packet) }),
  });
  const encodeFault = (protocol: string, fault: Fault) => {
    seen.push({ protocol, fault });
    return { status: 400, body: { seen: true } };
  };
  refuseHead(error, socket as unknown as Socket, encodeFault, 'r', MOUNTS);
  return { seen: seen[0], log };
}

test.each([
  ['HPE_HEADER_OVERFLOW', 'headers-too-large', 'too large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'malformed', 'too long to arrive'],
  ['HPE_INVALID_METHOD', 'malformed', 'not valid HTTP'],
  [undefined, 'malformed', 'not valid HTTP'],
])('a head that the parser refuses with %s is %s', (code, kind, words) => {
  expect(refused(code, undefined).seen?.fault).toEqual({ kind, message: expect.stringContaining(words) });
});

test.each([
  ['GET /m/x HTTP/1.1\r\n', 'messages'],
  ['GET /g HTTP/1.1\r\n', 'genai'],
  ['GET /other HTTP/1.1\r\n', 'chat'],
  ['\u0000', 'chat'],
  [undefined, 'chat'],
])('%j is refused in the format of %s', (packet, protocol) => {
  expect(refused('X', packet).seen?.protocol).toBe(protocol);
});

test('the refusal is one complete answer; a socket that cannot be written to is destroyed', () => {
  const [answer = ''] = refused('X', undefined).log;
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toContain('content-length: 13\r\nconnection: close\r\nx-request-id: r\r\n');
  expect(answer.endsWith('\r\n\r\n{"seen":true}')).toBe(true);
  expect(refused('ECONNRESET', undefined).log).toEqual(['destroy']);
  expect(refused('X', undefined, false).log).toEqual(['destroy']);
});
