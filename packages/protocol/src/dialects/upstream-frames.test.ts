/** Members an upstream puts into a chunk are never mistaken for a fault object of the gateway. */
import { expect, test } from 'vitest';
import { FaultyFrame, readObject, UNREADABLE } from './upstream-answers.ts';

const fine = () => undefined;

test('an object is read unchanged, whatever its member names', () => {
  const chunk = { kind: 'delta', message: 'hello', choices: [] };
  expect(readObject(JSON.stringify(chunk), fine)).toEqual(chunk);
});

test.each(['', ' \n', '[DONE]'])('%j has no content', (data) => {
  expect(readObject(data, fine)).toBeUndefined();
});

test.each(['{', '[1]', 'null', '"text"'])('%j cannot be read', (data) => {
  expect(readObject(data, fine)).toBe(UNREADABLE);
});

test('a failure reported inside an object is a fault', () => {
  const fault = { kind: 'upstream-overloaded', message: 'busy' } as const;
  expect(readObject('{"error":{}}', () => fault)).toEqual(new FaultyFrame(fault, { error: {} }));
});
