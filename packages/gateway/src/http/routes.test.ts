import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { corsHeaders, isPreflight } from './cors.ts';
import { Destinations } from './destination.ts';
import { type FinishReasonSpelling, readHeaders, requestHead } from './head.ts';
import { nearestPath, unknownPath } from './nearest-path.ts';
import { parseTarget } from './path-policy.ts';
import { type Mounts, protocolOfText, type RouteAction } from './route-table.ts';

const MOUNTS: Mounts = { chat: ['/api/v1'], messages: ['/api/anthropic'], genai: ['/api/vertex-ai', '/g'] };
const MAX_LENGTH = 100;
const LIST: RouteAction = { kind: 'list-models' };
const one = (model: string): RouteAction => ({ kind: 'one-model', model });
const chat: RouteAction = { kind: 'text-call', dialect: 'openai-chat' };
const embedding = (form: string): RouteAction => ({
  kind: 'embed-call',
  dialect: 'google-embed',
  model: 'a/b',
  form,
});
const messages: RouteAction = { kind: 'text-call', dialect: 'anthropic-messages' };
const counting: RouteAction = { kind: 'count-tokens', dialect: 'anthropic-messages' };
const generating = (model: string, stream: boolean): RouteAction => ({
  kind: 'text-call',
  dialect: 'google-generate',
  model,
  stream,
});
const PROJECT = '/g/v1/projects/p/locations/l';

