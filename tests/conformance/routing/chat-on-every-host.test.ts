/** Rules whose tests once asked hosts of one or two formats, at a host of each: wishes that every format writes in its own way. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as chat from '../../support/chat-probe.ts';
import { EVERY_DESTINATION, withConverse } from '../../support/converse-host.ts';
import * as generate from '../../support/generate-probe.ts';
import { responsesHosts } from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

type Json = Record<string, unknown>;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: withConverse(responsesHosts) });
});
afterAll(() => stand.close());

const CONVERSE = ['inferenceConfig', 'additionalModelRequestFields'];
/** The member of this name, wherever the format has it. */
const memberOf = (sent: unknown, ...names: readonly string[]): unknown => {
  if (typeof sent !== 'object' || sent === null) return undefined;
  for (const name of names) if (Object.hasOwn(sent, name)) return (sent as Json)[name];
  for (const group of [
    'generationConfig',
    'output_config',
    'text',
    'thinking',
    'thinkingConfig',
    'reasoning',
    ...CONVERSE,
  ])
    if (Object.hasOwn(sent, group)) {
      const found = memberOf((sent as Json)[group], ...names);
      if (found !== undefined) return found;
    }
  return undefined;
};
const CAPS = ['max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens', 'max_tokens'] as const;
const SAMPLING = /temperature|top_?p|top_?k|seed|penalty|stop/i;

describe.each(EVERY_DESTINATION)('chat at $dialect', ({ dialect, model, thinker }) => {
  const highest = dialect === 'anthropic-messages' || dialect === 'amazon-converse' ? 1 : 2;

  test('[C-06] a temperature is forwarded, and lowered with a loss above what the target takes', async () => {
    for (const temperature of [0, highest])
      expect(memberOf((await chat.lossless(stand, chat.ask({ model, temperature }))).sent, 'temperature')).toBe(
        temperature,
      );
    const { sent } = await chat.lossy(stand, chat.ask({ model, temperature: 3.5 }), 'temperature');
    expect(memberOf(sent, 'temperature')).toBe(highest);
    await chat.refused(stand, chat.ask({ model, temperature: '1' }), 'temperature');
  });

  test('[C-21] tool_choice none, auto and required are obeyed', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
    const callsOf = async (tool_choice: string): Promise<number> => {
      const { reply } = await chat.lossless(stand, chat.ask({ model, tools, tool_choice }));
      const [choice] = reply.json['choices'] as { message: { tool_calls?: unknown[] } }[];
      return choice?.message.tool_calls?.length ?? 0;
    };
    expect([await callsOf('none'), await callsOf('auto'), await callsOf('required')]).toEqual([0, 0, 1]);
    await chat.refused(stand, chat.ask({ model, tools, tool_choice: 'any' }), 'tool_choice');
  });

  test('[C-43] reasoning.enabled switches thinking on and off, or the loss says that it cannot', async () => {
    const on = await chat.served(stand, chat.ask({ model: thinker, reasoning: { enabled: true } }));
    expect(on.losses).toEqual([]);
    expect(on.sentText).toMatch(/reasoning_effort|"reasoning":|budget|thinkingConfig/i);
    const off = await chat.served(stand, chat.ask({ model: thinker, reasoning: { enabled: false } }));
    const isOff = /"disabled"|"thinkingBudget":0|"none"/.test(off.sentText) || !/reason|thinking/i.test(off.sentText);
    expect(isOff || off.losses.includes('reasoning.enabled')).toBe(true);
    await chat.refused(stand, chat.ask({ model: thinker, reasoning: { enabled: 'x' } }), 'reasoning.enabled');
  });

  test('[C-45] reasoning.max_tokens is the budget, or the nearest effort with a loss', async () => {
    const body = chat.ask({ model: thinker, reasoning: { max_tokens: 2000 }, max_completion_tokens: 4000 });
    const { sent, losses } = await chat.served(stand, body);
    const budget = memberOf(sent, 'budget_tokens', 'thinkingBudget');
    if (budget === undefined) expect(losses).toEqual(['reasoning.max_tokens']);
    else expect([budget, losses]).toEqual([2000, []]);
    if (budget === undefined) expect(memberOf(sent, 'reasoning_effort', 'effort')).toBe('low');
    for (const max_tokens of ['x', 0])
      await chat.refused(stand, chat.ask({ model: thinker, reasoning: { max_tokens } }), 'reasoning.max_tokens');
  });

  test('[C-52] max_tokens is an alias, and loses with a loss beside max_completion_tokens', async () => {
    expect(memberOf((await chat.lossless(stand, chat.ask({ model, max_tokens: 50 }))).sent, ...CAPS)).toBe(50);
    const both = chat.ask({ model, max_tokens: 50, max_completion_tokens: 60 });
    expect(memberOf((await chat.lossy(stand, both, 'max_tokens')).sent, ...CAPS)).toBe(60);
  });
});

describe.each(EVERY_DESTINATION)('generate content at $dialect', ({ model, thinker }) => {
  test('[G-40] without a temperature none is sent, nor any other wish; a given one is', async () => {
    expect((await generate.lossless(stand, generate.ask(), { model })).sentText).not.toMatch(SAMPLING);
    const { sent } = await generate.lossless(stand, generate.config({ temperature: 0.3 }), { model });
    expect(memberOf(sent, 'temperature')).toBe(0.3);
  });

  test('[G-53] each response format is accepted, others are refused', async () => {
    const words = { type: 'STRING', enum: ['red', 'blue'] };
    await generate.served(stand, generate.config({ responseMimeType: 'text/plain' }), { model });
    const asksJson = { contents: [generate.user(generate.text('A city as JSON'))] };
    const json = { ...asksJson, generationConfig: { responseMimeType: 'application/json' } };
    const { said, losses } = await generate.served(stand, json, { model });
    if (losses.length === 0) expect(JSON.parse(said)).toEqual(expect.any(Object));
    else expect(losses).toEqual(['generationConfig.responseMimeType']);
    const one = generate.config({ responseMimeType: 'text/x.enum', responseSchema: words });
    expect((await generate.served(stand, one, { model })).said).toMatch(/\S/);
    const html = generate.config({ responseMimeType: 'text/html' });
    await generate.refused(stand, html, 'generationConfig.responseMimeType', { model });
  });

  test('[GR-13] thoughts are returned only when requested', async () => {
    const thoughtsWith = async (includeThoughts: boolean | undefined): Promise<number> => {
      const thinkingConfig = { thinkingBudget: 2048, ...(includeThoughts !== undefined && { includeThoughts }) };
      const body = generate.play('scenario=reasoning', { generationConfig: { maxOutputTokens: 4096, thinkingConfig } });
      const { candidate, said } = await generate.served(stand, body, { model: thinker });
      expect(said).not.toBe('');
      return candidate.content.parts.filter(({ thought }) => thought === true).length;
    };
    expect(await thoughtsWith(true)).toBeGreaterThan(0);
    expect([await thoughtsWith(false), await thoughtsWith(undefined)]).toEqual([0, 0]);
  });
});
