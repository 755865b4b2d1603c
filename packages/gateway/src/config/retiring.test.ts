import { expect, test } from 'vitest';
import { loadConfig } from './load.ts';
import type { RetiringSetting } from './retiring.ts';

const RETIRING: readonly RetiringSetting[] = [
  { path: 'limits.jsonDepth', instead: 'set limits.depth' },
  { path: 'providers.*.baseUrl', instead: 'set address' },
  { path: 'keys.*.name', instead: 'nothing is needed' },
];

const noticesOf = (text: string): readonly string[] => {
  const outcome = loadConfig({ text, env: {}, retiring: RETIRING });
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
  return outcome.notices.map(({ place, path, message }) => `${place} ${path} ${message}`);
};

test('a file with settings that go is loaded, and named once each, with their place and what comes instead', () => {
  const file = `keys: []
limits:
  jsonDepth: 20
providers:
  one: { dialect: openai-chat, baseUrl: "http://127.0.0.1:1/v1" }
  two: { dialect: openai-chat, baseUrl: "http://127.0.0.1:2/v1" }
`;
  expect(noticesOf(file).filter((text) => text.includes('goes with'))).toEqual([
    'configuration:3:3 limits.jsonDepth goes with the next minor version: set limits.depth',
    'configuration:5:32 providers.one.baseUrl goes with the next minor version: set address',
    'configuration:6:32 providers.two.baseUrl goes with the next minor version: set address',
  ]);
});

test('a file without them has no notice, and neither has a default', () => {
  expect(noticesOf('keys: []\nlimits: { headerCount: 100 }')).toEqual([]);
});

test('every entry of a list is looked at', () => {
  const key = (name: string) => `{ name: ${name}, hash: "sha256:${name.repeat(64)}" }`;
  const found = noticesOf(`keys: [${key('a')}, ${key('b')}]`).map((text) => text.split(' ')[1]);
  expect(found).toEqual(['keys[0].name', 'keys[1].name']);
});
