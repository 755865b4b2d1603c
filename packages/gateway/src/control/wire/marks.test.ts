/** Positions in a text, and the marks in the panes of a request. */
import { expect, test } from 'vitest';
import { membersOf, placesIn } from './json-places.ts';
import { type Mark, marksOf } from './marks.ts';
import type { StoredWire, WireCall, WirePane } from './stored-wire.ts';

const pane = (body: string, more: Partial<WirePane> = {}): WirePane => ({
  startLine: '',
  headers: [],
  body,
  bytes: Buffer.byteLength(body),
  truncated: false,
  secrets: 0,
  frames: [],
  ...more,
});

const wire = (callerRequest: WirePane, callerResponse: WirePane, losses: StoredWire['losses'] = []): StoredWire => ({
  version: 1,
  requestId: 'r1',
  path: '/',
  losses,
  callerRequest,
  callerResponse,
  calls: [],
});

const call = (hostRequest: WirePane, hostResponse: WirePane, lane = 'verbatim'): WireCall => ({
  provider: 'p',
  model: 'm',
  lane,
  hostRequest,
  hostResponse,
});

const textAt = (body: string, place: Mark['from']): string =>
  Buffer.from(body)
    .subarray(place?.start ?? 0, place?.end ?? 0)
    .toString();

const found = (text: string, path: string): string | undefined => {
  const span = placesIn(text)(path);
  return span && text.slice(span.start, span.end);
};

test('a path finds its member, else its nearest ancestor, else nothing', () => {
  const text = '{ "a": {"b": [ {"c": "x,}" }, {"c": 2} ]}, "d" : true }';
  expect(found(text, 'd')).toBe('"d" : true');
  expect(found(text, 'a.b[1].c')).toBe('"c": 2');
  expect(found(text, 'a.b[0].c')).toBe('"c": "x,}"');
  expect(found(text, 'a.b[].c')).toBe('"b": [ {"c": "x,}" }, {"c": 2} ]');
  expect(found(text, 'a.zzz')).toBe('"a": {"b": [ {"c": "x,}" }, {"c": 2} ]}');
  expect(found(text, 'zzz')).toBeUndefined();
});

test('members before the cut of a truncated text are found', () => {
  expect(membersOf('{"a":1,"b":"two","c":{"d":').map(({ name }) => name)).toEqual(['a', 'b']);
  expect(membersOf('not json')).toEqual([]);
  expect(membersOf('{"a\\"b":1}').map(({ name }) => name)).toEqual(['a"b']);
});

test('edits of the verbatim lane are marked in both panes, in bytes', () => {
  const [asked, sent] = ['{"user":"é","model":"x/y","plugins":[]}', '{"user":"é","model":"y","stream_options":{}}'];
  const marks = marksOf(wire(pane(asked), pane('{}')), call(pane(sent), pane('{}')));
  expect(marks.map(({ kind, path, why }) => [kind, path, why])).toEqual([
    ['S', 'model', 'rewritten'],
    ['S', 'plugins', 'removed'],
    ['S', 'stream_options', 'added'],
  ]);
  expect(textAt(asked, marks[0]?.from ?? null)).toBe('"model":"x/y"');
  expect(textAt(sent, marks[0]?.to ?? null)).toBe('"model":"y"');
  expect(textAt(sent, marks[2]?.to ?? null)).toBe('"stream_options":{}');
});

test('the events of a stream are compared one by one, and each edit is marked where it first occurs', () => {
  const [from, to] = [
    'data: {"id":"1","n":1}\n\ndata: {"id":"1","n":2}\n\n',
    'data: {"id":"a","n":1}\n\ndata: {"id":"a","n":2}\n\n',
  ];
  const marks = marksOf(wire(pane('{}'), pane(to)), call(pane('{}'), pane(from)));
  expect(marks).toHaveLength(1);
  expect(textAt(from, marks[0]?.from ?? null)).toBe('"id":"1"');
  const fewer = marksOf(wire(pane('{}'), pane(to.slice(0, 24))), call(pane('{}'), pane(from)));
  expect(fewer).toMatchObject([{ kind: 'S', why: '2 events became 1', from: { start: null } }]);
});

test('a translated request has no splices: its losses and approximations are marked', () => {
  const asked = '{"seed":3,"temperature":9}';
  const losses = [
    { path: 'seed', why: 'no-equivalent' },
    { path: 'temperature', why: 'clamped' },
    { path: 'elsewhere', why: 'not-forwarded' },
  ] as const;
  const marks = marksOf(wire(pane(asked), pane('{}'), losses), call(pane('{}'), pane('{}'), 'translated'));
  expect(marks.map(({ kind, path }) => [kind, path])).toEqual([
    ['L', 'seed'],
    ['A', 'temperature'],
    ['L', 'elsewhere'],
  ]);
  expect(textAt(asked, marks[0]?.from ?? null)).toBe('"seed":3');
  expect(marks[2]?.from).toBeNull();
});

test('text of a caller is not mistaken for a redacted secret', () => {
  const body = '{"a":"[redacted]"}';
  expect(marksOf(wire(pane(body), pane('')), undefined)).toEqual([]);
  expect(marksOf(wire(pane(body, { secrets: 1 }), pane('')), undefined)).toMatchObject([
    { kind: 'K', from: { pane: 'callerRequest', start: 6, end: 16 } },
  ]);
});

test('sealed state that callers pass through is marked', () => {
  const sealed = Buffer.from('TRV1 some state').toString('base64');
  const body = `{"signature":"${sealed}"}`;
  const [mark] = marksOf(wire(pane(body), pane('')), undefined);
  expect(mark?.kind).toBe('E');
  expect(textAt(body, mark?.from ?? null)).toBe(sealed);
});

test('positions are bytes, whatever the order of the marks', () => {
  const asked = '{"ä":1,"漢":[{"😀":2},{"n":3}],"z":4}';
  const losses = ['z', '漢[1].n', 'ä', '漢[0].😀'].map((path) => ({ path, why: 'clamped' as const }));
  const marks = marksOf(wire(pane(asked), pane('{}'), losses), undefined);
  expect(marks.map(({ from }) => textAt(asked, from))).toEqual(['"z":4', '"n":3', '"ä":1', '"😀":2']);
});

test('a body full of losses is read once, not once for each of them', () => {
  const messages = Array.from({ length: 2000 }, () => `{"name":"${'x'.repeat(100)}"}`);
  const body = `{"messages":[${messages.join()}]}`;
  const losses = messages.map((_, index) => ({ path: `messages[${index}].name`, why: 'not-forwarded' as const }));
  let bestMs = Number.POSITIVE_INFINITY;
  // The fastest of a few attempts, so that other load on the machine does not count. Once for each takes six seconds.
  for (let turn = 0; turn < 5 && bestMs > 1000; turn++) {
    const started = performance.now();
    expect(marksOf(wire(pane(body), pane('{}'), losses), undefined)).toHaveLength(500);
    bestMs = Math.min(bestMs, performance.now() - started);
  }
  expect(bestMs).toBeLessThan(1000);
});
