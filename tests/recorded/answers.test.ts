/** Every recorded whole answer: decoded, metered as its vendor counts, passed on untouched but for the listed edits, and encoded to every protocol. */
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
      test('has a reason not to be an answer', () => {
        expect(ANSWER_HOLES[id], read.fault.message).toBeDefined();
        expect(attempt(() => dialect.verbatim.answer(body, recordedContext, facts))).toHaveProperty('fault');
      });
      return;
    }

    test('is decoded, and stands on no list of holes', () => {
      expect(ANSWER_HOLES[id]).toBeUndefined();
      const blocks = read.candidates.flatMap((candidate) => candidate.blocks);
      expect(blocks.filter((block) => block.kind === 'tool-call' && block.name === '')).toEqual([]);
    });

    test('is metered as the vendor counts', () => {
      const total = vendorTotal(name, usageOfAnswer(name, body));
      if (total !== undefined) expect(meteredTotal(read.usage)).toBe(total);
    });

    test('unfolds into a stream of the grammar, and back', () => {
      expect(grammarProblem(unfold(read))).toBeUndefined();
      expect(meteredTotal(fold(unfold(read)).usage)).toBe(meteredTotal(read.usage));
    });

    test('passes verbatim but for the listed edits, and is metered the same', () => {
      const text = JSON.stringify(body);
      const { patch, usage } = dialect.verbatim.answer(JSON.parse(text) as Json, recordedContext, facts);
      if (patch.kind !== 'pass') throw new Error('an answer is never dropped');
      expectOnlyEdits(text, splice(text, scanMembers(text, DEPTH), patch.edits), patch.edits);
      expect(usage ?? {}).toEqual(read.usage);
    });

    test.each(TEXT_DIALECTS)('is told to callers of %s, or refused with a fault', (caller) => {
      const encoded = attempt(() => dialectOf(caller).server.encodeAnswer(read, recordedContext));
      if (isRefused(encoded)) expect(encoded.fault.kind).toBe('upstream-broken');
      else expect(() => JSON.stringify(encoded.body)).not.toThrow();
    });
  },
);
