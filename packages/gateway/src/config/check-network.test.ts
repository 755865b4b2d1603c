import { expect, test } from 'vitest';
import { loadConfig } from './load.ts';

const connections = (text: string): number => {
  const outcome = loadConfig({ env: {}, text: `keys: []\n${text}` });
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
  return outcome.config.upstream.connectionsPerOrigin;
};

test('there are connections for all that may run, unless the operator says otherwise', () => {
  expect(connections('limits: { inFlight: 1234 }')).toBe(1234);
  expect(connections('limits: { inFlight: 1234 }\nupstream: { connectionsPerOrigin: 7 }')).toBe(7);
});
