import { expect, test } from 'vitest';
import { readTraceparent, TraceContexts } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const contexts = (own: object = {}, random = () => 0.5) =>
  new TraceContexts({ sampleRatio: 1, propagate: true, baggageTo: ['own'], ...own }, random);
const headers = (own: Record<string, string | string[]>) => new Map(Object.entries(own));

test.each([
  [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
  [`00-${TRACE}-${SPAN}-00`, { traceId: TRACE, spanId: SPAN, isSampled: false }],
  [`00-${TRACE}-${SPAN}-03`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
  [`cc-${TRACE}-${SPAN}-01-what-comes-later`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
])('%s is continued', (text, expected) => expect(readTraceparent(text)).toEqual(expected));

test.each([
  undefined,
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01,00-${TRACE}-${SPAN}-01`,
])('%s is not a valid traceparent', (text) => expect(readTraceparent(text)).toBeUndefined());

test('the span of the caller is the parent, and its trace and state are continued', () => {
  const given = headers({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: ['a=1', 'b=2'], baggage: 'user=ann' });
  const trace = contexts().begin(given);
  expect(trace).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, isSampled: true, state: 'a=1,b=2' });
  expect(trace.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(trace.spanId).not.toBe(SPAN);
});

test('a trace that begins here has new ids each time, and is sampled by its ratio', () => {
  const begun = Array.from({ length: 1000 }, () => contexts().begin(headers({})));
  expect(new Set(begun.map(({ traceId }) => traceId)).size).toBe(1000);
  expect(begun.every(({ traceId, parentSpanId }) => /^[0-9a-f]{32}$/.test(traceId) && parentSpanId === undefined)).toBe(
    true,
  );
  expect(contexts({ sampleRatio: 0.5 }, () => 0.4).begin(headers({})).isSampled).toBe(true);
  expect(contexts({ sampleRatio: 0.5 }, () => 0.6).begin(headers({})).isSampled).toBe(false);
});

test('all providers get the trace; only configured ones get state and baggage', () => {
  const given = headers({ traceparent: `00-${TRACE}-${SPAN}-00`, tracestate: 'a=1', baggage: 'user=ann' });
  const all = contexts();
  const trace = all.begin(given);
  expect(all.headersFor(trace, SPAN, 'other')).toEqual(['traceparent', `00-${TRACE}-${SPAN}-00`]);
  expect(all.headersFor(trace, SPAN, 'own')).toEqual([
    'traceparent',
    `00-${TRACE}-${SPAN}-00`,
    'tracestate',
    'a=1',
    'baggage',
    'user=ann',
  ]);
  expect(contexts({ propagate: false }).headersFor(trace, SPAN, 'own')).toEqual([]);
});

test('a state or baggage that is too long is dropped completely', () => {
  const given = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a'.repeat(513), baggage: 'b'.repeat(8193) };
  expect(contexts().begin(headers(given))).toMatchObject({ state: undefined, baggage: undefined });
});
