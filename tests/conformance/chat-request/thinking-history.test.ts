/** Reasoning of earlier turns: accepted in every form, and sent only to a host that can use it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import {
  ask,
  COMPATIBLE_THINKER,
  type Json,
  lossless,
  lossy,
  OPENAI,
  refused,
  served,
  talk,
  user,
} from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: peculiarHosts });
});
afterAll(() => stand.close());

const DETAIL = { type: 'reasoning.text', text: 'Let me see.', signature: 'c2ln/+==', format: 'unknown', index: 0 };
const thought = (members: Json): Json => ({ role: 'assistant', content: 'x', ...members });
const following = (message: Json): Json[] => [user('a'), message, user('b')];

describe('reasoning in history', () => {
  test.each([
    ['reasoning', { reasoning: 'Hm.' }],
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['details', { reasoning_details: [DETAIL] }],
    ['no details', { reasoning_details: [] }],
    ['nulls', { reasoning: null, reasoning_content: null, reasoning_details: null }],
    [
      'a detail of nulls',
      { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: null, format: null, index: null }] },
    ],
  ])('[C-78] %s in history is accepted, also for hosts that do not reason', async (_case, members) => {
    await served(stand, ask({ model: COMPATIBLE_THINKER, messages: following(thought(members)) }));
    const { sent } = await served(stand, talk(...following(thought(members))));
    expect(sent['messages']).toEqual(following(thought({})));
  });

  test.each([
    ['reasoning as a number', { reasoning: 5 }, 'reasoning'],
    ['details as a text', { reasoning_details: 'x' }, 'reasoning_details'],
    ['a detail that is a text', { reasoning_details: ['x'] }, 'reasoning_details[0]'],
    ['a detail without type', { reasoning_details: [{ text: 'x' }] }, 'reasoning_details[0].type'],
    ['an index as text', { reasoning_details: [{ ...DETAIL, index: '0' }] }, 'reasoning_details[0].index'],
    ['a text as number', { reasoning_details: [DETAIL, { ...DETAIL, text: 5 }] }, 'reasoning_details[1].text'],
    ['a signature as number', { reasoning_details: [{ ...DETAIL, signature: 5 }] }, 'reasoning_details[0].signature'],
    ['a format as number', { reasoning_details: [{ ...DETAIL, format: 5 }] }, 'reasoning_details[0].format'],
  ])('[C-78] %s in history is refused', (_case, members, place) =>
    refused(stand, talk(...following(thought(members))), `messages[1].${place}`),
  );

  test('[C-78] earlier reasoning is dropped for a host that refuses it, and the loss is reported', async () => {
    const { sent } = await lossy(
      stand,
      ask({ model: modelAt('forgetful-host'), messages: following(thought({ reasoning: 'Hm.' })) }),
      'messages.reasoning',
    );
    expect(sent['messages']).toEqual(following(thought({})));
    await lossy(
      stand,
      ask({ model: OPENAI, messages: following(thought({ reasoning: 'Hm.' })) }),
      'messages.reasoning',
    );
  });
});

describe('sealed reasoning', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const turns = (details: readonly Json[]): Json[] => [
    user('a'),
    { role: 'assistant', content: null, reasoning_details: details, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ];

  test('[C-79] sealed reasoning returns to its issuer unchanged', async () => {
    const details = [DETAIL, { type: 'reasoning.encrypted', data: 'b3BhcXVl', format: 'unknown', index: 1, id: 'r_1' }];
    const { sent } = await lossless(stand, ask({ model: modelAt('detail-host'), messages: turns(details) }));
    expect(sent['messages']).toEqual(turns(details));
  });

  test('[C-79] sealed reasoning returns unchanged in a rebuilt request', async () => {
    const { sent } = await lossless(
      stand,
      ask({ model: modelAt('detail-host'), messages: [{ role: 'developer', content: 'x' }, ...turns([DETAIL])] }),
    );
    expect((sent['messages'] as Json[])[2]).toMatchObject({ reasoning_details: [DETAIL] });
  });

  test.each(['anthropic-claude-v1', 'google-gemini-v1', 'openai-responses-v1', 'unknown'])(
    '[C-79] sealed reasoning is not sent to a host that cannot have issued it (%s), and reported as a loss',
    async (format) => {
      const body = ask({ model: COMPATIBLE_THINKER, messages: turns([{ ...DETAIL, format }]) });
      const { sent, sentText } = await lossy(stand, body, 'messages.reasoning_details.signature');
      expect(sentText).not.toContain(DETAIL.signature);
      expect((sent['messages'] as Json[])[1]).toMatchObject({ reasoning_content: DETAIL.text, tool_calls: [call] });
    },
  );
});
