import { describe, expect, test } from 'vitest';
import {
  budgetOf,
  EFFORTS,
  effortOf,
  FAULT_KINDS,
  FAULT_RULES,
  faultOf,
  GatewayError,
  inputTokens,
  METERS,
  mergeUsage,
  outputTokens,
  ownsSeal,
  type Sealed,
  type Usage,
} from './index.ts';

describe('effort and budget', () => {
  test.each(EFFORTS.filter((effort) => effort !== 'max'))('%s survives the way to a budget and back', (effort) => {
    for (const usable of [8192, 100_000]) expect(effortOf(budgetOf(effort, usable), usable)).toBe(effort);
  });
  test('budgets grow with effort and never exceed the usable output', () => {
    const budgets = EFFORTS.map((effort) => budgetOf(effort, 10_000));
    expect(budgets).toEqual([...budgets].sort((a, b) => a - b));
    expect(budgets.at(-1)).toBeLessThan(10_000);
  });
  test('a budget left to the model is read as medium effort', () => {
    expect(effortOf(-1, 1000)).toBe('medium');
  });
});

describe('usage', () => {
  test('every token dimension counts as exactly one of input and output, and no other dimension does', () => {
    const others = [
      'webSearch',
      'searchUnits',
      'pictures',
      'videos',
      'videoSeconds',
      'audioSeconds',
      'characters',
      'units',
    ];
    for (const meter of METERS) {
      const one: Usage = { [meter]: 1 };
      expect(inputTokens(one) + outputTokens(one), meter).toBe(others.includes(meter) ? 0 : 1);
    }
  });
  test('later readings replace earlier ones and are never added', () => {
    expect(mergeUsage({ prompt: 5, completion: 1 }, { completion: 3 })).toEqual({ prompt: 5, completion: 3 });
  });
});

describe('faults', () => {
  test('no fault kind has status 408, 409 or 501, which SDKs retry on their own', () => {
    for (const kind of FAULT_KINDS) expect([408, 409, 501]).not.toContain(FAULT_RULES[kind].status);
  });
  test('a caller error is retried on another target only if that target could accept the request', () => {
    const elsewhere = FAULT_KINDS.filter((kind) => FAULT_RULES[kind].blame === 'caller' && FAULT_RULES[kind].elsewhere);
    expect(elsewhere).toEqual(['unsupported', 'context-exceeded']);
  });
  test('an unexpected exception becomes a fault without its text', () => {
    expect(faultOf(new Error('password=1'))).toEqual({
      kind: 'internal',
      message: expect.not.stringContaining('password'),
    });
    expect(faultOf(new GatewayError({ kind: 'forbidden', message: 'no' }))).toEqual({
      kind: 'forbidden',
      message: 'no',
    });
  });
});

test('a seal is shown only to its own dialect, family and account', () => {
  const owner = { dialect: 'openai-chat', family: 'gpt', scope: 'a' } as const;
  const seal: Sealed = { owner, kind: 'sealed', data: 'x' };
  expect(ownsSeal(owner, seal)).toBe(true);
  expect(ownsSeal({ ...owner, scope: 'b' }, seal)).toBe(false);
  expect(ownsSeal({ ...owner, family: 'claude' }, seal)).toBe(false);
  expect(ownsSeal({ ...owner, dialect: 'google-generate' }, seal)).toBe(false);
  expect(ownsSeal({ ...owner, scope: 'b' }, { ...seal, owner: { dialect: 'openai-chat', family: 'gpt' } })).toBe(true);
});
