/** R: reasoning items, their seals, and their return to the issuing upstream. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  BARE_REASONING,
  CHAT,
  CHAT_THINKER,
  GOOGLE,
  inputText,
  type Json,
  lossy,
  MESSAGES,
  OTHER_MAKER,
  type OutputItem,
  OWN,
  OWN_THINKER,
  ofType,
  partsOf,
  play,
  responsesHosts,
  served,
  typesOf,
  user,
  WEATHER,
} from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  // Without the gateway's own seal store, only what the caller sends back counts.
  const config = () => ({ seals: { memory: { maxEntries: 0 } } });
  stand = await openStand({ alsoHosts: responsesHosts, config });
});
afterAll(() => stand.close());

const SEALED = 'reasoning.encrypted_content';
const THINK = { reasoning: { effort: 'low', summary: 'auto' }, tools: [WEATHER] };
const QUESTION = 'Where do three roads meet? @simulate scenario=reasoning-tools';
/** Runs one step of a tool loop, and returns the input of the next. */
async function loop(model: string): Promise<{ output: readonly OutputItem[]; next: Json[] }> {
  const { output } = await served(stand, ask({ model, input: QUESTION, ...THINK }));
  const results = ofType(output, 'function_call').map(({ call_id }) => ({
    type: 'function_call_output',
    call_id,
    output: '21 degrees',
  }));
  return { output, next: [{ role: 'user', content: QUESTION }, ...output, ...results] };
}
const sealOf = (item: Json | undefined): string => String(item?.['encrypted_content']);

describe('include', () => {
  test.each<[Json]>([[{}], [{ include: [SEALED] }], [{ include: [SEALED, SEALED] }], [{ include: [] }]])(
    '[R-31] encrypted reasoning is requested once from a reasoning model: %j',
    async (members) => {
      for (const input of ['Hello', [BARE_REASONING, user(inputText('Hello'))]]) {
        const { sent } = await served(stand, ask({ model: OWN_THINKER, input, ...members }));
        expect(sent['include']).toEqual([SEALED]);
        expect((await served(stand, ask({ model: OWN, input, ...members }))).sent).not.toHaveProperty('include');
      }
    },
  );
  test('[R-31] other values of include are kept beside encrypted reasoning', async () => {
    const sources = 'web_search_call.action.sources';
    const { sent } = await served(stand, ask({ model: OWN_THINKER, include: [sources] }));
    expect(sent['include']).toEqual([sources, SEALED]);
  });
});

