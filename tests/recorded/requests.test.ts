/** Every recorded request that its vendor took: understood, or refused by a named rule; passed on verbatim, or rebuilt, into every dialect. */
import { readdirSync, readFileSync } from 'node:fs';
import type { RequestHead, Understanding } from '@trivium/protocol/dialects';
import { DEFAULT_JSON_BOUNDS, parseUntrustedObject, splice } from '@trivium/protocol/framing';
import { describe, expect, test } from 'vitest';
import { factsOfHost } from '../../scripts/recorded/host-facts.ts';
import { attempt, dialectOf, isRefused, recordedHead } from '../../scripts/recorded/judge.ts';
import { expectOnlyEdits } from '../support/only-edits.ts';
import { bodyOf } from './dress.ts';
import { REFUSAL_RULES } from './refusals.ts';
import { type Shape, shapesFound, shapesOf, TEXT_DIALECTS } from './shape-set.ts';

const DEPTH = 64;

const understood = (shape: Shape): ReturnType<typeof attempt<Understanding>> =>
  attempt(() => {
    const read = dialectOf(shape.dialect).server.understand(bodyOf(shape), recordedHead(shape.model ?? 'model'));
    read.call();
    return read;
  });

const requests = shapesOf('request', ...TEXT_DIALECTS);

describe.each(requests)('$id of $vendor ($seenIn)', (shape) => {
  const read = understood(shape);

  if (isRefused(read)) {
    test('a refused recorded request has a named rule', () => {
      expect(['malformed', 'unsupported']).toContain(read.fault.kind);
      const rules = REFUSAL_RULES.filter(
        (rule) => rule.dialect === shape.dialect && rule.problem.test(read.fault.message),
      );
      expect(rules[0], read.fault.message).toBeDefined();
    });
    return;
  }

  test('a recorded request passes verbatim but for the listed edits, or has a reason to be rebuilt', () => {
    const text = JSON.stringify(bodyOf(shape));
    const request = attempt(() => read.verbatim(factsOfHost(shape.vendor, shape.dialect)));
    if (isRefused(request)) return expect(request.fault.kind).toBe('unsupported');
    if ('why' in request) return expect(request.why).not.toBe('');
    const { members } = parseUntrustedObject(text, { ...DEFAULT_JSON_BOUNDS, depth: DEPTH });
    expectOnlyEdits(text, splice(text, members, request.edits), request.edits);
  });

  test.each(TEXT_DIALECTS)(
    'a recorded request is translated to %s, or refused as unsupported by that host',
    (target) => {
      const facts = factsOfHost('none', target);
      const encoded = attempt(() => dialectOf(target).client.encodeCall(read.call(), facts));
      if (isRefused(encoded)) return expect(encoded.fault.kind).toBe('unsupported');
      if (target !== shape.dialect) expect(JSON.stringify(encoded.body)).not.toContain('gs://');
    },
  );
});

test('every rule of the table refuses a recorded request', () => {
  const messages = requests.flatMap((shape) => {
    const read = understood(shape);
    return isRefused(read) ? [{ dialect: shape.dialect, message: read.fault.message }] : [];
  });
  // Tools and roles of messages are opened by betas; their rules may come to refuse nothing that was recorded.
  const idle = REFUSAL_RULES.filter(
    ({ dialect, problem }) => !messages.some((each) => each.dialect === dialect && problem.test(each.message)),
  );
  expect(
    idle.map(({ rule }) => rule).filter((rule) => !['M-78', 'M-44', 'M-31', 'M-09', 'C-20'].includes(rule)),
  ).toEqual([]);
});

test('the rules of the table exist', () => {
  const rules = readFileSync(new URL('../../docs/reference/conformance.md', import.meta.url), 'utf8');
  const records = readdirSync(new URL('../../docs/decisions/', import.meta.url));
  for (const { rule } of REFUSAL_RULES)
    expect(rules.includes(`**${rule}**`) || records.some((file) => file.startsWith(`${rule}-`)), rule).toBe(true);
});

test('D20: a file in one provider’s storage is refused before the call to any other provider', () => {
  const shape = shapesFound('D20')[0];
  if (shape === undefined) throw new Error('D20 is gone');
  const read = understood(shape);
  if (isRefused(read)) throw new Error(read.fault.message);
  for (const target of TEXT_DIALECTS.filter((id) => id !== 'google-generate')) {
    const encoded = attempt(() => dialectOf(target).client.encodeCall(read.call(), factsOfHost('none', target)));
    expect(encoded, target).toMatchObject({
      fault: { kind: 'unsupported', message: expect.stringContaining('gs://') },
    });
  }
});

describe('requests to count tokens', () => {
  const head: RequestHead = recordedHead('model');
  test.each(shapesOf('request', 'anthropic-count', 'google-count'))('$id of $vendor is understood (D21)', (shape) => {
    const { count } = dialectOf(shape.dialect === 'google-count' ? 'google-generate' : 'anthropic-messages').server;
    if (count === undefined) throw new Error('there is no counting');
    const read = attempt(() => count.understand(bodyOf(shape), head).call());
    if (!isRefused(read)) return expect(read.turns.length).toBeGreaterThan(0);
    const rules = REFUSAL_RULES.filter(({ problem }) => problem.test(read.fault.message));
    expect(rules[0], read.fault.message).toBeDefined();
  });
});
