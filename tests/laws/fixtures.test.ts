/** The goldens themselves: every cell is there, says where it comes from, and means what its canonical form says. */
import type { Fault, Json } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import { canonicalOf, chat, fixtures, folders, readJson, scenarios } from './fixture-set.ts';

const CELLS = ['answer.json', 'origin.json', 'request.json', 'stream.sse'];

describe('the set is complete', () => {
  test('scenarios, canonical forms and wire folders name the same things, once each', () => {
    const names = scenarios.map(({ name }) => name).sort();
    expect(new Set(names).size).toBe(names.length);
    expect(folders('canonical')).toEqual(names.map((name) => `${name}.json`).sort());
    expect(folders('wire/openai-chat')).toEqual(names);
    expect(names.length).toBeGreaterThanOrEqual(25);
  });

  test.each(scenarios)('$name has every cell and an honest origin', ({ name, about }) => {
    expect(about).not.toBe('');
    expect(folders(`wire/openai-chat/${name}`)).toEqual(expect.arrayContaining(CELLS));
    const origin = readJson<{ kind: string; date: string; note: string }>(`wire/openai-chat/${name}/origin.json`);
    expect(['invented', 'from-spec']).toContain(origin.kind);
    expect(origin.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(origin.note).not.toBe('');
  });
});

describe.each(fixtures)('$name', ({ name, request, answer, facts }) => {
  test('the request means what the canonical call says', () => {
    expect(chat.server.understand(request).call()).toEqual(canonicalOf(name).call);
  });
  test('the answer means what the canonical answer says', () => {
    expect(chat.client.decodeAnswer(answer, facts)).toEqual(canonicalOf(name).answer);
  });
});

describe.each(folders('faults/openai-chat'))('failure %s', (name) => {
  const upstream = readJson<{ status: number; body: Json }>(`faults/openai-chat/${name}/upstream.json`);
  const fault = readJson<Fault>(`faults/openai-chat/${name}/fault.json`);

  test('is read as the fault it is', () => {
    expect(chat.client.decodeFault(upstream.status, upstream.body)).toEqual(fault);
  });
  test('is told in the form of the dialect, and the caller never sees our key', () => {
    const { status, body } = chat.server.encodeFault(fault, 'id');
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toEqual({
      error: { message: fault.message, type: expect.any(String), param: fault.field ?? null, code: expect.any(String) },
    });
    expect(JSON.stringify(body)).not.toContain('sk-secret');
  });
});
