import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { corsHeaders, isPreflight } from './cors.ts';
import { firstHeader, framingFault, headFault, isJson, readHeaders } from './head.ts';
import { parseTarget } from './path-policy.ts';
import { type Mounts, placeOf, protocolOfText, routeOf } from './route-table.ts';

const MOUNTS: Mounts = { chat: ['/api/v1'], messages: ['/api/anthropic'], genai: ['/api/vertex-ai'] };
const MAX = 100;

describe('targets', () => {
  test('are parsed into decoded segments and the first value of each query name', () => {
    const target = parseTarget('/api/v1/models/openai%2Fgpt/?a=1&a=2', MAX);
    expect(target?.segments).toEqual(['api', 'v1', 'models', 'openai/gpt']);
    expect(target?.query.get('a')).toBe('1');
  });
  test.each([
    '',
    'x',
    '//',
    '/a//b',
    '/a/../b',
    '/%2e',
    '/a%2f..',
    '/a;b',
    '/a\\b',
    '/%5c',
    '/%00',
    '/%',
    '/%ff',
    '/a b',
    `/${'x'.repeat(MAX)}`,
  ])('%j is not canonical', (text) => {
    expect(parseTarget(text, MAX)).toBeUndefined();
  });
});

describe('routes', () => {
  const actionAt = (path: string): string | undefined => {
    const place = placeOf(parseTarget(path, MAX)?.segments ?? [], MOUNTS);
    return place === undefined ? undefined : routeOf(place)?.action.kind;
  };
  test.each([
    ['/api/v1', 'alive'],
    ['/api/v1/chat/completions', 'text-call'],
    ['/api/v1/chat/completions/', 'text-call'],
    ['/api/v1/chat/completions/x', undefined],
    ['/api/v1/models', 'list-models'],
    ['/api/v1/models/a/b', 'one-model'],
    ['/api/anthropic/v1/models', 'list-models'],
    ['/api/anthropic/v1/v1/models', 'list-models'],
    ['/api/vertex-ai/v1/publishers/google/models/x', 'one-model'],
    ['/api/vertex-ai/v9/models', undefined],
    ['/api/v1x/models', undefined],
    ['/elsewhere', undefined],
  ])('%s is %s', (path, kind) => {
    expect(actionAt(path)).toBe(kind);
  });
  test('the error format of a target that is not canonical is that of its prefix, else of the chat protocol', () => {
    expect(protocolOfText('/api/anthropic/../x', MOUNTS)).toBe('messages');
    expect(protocolOfText('/api/anthropicx', MOUNTS)).toBe('chat');
  });
});

describe('headers', () => {
  test('repeated ones stay separate, names are case-insensitive, and no name reaches a prototype', () => {
    const headers = readHeaders(['A', '1', 'a', '2', '__proto__', 'x']);
    expect(headers.get('a')).toEqual(['1', '2']);
    expect(firstHeader(headers, 'a')).toBe('1');
    expect(headers.get('__proto__')).toBe('x');
    expect(headers.get('constructor')).toBeUndefined();
  });
  test.each([
    ['application/json', true],
    [' Application/JSON ; charset=x', true],
    ['application/json, x', false],
    ['text/json', false],
    [undefined, false],
  ])('%s', (type, expected) => {
    expect(isJson(type)).toBe(expected);
  });
});

const request = (raw: readonly string[], more: object = {}): IncomingMessage => {
  const headers = Object.fromEntries(
    raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1]]] : [])),
  );
  return { httpVersion: '1.1', rawHeaders: raw, headers, method: 'GET', ...more } as unknown as IncomingMessage;
};

describe('heads', () => {
  test.each<[string, IncomingMessage, string | undefined]>([
    ['good', request(['Host', 'a:1']), undefined],
    ['no host', request([]), 'malformed'],
    ['no host in 1.0', request([], { httpVersion: '1.0' }), undefined],
    ['a coding in 1.0', request(['Transfer-Encoding', 'chunked'], { httpVersion: '1.0' }), 'malformed'],
    ['a coding', request(['Host', 'a', 'Transfer-Encoding', 'Chunked']), undefined],
    ['two codings', request(['Host', 'a', 'Transfer-Encoding', 'gzip, chunked']), 'malformed'],
    ['two headers of codings', request(['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked']), 'malformed'],
    ['version 0.9', request(['Host', 'a'], { httpVersion: '0.9' }), 'malformed'],
    ['version 2.0', request(['Host', 'a'], { httpVersion: '2.0' }), 'malformed'],
    ['two hosts', request(['Host', 'a', 'HOST', 'a']), 'malformed'],
    ['host with a path', request(['Host', 'a/b']), 'malformed'],
    ['prototype', request(['Host', 'a', '__Proto__', 'x']), 'malformed'],
    ['expectation', request(['Host', 'a', 'Expect', '200-ok']), 'malformed'],
    ['continue', request(['Host', 'a', 'Expect', '100-Continue']), undefined],
    ['too many', request(['Host', 'a', 'X', '1', 'Y', '2']), 'headers-too-large'],
  ])('%s', (_name, incoming, kind) => {
    const headers = readHeaders(incoming.rawHeaders);
    expect((framingFault(incoming, headers, 2) ?? headFault(incoming, headers))?.kind).toBe(kind);
  });
});

test('browsers of configured origins get CORS headers, others do not', () => {
  const from = (origin: string, method = 'GET'): IncomingMessage =>
    request(['Origin', origin, 'Access-Control-Request-Method', 'POST'], { method });
  expect(corsHeaders(from('https://a.example'), [])).toEqual([]);
  expect(corsHeaders(from('https://b.example'), ['https://a.example'])).toEqual([]);
  expect(Object.fromEntries(corsHeaders(from('https://a.example'), ['https://a.example']))).toMatchObject({
    'access-control-allow-origin': 'https://a.example',
    vary: 'origin',
  });
  expect(isPreflight(from('https://a.example', 'OPTIONS'), ['https://a.example'])).toBe(true);
  expect(isPreflight(from('https://b.example', 'OPTIONS'), ['https://a.example'])).toBe(false);
});

test('the origin * lets browsers of every origin call', () => {
  const preflight = request(['Origin', 'https://b.example', 'Access-Control-Request-Method', 'POST'], {
    method: 'OPTIONS',
  });
  expect(corsHeaders(preflight, ['*'])).toContainEqual(['access-control-allow-origin', '*']);
  expect(isPreflight(preflight, ['https://a.example', '*'])).toBe(true);
});