describe('seals', () => {
  test('[R-32] OpenAI’s seals are returned raw, with their own id; those of other upstreams in an envelope', async () => {
    const home = (await loop(OWN_THINKER)).output;
    const other = (await loop(OTHER_MAKER)).output;
    expect(home[0]).toMatchObject({ type: 'reasoning', id: expect.stringMatching(/^rs_\d+x/) });
    const envelopes = [other, (await loop(MESSAGES)).output, (await loop(GOOGLE)).output].map((output) =>
      sealOf(ofType(output, 'reasoning').find((item) => typeof item['encrypted_content'] === 'string')),
    );
    const mark = envelopes[0]?.slice(0, 4);
    expect(mark).toMatch(/\S{4}/);
    for (const envelope of envelopes) expect(envelope.slice(0, 4)).toBe(mark);
    expect(sealOf(home[0]).slice(0, 4)).not.toBe(mark);
  });
  test.each([OWN_THINKER, OTHER_MAKER])(
    '[R-33] reasoning of %s returns to it byte for byte, in its place',
    async (model) => {
      const { output, next } = await loop(model);
      expect(typesOf(output).slice(0, 2)).toEqual(['reasoning', 'function_call']);
      const { sent, said, losses } = await served(stand, ask({ model, input: next, ...THINK }));
      expect(losses).toEqual([]);
      const input = sent['input'] as Json[];
      const order = input.map(({ type }) => type ?? 'message').filter((type) => type !== 'message');
      expect(order).toEqual(next.slice(1).map(({ type }) => type));
      expect([...new Set(order)]).toEqual(['reasoning', 'function_call', 'function_call_output']);
      const [thought] = input.filter(({ type }) => type === 'reasoning');
      expect([thought?.['id'], thought?.['summary']]).toEqual([output[0]?.id, output[0]?.['summary']]);
      // The simulator has verified the seal against id and summary; OpenAI's seal is unchanged in the caller's copy, too.
      if (model === OWN_THINKER) expect(thought?.['encrypted_content']).toBe(sealOf(output[0]));
      else expect(thought?.['encrypted_content']).not.toBe(sealOf(output[0]));
      expect(said).toContain('21 degrees');
    },
  );
  test.each([MESSAGES, GOOGLE])('[R-33] reasoning of %s returns to it in its own form', async (model) => {
    const { next } = await loop(model);
    const { said, sentText, losses } = await served(stand, ask({ model, input: next, ...THINK }));
    expect(losses.join()).not.toContain('encrypted_content');
    expect(sentText).toMatch(model === MESSAGES ? /"signature":"[^"]+"/ : /"thoughtSignature":"[^"]+"/);
    expect(said).toContain('21 degrees');
  });
  test.each([
    [OWN_THINKER, MESSAGES],
    [OWN_THINKER, OTHER_MAKER],
    [MESSAGES, OWN_THINKER],
    [OTHER_MAKER, OWN_THINKER],
    [OTHER_MAKER, MESSAGES],
  ])('[R-34] reasoning of %s is not sent to %s', async (maker, model) => {
    const { output, next } = await loop(maker);
    const seal = sealOf(ofType(output, 'reasoning')[0]);
    const first = await served(stand, ask({ model, input: next, ...THINK }));
    expect(first.losses.length).toBeGreaterThan(0);
    expect(first.losses.join()).toMatch(/reasoning|encrypted_content/);
    const { sentText, said } = await lossy(stand, ask({ model, input: next, ...THINK }), first.losses);
    expect(sentText).not.toContain(seal);
    expect(sentText).not.toMatch(/"type":"reasoning"|"signature"/);
    expect(said).toContain('21 degrees');
  });
  test.each([OTHER_MAKER, MESSAGES])('[R-34] reasoning of %s that was tampered with is dropped', async (model) => {
    const { next } = await loop(model);
    const forged = next.map((item) => {
      if (item['type'] !== 'reasoning' || typeof item['encrypted_content'] !== 'string') return item;
      const text = item['encrypted_content'];
      const at = Math.floor(text.length / 2);
      return { ...item, encrypted_content: `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}` };
    });
    const { sentText, losses } = await served(stand, ask({ model, input: forged, ...THINK }));
    expect(losses.join()).toMatch(/encrypted_content/);
    expect(sentText).not.toMatch(/"type":"reasoning"|"signature"/);
  });
  test('[R-34] reasoning without its seal is dropped', async () => {
    const bare = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] };
    const input = [user(inputText('a')), bare, { role: 'assistant', content: 'b' }, user(inputText('c'))];
    for (const model of [OWN_THINKER, MESSAGES]) {
      const { losses } = await served(stand, ask({ model, input }));
      const { sentText } = await lossy(stand, ask({ model, input }), losses);
      expect(losses).toHaveLength(1);
      expect(sentText).not.toMatch(/rs_1|"hm"/);
    }
  });
});

describe('readable reasoning', () => {
  test('[R-35] reasoning text is returned in full, or as a summary where the model makes one or the caller asks for it', async () => {
    const body = play('scenario=reasoning', { model: CHAT_THINKER });
    const [full] = ofType((await served(stand, body)).output, 'reasoning');
    expect(full?.['summary']).toEqual([]);
    expect(partsOf(full)).toEqual([{ type: 'reasoning_text', text: expect.stringMatching(/\S/) }]);
    const [short] = ofType((await served(stand, { ...body, reasoning: { summary: 'auto' } })).output, 'reasoning');
    expect(short?.['summary']).toEqual([{ type: 'summary_text', text: partsOf(full)[0]?.['text'] }]);
    expect(short).not.toHaveProperty('content');
    const [own] = ofType(
      (await served(stand, { ...body, model: OWN_THINKER, reasoning: { summary: 'auto' } })).output,
      'reasoning',
    );
    expect(own?.['summary']).toMatchObject([{ type: 'summary_text' }]);
    expect(typesOf((await served(stand, play('scenario=text-basic', { model: CHAT }))).output)).toEqual(['message']);
  });
});
