import { expect, test } from 'vitest';
import { nodeProblem } from './node-version.ts';

test.each(['24.0.0', '26.10.0'])('Node.js %s will do', (version) => expect(nodeProblem(version)).toBeUndefined());

test.each(['20.20.2', '8.0.0'])('Node.js %s is answered with what is needed', (version) =>
  expect(nodeProblem(version)).toBe(
    `Node.js 24 or newer is needed, this is v${version}: install it from https://nodejs.org`,
  ),
);
