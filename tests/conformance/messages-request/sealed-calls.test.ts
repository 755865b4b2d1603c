/** Signatures of other makers' calls, as clients of this protocol really send them back: moved, and with defaults added. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  assistant,
  type Json,
  lossless,
  messagesHosts,
  recordOf,
  served,
  simulate,
  user,
} from '../../support/messages-probe.ts';
import { streamMessages } from '../../support/messages-stream.ts';
import { openStand, type Stand } from '../../support/stand.ts';

/** Of the generation that requires signatures of calls. */
const GEMINI_3 = 'google/gemini-3.5-flash';
/** Says that there is no signature. */
const NONE = 'skip_thought_signature_validator';
const TOOLS = ['weather', 'clock'].map((name) => ({
  name,
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}));

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: messagesHosts });
});
afterAll(() => stand.close());

type Block = Json & { readonly type: string };
const first = simulate('scenario=tools-with-text');
const body = (messages: readonly unknown[]): Json => ask({ model: GEMINI_3, tools: TOOLS, max_tokens: 2000, messages });
const contentOf = async (): Promise<Block[]> => (await served(stand, body([first]))).content as Block[];
const resultsFor = (content: readonly Block[]): Json =>
  user(
    ...content.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block['id'], content: '21 degrees' }] : [],
    ),
  );
const next = (content: readonly Block[]): Json => body([first, assistant(...content), resultsFor(content)]);
const typesOf = (content: readonly Block[]): string[] => content.map(({ type }) => type);
const of = (content: readonly Block[], wanted: string): Block[] => content.filter(({ type }) => type === wanted);
type Part = { readonly functionCall?: unknown; readonly text?: string; readonly thoughtSignature?: string };
const partsSent = (sent: Json): readonly Part[] =>
  (sent['contents'] as readonly { role: string; parts: readonly Part[] }[]).find(({ role }) => role === 'model')!.parts;

describe('the seal of a call', () => {
  test('stands before its call, in whole answers and in streams', async () => {
    const expected = ['text', 'redacted_thinking', 'tool_use', 'tool_use'];
    expect(typesOf(await contentOf())).toEqual(expected);
    const { events } = await streamMessages(stand, body([first]));
    const starts = events.filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ content_block: block }) => (block as Block).type)).toEqual(expected);
  });

  test.each<[string, (content: Block[]) => Block[]]>([
    ['as they came', (content) => content],
    ['calls last', (content) => [...content.filter(({ type }) => type !== 'tool_use'), ...of(content, 'tool_use')]],
    [
      'seals last',
      (content) => [...content.filter(({ type }) => type === 'tool_use'), ...of(content, 'redacted_thinking')],
    ],
    [
      'calls the other way round',
      (content) => [...of(content, 'redacted_thinking'), ...of(content, 'tool_use').reverse()],
    ],
  ])('reaches that call again, blocks %s', async (_label, moved) => {
    const content = await contentOf();
    const { sent } = await lossless(stand, next(moved(content)));
    const signed = partsSent(sent).filter(({ thoughtSignature = NONE }) => thoughtSignature !== NONE);
    expect(signed).toHaveLength(1);
    const { name } = of(content, 'tool_use')[0] as { name?: string };
    expect(signed[0]).toMatchObject({ functionCall: { name }, thoughtSignature: expect.any(String) });
  });

  test('is lost alone if the client changed its call, and the request is sent once', async () => {
    const content = await contentOf();
    const changed = of(content, 'tool_use')[0];
    const edited = content.map((block) =>
      block === changed ? { ...block, input: { ...(block['input'] as Json), replace_all: false } } : block,
    );
    const earlier = [first, assistant(...content), resultsFor(content)];
    const again = body([...earlier, first, assistant(...edited), resultsFor(edited)]);
    const { sent, reply, losses } = await served(stand, again);
    expect(losses).toEqual(['messages.4.content.1.data']);
    const turns = (sent['contents'] as readonly { role: string; parts: readonly Part[] }[]).filter(
      ({ role }) => role === 'model',
    );
    const signatures = turns.map(({ parts }) => parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []));
    expect(signatures[0]).toEqual([expect.not.stringContaining(NONE)]);
    expect(signatures[1]).toEqual([NONE]);
    expect((await recordOf(stand, reply)).attempts).toHaveLength(1);
  });
});
