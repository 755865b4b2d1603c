import { expect, test } from 'vitest';
import { bodyOf, budgetOf, createLine, EMPTY_FORM, withCeiling } from './key-form.ts';

const FORM = {
  ...EMPTY_FORM,
  name: ' ci ',
  memberId: 'mem_1',
  models: 'openai/*, google/gemini-3.5-flash\n',
  protocols: ['chat'],
  expires: '2026-12-31',
  requestsPerMinute: '60',
  isStrict: true,
};

test('an empty form asks for a key without limits', () => {
  expect(bodyOf({ ...EMPTY_FORM, name: 'backend' })).toEqual({ name: 'backend' });
  expect(budgetOf(EMPTY_FORM)).toBeUndefined();
});

test('the last day counts in full, and lists are split at commas and lines', () =>
  expect(bodyOf(FORM)).toEqual({
    name: 'ci',
    memberId: 'mem_1',
    rights: {
      models: ['openai/*', 'google/gemini-3.5-flash'],
      protocols: ['chat'],
      expiresAt: '2027-01-01T00:00:00.000Z',
      strict: true,
      rateLimits: { requestsPerMinute: 60 },
    },
  }));

test('the command line asks for the same', () =>
  expect(createLine('acme', FORM)).toBe(
    "trivium keys create acme --name ci --member mem_1 --models 'openai/*' google/gemini-3.5-flash --protocols chat --expires 2027-01-01T00:00:00.000Z --strict --rpm 60",
  ));

test('a key has the limits of the role that makes it, unless it asks for narrower ones', () => {
  const ceiling = { models: ['openai/*'], expiresAt: '2026-12-31T00:00:00Z', rateLimits: { requestsPerMinute: 60 } };
  expect(withCeiling({}, ceiling)).toEqual(ceiling);
  expect(withCeiling({ models: ['openai/gpt-5.5'], rateLimits: { inFlight: 2 } }, ceiling)).toEqual({
    ...ceiling,
    models: ['openai/gpt-5.5'],
    rateLimits: { requestsPerMinute: 60, inFlight: 2 },
  });
  expect(withCeiling({ strict: true }, undefined)).toEqual({ strict: true });
});
