// CR-21: streamed or not, on either lane, an answer means the same.
import { scenarioNames } from '@trivium/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf } from '../../support/chat-answer.ts';
import { assemble, streamChat } from '../../support/chat-stream.ts';
import { asking, LANES } from '../../support/lanes.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/** These hosts report usage only in a stream, only in a whole answer, or not at all. */
const USAGE_DIFFERS = new Set(['usage-absent', 'usage-in-choice', 'usage-x-groq']);

describe.each(LANES)('$lane lane', (road) => {
  test.each(scenarioNames())('[CR-21] the stream of %s folds to the whole answer', async (scenario) => {
    const { message, choice, body } = await answerOf(stand, asking(road, `scenario=${scenario} words=30`));
    const streamed = await streamChat(
      stand,
      asking(road, `scenario=${scenario} words=30`, { stream_options: { include_usage: true } }),
    );
    const folded = assemble(streamed.chunks);
    expect(folded.content).toBe(message.content ?? '');
    expect(folded.refusal).toBe(message.refusal ?? '');
    expect(folded.reasoning).toBe(message.reasoning ?? '');
    expect(folded.calls).toEqual(
      (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
      })),
    );
    expect(folded.finishes).toEqual([choice.finish_reason]);
    if (USAGE_DIFFERS.has(scenario)) return;
    expect(folded.usage).toEqual(body.usage);
    const [whole, inPieces] = stand.records.slice(-2);
    expect(inPieces?.reading?.usage).toEqual(whole?.reading?.usage);
  });
});
