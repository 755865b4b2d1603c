/** A minimal call for tests that vary one field. */
import type { TextCall } from './call.ts';

export const textCall = (more: Partial<TextCall> = {}): TextCall => ({
  operation: 'text',
  model: 'm',
  stream: false,
  system: [],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'hi' }] }],
  tools: [],
  sampling: {},
  usageWanted: { inStream: false, withCost: false },
  extras: {},
  ...more,
});
