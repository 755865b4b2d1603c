/** MS: streams outside the simulator's scenarios; the upstream sends them byte for byte. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CannedStand, streamedAnswer } from '../../support/canned-upstream.ts';
import { CANNED_MESSAGES, message, openMessagesCannedStand } from '../../support/messages-canned.ts';
import { ask } from '../../support/messages-probe.ts';
import { assemble, expectGrammar, streamMessages } from '../../support/messages-stream.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openMessagesCannedStand();
});
afterAll(() => stand.close());

test('[MS-02][MS-04][MS-07] a stream without event names and deltas, with indexes from 1, is corrected', async () => {
  const usage = { input_tokens: 10, output_tokens: 1, service_tier: 'priority' };
  stand.say(
    streamedAnswer([
      { type: 'message_start', message: message([], { stop_reason: null, usage }) },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 5, server_tool_use: { web_search_requests: 1, web_fetch_requests: 2 } },
      },
      { type: 'message_stop' },
    ]),
  );
  const { status, events } = await streamMessages(stand, ask({ model: CANNED_MESSAGES }));
  expect(status).toBe(200);
  expectGrammar(events);
  expect(events[0]?.message?.['usage']).toMatchObject({ input_tokens: 10, output_tokens: 0, service_tier: 'priority' });
  expect(assemble(events)).toMatchObject({
    content: [{ type: 'text', text: '' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      service_tier: 'priority',
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 2 },
    },
  });
});
