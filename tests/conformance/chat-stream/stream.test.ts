// CS: the streamed answer on both lanes, checked on its bytes.
import { inputTokens, outputTokens } from '@trivium/protocol/canonical';
import { type ScenarioName, scenarioNames } from '@trivium/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf } from '../../support/chat-answer.ts';
import { assemble, type Fragment, type StreamReply, streamChat } from '../../support/chat-stream.ts';
import { asking, LANES } from '../../support/lanes.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const SPELLINGS = ['crlf', 'comments', 'multi-line', 'split-bytes', 'no-done', 'duplicate-done', 'data-after-done'];
const fragmentsOf = (reply: StreamReply): Fragment[] =>
  reply.chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));

describe.each(LANES)('$lane lane', (road) => {
  const stream = (instruction: string, extra: object = {}) => streamChat(stand, asking(road, instruction, extra));

  test('the request takes the lane under test', async () => {
    await stream('scenario=text-basic');
    expect(stand.records.at(-1)).toMatchObject({ lane: road.lane, stream: true });
  });

  test.each(scenarioNames())('[CS-01][CS-02] %s: data lines and blank lines, [DONE] last', async (scenario) => {
    const reply = await stream(`scenario=${scenario}`, { stream_options: { include_usage: true } });
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(reply.text).toMatch(/^(?:data: \{[^\n\r]*\}\n\n)+data: \[DONE\]\n\n$/);
    expect(Buffer.from(reply.text).equals(reply.bytes)).toBe(true);
    expect(reply.complete).toBe(true);
  });

  test.each(SPELLINGS)('[CS-01][CS-02] the caller does not see an upstream’s %s', async (fault) => {
    const odd = await stream(`scenario=unicode fault=${fault}`);
    expect(odd.text).toMatch(/^(?:data: \{[^\n\r]*\}\n\n)+data: \[DONE\]\n\n$/);
    const plain = await stream('scenario=unicode');
    expect(assemble(odd.chunks)).toEqual(assemble(plain.chunks));
  });

  test.each(scenarioNames())(
    '[CS-03][CS-04][CS-09] %s: one id, time and model, the role first, one finish reason',
    async (scenario) => {
      const { chunks, headers } = await stream(`scenario=${scenario}`, { stream_options: { include_usage: true } });
      expect(chunks.length).toBeGreaterThan(0);
      expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['chat.completion.chunk']));
      expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([`chatcmpl-${headers['x-request-id']}`]));
      expect(new Set(chunks.map(({ created }) => created)).size).toBe(1);
      expect(Number.isInteger(chunks[0]?.created)).toBe(true);
      expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([road.model]));
      expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
      expect(chunks.slice(1).some(({ choices }) => choices[0]?.delta.role !== undefined)).toBe(false);
      const finishes = chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason));
      expect(finishes.filter((finish) => finish !== null)).toHaveLength(1);
      expect(finishes.at(-1)).not.toBeNull();
    },
  );

  test.each(['text-basic', 'text-long', 'unicode', 'empty-answer', 'json-object'] as const)(
    '[CS-05] the text of %s arrives in chunks with index 0 that join to the whole',
    async (scenario) => {
      const reply = await stream(`scenario=${scenario}`);
      expect(reply.chunks.every(({ choices }) => choices.every(({ index }) => index === 0))).toBe(true);
      const whole = await answerOf(stand, asking(road, `scenario=${scenario}`));
      expect(assemble(reply.chunks).content).toBe(whole.message.content);
    },
  );

  test.each(['reasoning', 'reasoning-field', 'reasoning-both-fields'] as const)(
    '[CS-06] the reasoning of %s comes under both names and before the content',
    async (scenario) => {
      const { chunks } = await stream(`scenario=${scenario}`);
      const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
      const thinking = deltas.filter(({ reasoning }) => reasoning !== undefined);
      expect(thinking.length).toBeGreaterThan(3);
      expect(deltas.every((delta) => delta.reasoning === delta.reasoning_content)).toBe(true);
      expect(thinking.map(({ reasoning }) => reasoning).join('')).toMatch(/^The question is simple\..*first\.$/);
      const lastThought = deltas.findLastIndex(({ reasoning }) => reasoning !== undefined);
      const firstWord = deltas.findIndex(({ content }) => content != null && content !== '');
      expect(lastThought).toBeLessThan(firstWord);
    },
  );

  test('[CS-06] reasoning.exclude removes all reasoning from the stream', async () => {
    const body = { ...asking(road, 'scenario=reasoning', { reasoning: { exclude: true } }), model: road.thinker };
    const reply = await streamChat(stand, body);
    expect(reply.text).not.toContain('reasoning');
    expect(assemble(reply.chunks)).toMatchObject({
      content: 'The first option is the better one.',
      finishes: ['stop'],
    });
  });

  test.each([
    'tool-single',
    'tools-parallel',
    'tools-parallel-interleaved',
    'tools-with-text',
    'tools-index-zero',
    'tool-late-name',
    'tool-id-repeated',
    'tools-same-id',
  ] as const)('[CS-07] %s: the first fragment is complete, later ones bring arguments only', async (scenario) => {
    const seen = new Set<number>();
    const ids = new Set<unknown>();
    for (const fragment of fragmentsOf(await stream(`scenario=${scenario}`))) {
      const index = fragment.index ?? -1;
      if (seen.has(index)) {
        expect(Object.keys(fragment).sort()).toEqual(['function', 'index']);
        expect(Object.keys(fragment.function ?? {})).toEqual(['arguments']);
        continue;
      }
      expect(fragment).toEqual({
        index: seen.size,
        id: expect.stringMatching(/./),
        type: 'function',
        function: { name: expect.stringMatching(/./), arguments: '' },
      });
      seen.add(index);
      ids.add(fragment.id);
    }
    expect(seen.size).toBeGreaterThan(0);
    expect(ids.size).toBe(seen.size);
  });

  test.each([
    ['tools-parallel', 3],
    ['tools-parallel-interleaved', 3],
    ['tools-index-zero', 2],
    ['tools-index-missing', 2],
  ] as const)('[CS-08] %s keeps its %d calls apart by index', async (scenario, count) => {
    const { calls } = assemble((await stream(`scenario=${scenario}`)).chunks);
    expect(calls).toHaveLength(count);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(count);
    for (const call of calls) expect(JSON.parse(call.arguments)).toBeTypeOf('object');
  });

  test.each<[ScenarioName, number]>([
    ['cached-usage', 100],
    ['usage-finish-and-alone', 100],
    ['usage-every-chunk', 100],
    ['usage-in-choice', 100],
  ])(
    '[CS-10] %s: a chunk of usage alone comes between the finish reason and [DONE], only if requested',
    async (scenario, promptTokens) => {
      for (const asked of [{ stream_options: { include_usage: true } }, { usage: { include: true } }]) {
        const { chunks, frames } = await stream(`scenario=${scenario}`, asked);
        expect(frames.at(-1)).toBe('[DONE]');
        expect(chunks.at(-1)?.choices).toEqual([]);
        expect(chunks.at(-1)?.usage?.prompt_tokens).toBe(promptTokens);
        expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
        expect(chunks.slice(0, -1).every(({ usage }) => usage === undefined || usage === null)).toBe(true);
      }
      const unasked = await stream(`scenario=${scenario}`);
      expect(unasked.chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
      expect(unasked.text).not.toContain('prompt_tokens');
    },
  );

  test.each([{}, { stream_options: { include_usage: false } }, { usage: { include: false } }])(
    '[CS-11] with %o there is no usage chunk, and the upstream’s usage is still charged',
    async (extra) => {
      const reply = await stream('scenario=cached-usage', extra);
      expect(reply.text).not.toContain('prompt_tokens');
      expect(reply.chunks.every(({ choices }) => choices.length === 1)).toBe(true);
      expect(stand.records.at(-1)?.reading).toMatchObject({
        reported: true,
        usage: { prompt: 60, inputCacheRead: 40, completion: 15, internalReasoning: 5 },
      });
      const { usage = {}, estimated } = stand.records.at(-1)?.bill ?? {};
      expect(stand.simulator.truth.last()?.billed).toMatchObject({
        prompt: inputTokens(usage),
        completion: outputTokens(usage),
      });
      expect([inputTokens(usage), outputTokens(usage), estimated]).toEqual([100, 20, false]);
    },
  );

  test('[CS-12] log probabilities come with the content chunks', async () => {
    const { chunks } = await stream('scenario=logprobs', { logprobs: true, top_logprobs: 2 });
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const tokens = choices.flatMap(({ logprobs }) => logprobs?.content ?? []);
    expect(tokens.map(({ token }) => token).join('')).toBe(assemble(chunks).content);
    for (const { delta, logprobs } of choices) {
      if (delta.content == null || delta.content === '') continue;
      expect(logprobs?.content?.map(({ token }) => token).join('')).toBe(delta.content);
      expect(logprobs?.content?.every((token) => token.top_logprobs.length === 2)).toBe(true);
    }
    const unasked = await stream('scenario=logprobs');
    expect(unasked.chunks.every(({ choices: [choice] }) => (choice?.logprobs ?? null) === null)).toBe(true);
  });

  test('[CS-16] an answer cut inside tool call arguments finishes with length, not tool_calls', async () => {
    const folded = assemble((await stream('scenario=length-mid-arguments')).chunks);
    expect(folded.finishes).toEqual(['length']);
    expect(() => JSON.parse(folded.calls[0]?.arguments ?? '')).toThrow();
    expect(assemble((await stream('scenario=tools-finish-stop')).chunks).finishes).toEqual(['tool_calls']);
  });
});
