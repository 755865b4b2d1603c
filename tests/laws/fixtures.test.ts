/** The golden fixtures: every cell exists, has its origin, and matches its canonical form. */
import type { Fault, Json } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { canonicalOf, chat, fixtures, folders, readJson, scenarios } from './fixture-set.ts';

const CELLS = ['answer.json', 'origin.json', 'request.json', 'stream.sse'];

describe('the set is complete', () => {
  test('scenarios, canonical forms and wire folders have the same names, once each', () => {
    const names = scenarios.map(({ name }) => name).sort();
    expect(new Set(names).size).toBe(names.length);
    expect(folders('canonical')).toEqual(names.map((name) => `${name}.json`).sort());
    expect(folders('wire/openai-chat')).toEqual(names);
    expect(names.length).toBeGreaterThanOrEqual(25);
  });

  test.each(scenarios)('$name has every cell and a valid origin', ({ name, about }) => {
    expect(about).not.toBe('');
    expect(folders(`wire/openai-chat/${name}`)).toEqual(expect.arrayContaining(CELLS));
    const origin = readJson<{ kind: string; date: string; note: string }>(`wire/openai-chat/${name}/origin.json`);
    expect(['invented', 'from-spec']).toContain(origin.kind);
    expect(origin.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(origin.note).not.toBe('');
  });
});

describe.each(fixtures)('$name', ({ name, request, answer, facts }) => {
  test('the request decodes to the canonical call', () => {
    expect(chat.server.understand(request).call()).toEqual(canonicalOf(name).call);
  });
  test('the answer decodes to the canonical answer', () => {
    expect(chat.client.decodeAnswer(answer, facts)).toEqual(canonicalOf(name).answer);
  });
});

describe.each(folders('faults/openai-chat'))('failure %s', (name) => {
  const upstream = readJson<{ status: number; body: Json }>(`faults/openai-chat/${name}/upstream.json`);
  const fault = readJson<Fault>(`faults/openai-chat/${name}/fault.json`);

  test('a failure is decoded to its fault', () => {
    expect(chat.client.decodeFault(upstream.status, upstream.body)).toEqual(fault);
  });
  test('a failure is encoded in the error format of the dialect, without the upstream key', () => {
    const { status, body } = chat.server.encodeFault(fault, 'id');
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toEqual({
      error: { message: fault.message, type: expect.any(String), param: fault.field ?? null, code: expect.any(String) },
    });
    expect(JSON.stringify(body)).not.toContain('sk-secret');
  });
});
