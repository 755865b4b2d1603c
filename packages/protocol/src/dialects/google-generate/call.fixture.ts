/** Canonical calls for a generateContent upstream, and the upstream they are encoded for. */
import { textCall } from '../../canonical/call.fixture.ts';
import type { TextCall } from '../../canonical/call.ts';
import type { Block, Turn } from '../../canonical/content.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { googleGenerate } from './index.ts';
import { type GenerateQuirks, generateQuirks } from './quirks.ts';

/** A model of the newest generation. */
export const target = (model: Partial<TargetFacts['model']> = {}, quirks: Partial<GenerateQuirks> = {}): TargetFacts =>
  targetFacts({ dialect: 'google-generate', family: 'gemini', scope: 's' }, generateQuirks(quirks), {
    maxOutputTokens: 1000,
    thinking: { kind: 'level', canDisable: false, levels: ['low', 'medium', 'high'] },
    ...model,
  });
/** A model of an older generation. */
export const older = (): TargetFacts => target({ thinking: { kind: 'budget', canDisable: true, levels: [] } });

export const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks });
export const assistant = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks });
export const text = (words: string): Block => ({ kind: 'text', text: words });

export const call = (turns: readonly Turn[], more: Partial<TextCall> = {}): TextCall => textCall({ turns, ...more });
export const encode = (given: TextCall, facts = target()): EncodedCall =>
  googleGenerate.client.encodeCall(given, facts);
export const contents = (turns: readonly Turn[], facts = target()): JsonObject[] =>
  encode(call(turns), facts).body['contents'] as unknown as JsonObject[];
/** One question with these settings. */
export const asked = (more: Partial<TextCall>, facts = target()): EncodedCall =>
  encode(call([user(text('q'))], more), facts);
