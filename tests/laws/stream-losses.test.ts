/** What a caller's format cannot express of an answer is reported alike, streamed or not. */
import { GatewayError, type Loss, type TextAnswer } from '@trivium/protocol/canonical';
import { findDialect } from '@trivium/protocol/dialects';
import { unfold } from '@trivium/protocol/stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../support/nightly.ts';
import { contextOf } from './fixture-set.ts';
import { answers } from './generated-answers.ts';

type Losses = readonly string[];

/** Chat callers find the same field under another name in chunks. */
const namesOf = (losses: readonly Loss[]): Losses =>
  [...new Set(losses.map(({ path, why }) => `${path.replace('.delta', '.message')}: ${why}`))].sort();

/** Only of whole answers: in a stream the text of broken arguments itself reaches the caller, and nothing is lost. */
const BROKEN_ARGUMENTS = 'content.tool_use.input: approximated';

/** Undefined for an answer that this format must refuse. */
function ofWhole(id: string, answer: TextAnswer): Losses | undefined {
  try {
    const losses = namesOf(findDialect(id)!.server.encodeAnswer(answer, contextOf()).losses);
    return losses.filter((loss) => loss !== BROKEN_ARGUMENTS);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function ofStream(id: string, answer: TextAnswer): Losses {
  const encoder = findDialect(id)!.server.eventEncoder(contextOf());
  for (const event of unfold(answer)) encoder.push(event);
  encoder.end();
  return namesOf(encoder.losses());
}

/** Metadata of Gemini, which hosts of generate content add to their answers. */
const notes = fc.constantFrom(
  { safetyRatings: [{ category: 'c', probability: 'LOW' }] },
  { groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.example' } }] } },
  {},
);
const ofOneCandidate = fc.tuple(answers, notes).map(
  ([answer, note]): TextAnswer => ({
    ...answer,
    candidates: answer.candidates
      .slice(0, 1)
      .map((candidate) => ({ ...candidate, extras: { 'google-generate': note } })),
  }),
);

describe.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'google-generate'])('%s', (id) => {
  test('a streamed answer has the losses of the whole one', () => {
    fc.assert(
      fc.property(ofOneCandidate, (answer) => {
        const whole = ofWhole(id, answer);
        // Generate content takes back a filtered answer; a stream has sent it before it is known.
        const isTakenBack = id === 'google-generate' && answer.candidates[0]?.finish.reason === 'filter';
        if (whole !== undefined && !isTakenBack) expect(ofStream(id, answer)).toEqual(whole);
      }),
      { numRuns: runs(200) },
    );
  });
});
