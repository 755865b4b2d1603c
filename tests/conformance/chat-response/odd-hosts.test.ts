// CR: host replies outside the simulator's scenarios: several choices, unrequested log probabilities, signed reasoning.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CANNED_LANES, openCannedStand } from '../../support/canned-stand.ts';
import { type CannedStand, plainAnswer } from '../../support/canned-upstream.ts';
import { answerOf } from '../../support/chat-answer.ts';
import { asking } from '../../support/lanes.ts';
import { postChat } from '../../support/stand.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openCannedStand();
});
afterAll(() => stand.close());

const completion = (message: object, choice: object = {}, more: object = {}): object => ({
  id: 'up-1',
  object: 'chat.completion',
  created: 1,
  model: 'any',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', ...message }, finish_reason: 'stop', ...choice }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  ...more,
});

const token = (text: string, logprob: number, bytes: number[] | null) => ({
  token: text,
  logprob,
  bytes,
  top_logprobs: [{ token: text, logprob, bytes }],
});

describe.each(CANNED_LANES)('$lane lane', (road) => {
  const answer = (body: object | string, extra: object = {}) => {
    stand.say(plainAnswer(body));
    return answerOf(stand, asking(road, '', extra));
  };

  test('[CR-01] fields that a host omits or names differently are corrected', async () => {
    const { body } = await answer({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
    expect(stand.records.at(-1)?.lane).toBe(road.lane);
    expect(body.object).toBe('chat.completion');
    expect(body.id).toMatch(/^chatcmpl-/);
    expect(body.created).toBeGreaterThan(1_700_000_000);
    expect(body.model).toBe(road.model);
    expect(body.system_fingerprint).toBeNull();
  });

  test('[CR-02] only the first of several choices is returned, with index 0', async () => {
    const said = (content: string, index: number) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    });
    const { body } = await answer(completion({}, {}, { choices: [said('first', 0), said('second', 1)] }));
    expect(body.choices).toHaveLength(1);
    expect(body.choices[0]).toMatchObject({ index: 0, message: { content: 'first' } });
    const shifted = await answer(completion({}, { index: 7 }));
    expect(shifted.choice.index).toBe(0);
  });

  test.each([
    ['CR-03', 'eos', 'stop'],
    ['CR-03', 'end', 'stop'],
    ['CR-04', 'max_tokens', 'length'],
    ['CR-05', 'sensitive', 'content_filter'],
  ])('[%s] partly: a host’s finish reason %s becomes %s', async (_rule, word, finish) => {
    expect((await answer(completion({}, { finish_reason: word }))).choice.finish_reason).toBe(finish);
  });

  test('[CR-07] finish reason function_call passes unchanged on the verbatim lane and is never sent on the translated one', async () => {
    const { choice } = await answer(
      completion({ content: null, function_call: { name: 'f', arguments: '{}' } }, { finish_reason: 'function_call' }),
    );
    expect(choice.finish_reason).toBe(road.lane === 'verbatim' ? 'function_call' : 'tool_calls');
  });

  test('[CR-08] log probabilities that were not requested are not returned', async () => {
    const unasked = { logprobs: { content: [token('Hi', -1, [72, 105])], refusal: null } };
    const { choice, message } = await answer(completion({}, unasked));
    expect(choice.logprobs ?? null).toBeNull();
    expect(message.content).toBe('Hi');
    expect((await answer(completion({}, unasked), { logprobs: true })).choice.logprobs?.content).toHaveLength(1);
  });

  test('[CR-09] the bytes of a log probability may be null', async () => {
    const logprobs = { content: [token('Hi', -1, null)], refusal: null };
    const { choice } = await answer(completion({}, { logprobs }), { logprobs: true, top_logprobs: 1 });
    expect(choice.logprobs?.content).toEqual(logprobs.content);
  });

  test('[CR-10] log probabilities of a refusal have the same form', async () => {
    const logprobs = { content: null, refusal: [token('No', -2, [78, 111])] };
    const declined = await answer(completion({ content: null, refusal: 'No' }, { logprobs }), {
      logprobs: true,
      top_logprobs: 1,
    });
    expect(declined.choice.logprobs?.refusal).toEqual(logprobs.refusal);
    expect(declined.choice.logprobs?.content ?? []).toEqual([]);
    const said = { content: [token('Hi', -1, null)], refusal: null };
    expect((await answer(completion({}, { logprobs: said }), { logprobs: true })).choice.logprobs?.refusal).toBeNull();
  });

  test('[CR-13] content is null or text, never absent', async () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const { message } = await answer({
      choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }],
    });
    expect(message.role).toBe('assistant');
    expect(message.content).toBeNull();
  });

  test('[CR-14] refusal is null when the host omits it', async () => {
    const { message } = await answer(completion({}));
    expect(message.refusal).toBeNull();
  });

  test('[CR-15] tool calls without id or type are completed, and an empty list is omitted', async () => {
    const { message } = await answer(completion({ tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }));
    expect(message.tool_calls).toEqual([
      { id: expect.stringMatching(/./), type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    ]);
    expect((await answer(completion({ tool_calls: [] }))).message).not.toHaveProperty('tool_calls');
  });

  test('[CR-17] signed reasoning is returned so that the caller can send it back', async () => {
    const details = [{ type: 'reasoning.text', text: 'Because.', signature: 'c2lnbmVk', format: 'unknown', index: 0 }];
    const { message } = await answer(completion({ reasoning: 'Because.', reasoning_details: details }));
    // The host's own signature on the verbatim lane, else an envelope that names the host.
    const signature = road.lane === 'verbatim' ? 'c2lnbmVk' : expect.stringMatching(/^VFJWM/);
    expect(message.reasoning_details).toEqual([expect.objectContaining({ text: 'Because.', signature })]);
    const back = await postChat(stand, {
      model: road.model,
      messages: [{ role: 'user', ...road.user, content: 'Why?' }, message, { role: 'user', content: 'And?' }],
    });
    expect(back.status).toBe(200);
  });

  test('[CR-18] partly: reasoning.exclude removes the details as well', async () => {
    const details = [{ type: 'reasoning.text', text: 'Because.', signature: 's', format: 'unknown', index: 0 }];
    const body = completion({ reasoning: 'Because.', reasoning_content: 'Because.', reasoning_details: details });
    const hidden = await answer(body, { reasoning: { exclude: true } });
    expect(Object.keys(hidden.message).filter((name) => name.startsWith('reasoning'))).toEqual([]);
    expect((await answer(body)).message.reasoning_details).toHaveLength(1);
  });

  test('[CR-19] usage that a host does not report is not charged', async () => {
    await answer({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
    expect(stand.records.at(-1)?.reading).toMatchObject({ usage: {}, reported: false });
  });

  test.each([
    ['no choices', { choices: [] }],
    ['no message', { choices: [{ finish_reason: 'stop' }] }],
    ['nothing said and no reason to stop', { choices: [{ message: { content: null }, finish_reason: null }] }],
    ['a failure as the reason', { choices: [{ message: { content: 'Hi' }, finish_reason: 'error' }] }],
    ['half a body', '{"choices":[{"message":{"content":"H'],
    ['a list', '[]'],
  ])('an answer with %s is an error, not a success', async (_what, body) => {
    stand.say(plainAnswer(body));
    const reply = await postChat(stand, asking(road, ''));
    expect(reply.status).toBe(502);
    expect(reply.json['error']).toMatchObject({ type: 'server_error', code: 'upstream_error' });
  });

  test('a whole answer without a finish reason has finish reason stop (D12)', async () => {
    stand.say(plainAnswer({ choices: [{ message: { content: 'Hi' }, finish_reason: null }] }));
    const reply = await postChat(stand, asking(road, ''));
    expect(reply.status).toBe(200);
    expect(reply.json['choices']).toMatchObject([{ message: { content: 'Hi' }, finish_reason: 'stop' }]);
  });
});