describe('every path has one route, and every other none', () => {
  test.each<[string, RouteAction | undefined]>([
    ['/api/v1', { kind: 'alive' }],
    ['/api/anthropic/', { kind: 'alive' }],
    ['/api/v1/chat/completions', chat],
    ['/api/v1/chat/other', undefined],
    ['/api/v1/other/completions', undefined],
    ['/api/v1/chat/completions/x', undefined],
    ['/api/v1/chat', undefined],
    ['/api/v1/models', LIST],
    ['/api/v1/models/a', one('a')],
    ['/api/v1/models/a/b', one('a/b')],
    ['/api/anthropic/messages', messages],
    ['/api/anthropic/v1/messages', messages],
    ['/api/anthropic/v1/v1/messages', messages],
    ['/api/anthropic/v1/v1/v1/messages', undefined],
    ['/api/anthropic/v2/messages', undefined],
    ['/api/anthropic/v1/messages/count_tokens', counting],
    ['/api/anthropic/v1/messages/other', undefined],
    ['/api/anthropic/v1/messages/count_tokens/x', undefined],
    ['/api/anthropic/v1/models', LIST],
    ['/api/anthropic/v1/models/a/b', one('a/b')],
    ['/api/anthropic/v1/other', undefined],
    ['/g/v1/models', LIST],
    ['/g/v1beta/models', LIST],
    ['/g/v1beta1/models', LIST],
    ['/g/v2/models', undefined],
    ['/g/v1/models/a/b', one('a/b')],
    ['/g/v1/publishers/p/models', LIST],
    ['/g/v1/publishers/p/models/m', one('p/m')],
    ['/g/v1/publishers/p/other/m', undefined],
    ['/g/v1/publishers', undefined],
    ['/g/v1/models/a/b:generateContent', generating('a/b', false)],
    ['/g/v1/a/b:generateContent', generating('a/b', false)],
    ['/g/v1/a/b', undefined],
    ['/g/v1/a/b/c:generateContent', undefined],
    ['/g/v1/publishers/p/models/m:streamGenerateContent', generating('p/m', true)],
    ['/g/v1/publishers/p/models/m:countTokens', { kind: 'count-tokens', dialect: 'google-generate', model: 'p/m' }],
    ['/api/v1/embeddings', { kind: 'embed-call', dialect: 'openai-embeddings' }],
    ['/api/v1/embeddings/more', undefined],
    ['/api/v1/responses/resp_1', { kind: 'stored', path: ['responses', 'resp_1'] }],
    ['/api/v1/responses/resp_1/input_items', { kind: 'stored', path: ['responses', 'resp_1', 'input_items'] }],
    ['/api/v1/responses/resp_1/other', undefined],
    ['/api/v1/responses/resp_1/input_items/x', undefined],
    ['/api/v1/responses/compact', { kind: 'compact', dialect: 'openai-responses' }],
    ['/api/v1/responses/input_tokens', { kind: 'count-tokens', dialect: 'openai-responses' }],
    ['/api/v1/conversations', { kind: 'stored', path: ['conversations'] }],
    [
      '/api/v1/conversations/conv_1/items/msg_1',
      { kind: 'stored', path: ['conversations', 'conv_1', 'items', 'msg_1'] },
    ],
    ['/api/v1/conversations/conv_1/other', undefined],
    ['/api/v1/conversations/conv_1/items/msg_1/x', undefined],
    ['/g/v1/models/a/b:embedContent', embedding('embedContent')],
    ['/g/v1/models/a/b:batchEmbedContents', embedding('batchEmbedContents')],
    ['/g/v1/publishers/a/models/b:predict', { ...embedding('predict'), kind: 'image-call', dialect: 'google-predict' }],
    ['/g/v1/models/a/b:free:generateContent', generating('a/b:free', false)],
    ['/g/v1/models/a/b:other', one('a/b:other')],
    [`${PROJECT}/publishers/p/models/m:generateContent`, generating('p/m', false)],
    [`${PROJECT}/models/a/b:generateContent`, generating('a/b', false)],
    [`${PROJECT}/a/b:generateContent`, undefined],
    ['/g/v1/projects/p/other/l/models/m:generateContent', undefined],
    ['/other', undefined],
  ])('%s', (path, action) => {
    expect(new Destinations(MOUNTS, MAX_LENGTH).find(path).route?.action).toEqual(action);
  });

  test('calls need a key and a POST; reads do not', () => {
    const destinations = new Destinations(MOUNTS, MAX_LENGTH);
    for (const path of ['/api/v1/chat/completions', '/api/anthropic/messages', '/g/v1/a/b:countTokens'])
      expect(destinations.find(path).route).toMatchObject({ method: 'POST', policy: 'key' });
    for (const path of ['/api/v1', '/api/v1/models', '/g/v1/models/a/b'])
      expect(destinations.find(path).route).toMatchObject({ method: 'GET', policy: 'public' });
  });

  test.each<[string, 'chat' | 'messages', RouteAction['kind'] | undefined, string | undefined]>([
    ['/v1/chat/completions', 'messages', 'text-call', 'chat'],
    ['/v1/messages', 'chat', 'text-call', 'messages'],
    ['/v1/v1/messages/count_tokens', 'chat', 'count-tokens', 'messages'],
    ['/v1/models', 'chat', 'list-models', 'chat'],
    ['/v1/models', 'messages', 'list-models', 'messages'],
    ['/v1/models/a/b', 'messages', 'one-model', 'messages'],
    ['/v1/models/a:predict', 'messages', 'image-call', 'genai'],
    ['/v1/models/a/b/operations/x', 'chat', 'video-poll', 'genai'],
    ['/v1/projects/p/locations/l/publishers/a/models/b:predict', 'chat', 'image-call', 'genai'],
    ['/v1beta/models', 'messages', 'list-models', 'genai'],
    ['/v1beta/x', 'messages', undefined, 'genai'],
    ['/v1/x', 'chat', undefined, 'chat'],
    ['/v1/x', 'messages', undefined, 'messages'],
    ['/v2/models', 'messages', undefined, undefined],
  ])('short: %s with headers of %s', (path, open, kind, protocol) => {
    const { place, route } = new Destinations({ ...MOUNTS, short: true }, MAX_LENGTH).find(path, open);
    expect([route?.action.kind, place?.protocol]).toEqual([kind, protocol]);
    expect(new Destinations(MOUNTS, MAX_LENGTH).find(path, open).place).toBeUndefined();
  });

  test('a disabled protocol is disabled at the short paths, too, and a configured mount takes precedence over them', () => {
    const off = new Destinations({ chat: ['/c'], messages: [], genai: [], short: true }, MAX_LENGTH);
    expect(off.find('/v1/messages', 'messages')).toMatchObject({ place: { protocol: 'chat' }, route: undefined });
    expect(off.find('/v1beta/models').place).toBeUndefined();
    expect(protocolOfText('/v1beta', { chat: ['/c'], messages: [], genai: [], short: true }, 'messages')).toBe('chat');
    const own = new Destinations({ ...MOUNTS, messages: ['/v1'], short: true }, MAX_LENGTH);
    expect(own.find('/v1/models').place?.protocol).toBe('messages');
  });

  test('every path that an error suggests is served', () => {
    const mounts = { ...MOUNTS, short: true };
    const destinations = new Destinations(mounts, MAX_LENGTH);
    const slips = ['/chat/completion', '/respones', '/embedings', '/images/generation', '/image/edits', '/model'];
    const [genai, messages] = ['/v1/models/a/b:generateContents', '/anthropic/v1/messages'];
    const asked = [...slips.map((slip) => `/v1${slip}`), messages, '/v1/messages/count_token', '/api/v1/credit', genai];
    for (const path of asked) {
      const near = nearestPath(path, mounts);
      expect(destinations.find((near ?? '').replace('{model}', 'a/b')).route, path).toBeDefined();
    }
    expect(nearestPath('/api/v1/chat/completion', MOUNTS)).toBe('/api/v1/chat/completions');
    expect(nearestPath('/somewhere/else/entirely', mounts)).toBeUndefined();
    expect(unknownPath('GET', `/${'x'.repeat(500)}`, mounts).message.length).toBeLessThan(400);
  });

  test.each([
    ['/api/v1', 'chat'],
    ['/api/v1?x', 'chat'],
    ['/api/v1/x', 'chat'],
    ['/api/anthropicx', 'chat'],
    ['/g//', 'genai'],
  ])('the error format at %s is %s', (text, protocol) => {
    expect(protocolOfText(text, MOUNTS)).toBe(protocol);
  });

  test('a cached path has the same route as the first time, and so has an evicted one', () => {
    const destinations = new Destinations(MOUNTS, MAX_LENGTH);
    const first = destinations.find('/api/v1/models');
    expect(destinations.find('/api/v1/models')).toBe(first);
    expect(destinations.find('/a//b')).toEqual({ target: undefined, place: undefined, route: undefined });
    expect(destinations.find('/elsewhere')).toMatchObject({ target: { path: '/elsewhere' } });
    for (let at = 0; at < 512; at++) destinations.find(`/api/v1/models/${at}`);
    const again = destinations.find('/api/v1/models');
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});

describe('the head a dialect sees', () => {
  const headOf = (query: string, raw: readonly string[], spelling: FinishReasonSpelling, stream = true) => {
    const target = parseTarget(`/x?${query}`, MAX_LENGTH);
    if (target === undefined) throw new Error('no target');
    const action = { kind: 'text-call', dialect: 'google-generate', model: 'm', stream } as const;
    return requestHead(action, target, readHeaders(raw), spelling);
  };
  test('contains model and stream only if the path states them', () => {
    expect(headOf('', [], 'auto')).toMatchObject({ model: 'm', stream: true });
    expect(headOf('', [], 'auto', false)).toMatchObject({ model: 'm', stream: false });
    const target = parseTarget('/x', MAX_LENGTH);
    if (target === undefined) throw new Error('no target');
    const head = requestHead({ kind: 'text-call', dialect: 'd' }, target, readHeaders([]), 'bare');
    expect(Object.keys(head)).toEqual(['header']);
  });
  test.each<[FinishReasonSpelling, string[], boolean]>([
    ['auto', [], false],
    ['auto', ['x-goog-api-client', 'google-genai-sdk/1'], true],
    ['auto', ['User-Agent', 'ai-sdk/5'], true],
    ['auto', ['user-agent', 'curl'], false],
    ['bare', [], true],
    ['prefixed', ['user-agent', 'ai-sdk/5'], false],
  ])('enum values are spelt %s for %j', (spelling, raw, bareEnums) => {
    expect(headOf('', raw, spelling)).toMatchObject({ bareEnums });
  });
  test('a stream requested as JSON becomes an array', () => {
    expect(headOf('alt=json', [], 'auto')).toMatchObject({ asArray: true });
    expect(headOf('alt=sse', [], 'auto')).toMatchObject({ asArray: false });
    expect(headOf('alt=json', [], 'auto', false)).toMatchObject({ asArray: false });
  });
  test('a header sent several times is one list', () => {
    const { header } = headOf('', ['a', '1', 'A', '2', 'b', '3'], 'auto');
    expect([header('a'), header('b'), header('c')]).toEqual(['1,2', '3', undefined]);
  });
});

describe('browsers', () => {
  const ORIGIN = 'https://a.example';
  const from = (method: string, headers: Record<string, string>) => ({ method, headers }) as unknown as IncomingMessage;
  const namesFor = (method: string) => corsHeaders(from(method, { origin: ORIGIN }), [ORIGIN]).map(([name]) => name);
  test('get allowed methods and headers in a preflight response only', () => {
    const always = ['access-control-allow-origin', 'vary', 'access-control-expose-headers'];
    expect(namesFor('POST')).toEqual(always);
    expect(namesFor('OPTIONS')).toEqual([
      ...always,
      'access-control-allow-methods',
      'access-control-allow-headers',
      'access-control-max-age',
    ]);
  });
  test('may send every header that a call may have, and those their SDKs add', () => {
    const asked = 'authorization,idempotency-key,x-trivium-zdr,x-trivium-hedge,x-stainless-lang';
    const preflight = from('OPTIONS', {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    });
    const headers = new Map(corsHeaders(preflight, [ORIGIN]));
    expect(headers.get('access-control-allow-headers')).toBe(asked);
    expect(headers.get('vary')).toBe('origin, access-control-request-headers');
  });
  test('may read every header of an answer that the documentation names', () => {
    const documented = readFileSync(new URL('../../../../docs/reference/headers.md', import.meta.url), 'utf8');
    const [, answers = ''] = documented
      .split(/^## /m)
      .filter((part) => part.startsWith('On an answer'))
      .join('')
      .split('|---|---|---|');
    const names = answers
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? ''));
    const exposed = new Map(corsHeaders(from('POST', { origin: ORIGIN }), [ORIGIN])).get(
      'access-control-expose-headers',
    );
    const isExposed = (name: string) =>
      (exposed ?? '').split(', ').some((one) => one.startsWith(name.replace('*', '')));
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !isExposed(name))).toEqual([]);
  });
  test('send a preflight as an OPTIONS that names a method, from a configured origin', () => {
    const asked = { origin: ORIGIN, 'access-control-request-method': 'POST' };
    expect(isPreflight(from('OPTIONS', asked), [ORIGIN])).toBe(true);
    expect(isPreflight(from('POST', asked), [ORIGIN])).toBe(false);
    expect(isPreflight(from('OPTIONS', { origin: ORIGIN }), [ORIGIN])).toBe(false);
    expect(isPreflight(from('OPTIONS', asked), [])).toBe(false);
    expect(corsHeaders(from('POST', {}), [ORIGIN])).toEqual([]);
  });
});
