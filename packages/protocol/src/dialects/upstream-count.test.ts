// Requests to a cloud's token-count path, which differs from the vendors' own.
import { describe, expect, test } from 'vitest';
import { textCall } from '../canonical/call.fixture.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { messagesQuirks } from './anthropic-messages/quirks.ts';
import { targetFacts } from './dialect.fixture.ts';
import { googleGenerate } from './google-generate/index.ts';
import { generateQuirks } from './google-generate/quirks.ts';

const owner = { dialect: 'google-generate', family: 'f', scope: 's' } as const;
const CALL = textCall({
  system: [{ kind: 'text', text: 'Be brief.' }],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello' }] }],
});

describe('at a cloud', () => {
  test('the members of a generate content call are sent next to each other, not inside one member', () => {
    const whole = googleGenerate.client.count?.encode(CALL, targetFacts(owner, generateQuirks({})));
    expect(Object.keys(whole ?? {})).toEqual(['generateContentRequest']);
    const cloud = googleGenerate.client.count?.encode(
      CALL,
      targetFacts(owner, generateQuirks({ countsWholeCall: false })),
    );
    expect(cloud).toMatchObject({
      contents: [{ role: 'user' }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
    });
    expect(Object.keys(cloud ?? {})).not.toContain('safetySettings');
  });
  test('the model of a message is in the body, because the path does not name it', () => {
    const cloud = messagesQuirks({ bodyVersion: 'vertex-2023-10-16' });
    const facts = targetFacts({ ...owner, dialect: 'anthropic-messages' }, cloud);
    const body = anthropicMessages.client.count?.encode(CALL, facts);
    expect(body).toMatchObject({ model: facts.upstreamModel, messages: [{ role: 'user' }] });
    expect(Object.keys(body ?? {})).not.toContain('anthropic_version');
  });
});
