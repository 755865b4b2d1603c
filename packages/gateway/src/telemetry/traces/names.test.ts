import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ATTRIBUTES, EVENTS, TRACE_NAMES_VERSION } from './names.ts';

const page = readFileSync(new URL('../../../../../docs/operate/traces.md', import.meta.url), 'utf8');
const names = [...page.matchAll(/^\| `([a-z0-9_.]+)` \|/gm)].map(([, name]) => name);

test('the documentation lists every name, and no other', () => {
  expect(names).toEqual([...Object.values(ATTRIBUTES), ...Object.values(EVENTS)]);
});

test('the documentation names the version', () => {
  expect(page).toContain(`Version ${TRACE_NAMES_VERSION} (the version of the scope`);
});
