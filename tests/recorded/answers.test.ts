/** Every recorded whole answer: decoded, with its vendor's usage, passed on verbatim but for the listed edits, and encoded for every protocol. */
import type { Json, TextAnswer } from '@trivium/protocol/canonical';
import { scanMembers, splice } from '@trivium/protocol/framing';
import { fold, grammarProblem, unfold } from '@trivium/protocol/stream';
import { describe, expect, test } from 'vitest';
import { factsOfHost } from '../../scripts/recorded/host-facts.ts';
import {
  attempt,
  dialectOf,
  isRefused,
  meteredTotal,
  recordedContext,
  usageOfAnswer,
  vendorTotal,
} from '../../scripts/recorded/judge.ts';
import { expectOnlyEdits } from '../support/only-edits.ts';
import { dressed } from './dress.ts';
import { ANSWER_HOLES } from './holes.ts';
import { shapesOf, TEXT_DIALECTS } from './shape-set.ts';

const DEPTH = 64;

describe.each(shapesOf('response', ...TEXT_DIALECTS))(
  '$id of $vendor ($seenIn)',
  ({ id, dialect: name, vendor, shape }) => {
    const dialect = dialectOf(name);
    const facts = factsOfHost(vendor, name);
    const body = dressed({ shape });
    const read = attempt<TextAnswer>(() => dialect.client.decodeAnswer(body, facts));

    if (isRefused(read)) {
      test('a shape that is no answer has a listed reason', () => {
        expect(ANSWER_HOLES[id], read.fault.message).toBeDefined();
        expect(attempt(() => dialect.verbatim.answer(body, recordedContext, facts))).toHaveProperty('fault');
      });
      return;
    }

    test('a recorded answer is decoded, and is on no list of holes', () => {
      expect(ANSWER_HOLES[id]).toBeUndefined();
      const blocks = read.candidates.flatMap((candidate) => candidate.blocks);
      expect(blocks.filter((block) => block.kind === 'tool-call' && block.name === '')).toEqual([]);
    });

    test('the usage of a recorded answer equals the vendor’s count', () => {
      const total = vendorTotal(name, usageOfAnswer(name, body));
      if (total !== undefined) expect(meteredTotal(read.usage)).toBe(total);
    });

    test('a recorded answer unfolds into a valid stream, and back', () => {
      expect(grammarProblem(unfold(read))).toBeUndefined();
      expect(meteredTotal(fold(unfold(read)).usage)).toBe(meteredTotal(read.usage));
    });

    test('a recorded answer passes verbatim but for the listed edits, with the same usage', () => {
      const text = JSON.stringify(body);
      const { patch, usage } = dialect.verbatim.answer(JSON.parse(text) as Json, recordedContext, facts);
      if (patch.kind !== 'pass') throw new Error('an answer is never dropped');
      expectOnlyEdits(text, splice(text, scanMembers(text, DEPTH), patch.edits), patch.edits);
      expect(usage ?? {}).toEqual(read.usage);
    });

    test.each(TEXT_DIALECTS)('a recorded answer is encoded for callers of %s, or refused with a fault', (caller) => {
      const encoded = attempt(() => dialectOf(caller).server.encodeAnswer(read, recordedContext));
      if (isRefused(encoded)) expect(encoded.fault.kind).toBe('upstream-broken');
      else expect(() => JSON.stringify(encoded.body)).not.toThrow();
    });
  },
);
