import { describe, expect, test } from 'vitest';
import { InvalidRequest, RequestWriter } from './request-text.ts';

const writer = new RequestWriter('host.example:8443');
const request = (more: object) => ({
  origin: 'https://host.example:8443',
  path: '/v1/x?y=z',
  headers: [],
  body: '',
  ...more,
});

describe('RequestWriter', () => {
  test('a short ASCII body goes with the head', () => {
    expect(writer.write(request({ headers: ['X-A', 'b', 'content-type', 'application/json'], body: '{}' }))).toEqual({
      head: 'POST /v1/x?y=z HTTP/1.1\r\nhost: host.example:8443\r\nconnection: keep-alive\r\nX-A: b\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
      body: '',
    });
  });

  test('the content length counts bytes', () => {
    const { head, body } = writer.write(request({ body: 'hé😀' }));
    expect(head).toMatch(/\r\ncontent-length: 7\r\n\r\n$/);
    expect(body).toBe('hé😀');
  });

  test('a GET has no body and no length', () => {
    expect(writer.write(request({ method: 'GET', body: 'ignored' }))).toEqual({
      head: 'GET /v1/x?y=z HTTP/1.1\r\nhost: host.example:8443\r\nconnection: keep-alive\r\n\r\n',
      body: '',
    });
  });

  test('a form sets its own content type and length', () => {
    const parts = [{ name: 'a', text: 'é' }];
    const { head, body } = writer.write(request({ headers: ['content-type', 'application/json'], body: parts }));
    const bytes = Buffer.concat(body as readonly Uint8Array[]);
    expect(head).toContain(`\r\ncontent-length: ${bytes.length}\r\n`);
    expect(head).not.toContain('application/json');
    expect(head).toMatch(/\r\ncontent-type: multipart\/form-data; boundary=trivium-/);
    expect(bytes.toString()).toContain('name="a"\r\n\r\né\r\n');
  });

  test('Content-Length and Connection of the request are ignored, its Host is used', () => {
    const headers = ['Content-Length', '99', 'Connection', 'close, x', 'Host', 'other.example'];
    expect(writer.write(request({ headers, body: 'x' })).head).toBe(
      'POST /v1/x?y=z HTTP/1.1\r\nhost: other.example\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\nx',
    );
  });

  test.each([
    ['a line end in a value', { headers: ['x', 'a\r\ny: b'] }],
    ['a bare LF in a value', { headers: ['x', 'a\nb'] }],
    ['NUL in a value', { headers: ['x', 'a\0b'] }],
    ['a character beyond Latin-1', { headers: ['x', '€'] }],
    ['a space in a name', { headers: ['x y', 'a'] }],
    ['an empty name', { headers: ['', 'a'] }],
    ['a colon in a name', { headers: ['x:', 'a'] }],
    ['transfer-encoding', { headers: ['Transfer-Encoding', 'chunked'] }],
    ['upgrade', { headers: ['upgrade', 'h2c'] }],
    ['expect', { headers: ['Expect', '100-continue'] }],
    ['a space in the path', { path: '/a b' }],
    ['a line end in the path', { path: '/a\r\nx: y' }],
    ['a path without a slash', { path: 'a' }],
  ])('%s is refused', (_what, more) => {
    expect(() => writer.write(request(more))).toThrow(InvalidRequest);
    // The invalid request is not cached.
    expect(() => writer.write(request(more))).toThrow(InvalidRequest);
  });

  test('header texts are cached by array, and more arrays than the cache holds do no harm', () => {
    const arrays = Array.from({ length: 30 }, (_, number) => ['x', String(number)]);
    for (const round of [0, 1])
      for (const [number, headers] of arrays.entries())
        expect(writer.write(request({ headers })).head, `round ${round}`).toContain(`\r\nx: ${number}\r\n`);
  });
});
