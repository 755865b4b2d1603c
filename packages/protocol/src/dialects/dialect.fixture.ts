/** Shared test setup for all dialects: a target, response options, and a state machine run to its end. */
import type { FaultKind } from '../canonical/fault.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { ImageCall } from '../canonical/image.ts';
import type { SealOwner } from '../canonical/sealed.ts';
import type { Machine } from '../stream/machine.ts';
import type { ModelFacts, ResponseOptions, TargetFacts } from './dialect.ts';

/** A model that supports everything except reasoning. */
export const modelFacts = (more: Partial<ModelFacts> = {}): ModelFacts => ({
  maxOutputTokens: undefined,
  temperature: true,
  tools: true,
  structuredOutput: true,
  thinking: { kind: 'none', canDisable: true, levels: [] },
  ...more,
});

export const targetFacts = (sealOwner: SealOwner, quirks: object, model: Partial<ModelFacts> = {}): TargetFacts => ({
  upstreamModel: 'up',
  model: modelFacts(model),
  quirks,
  sealOwner,
});

export const imageCall = (own: Partial<ImageCall> = {}): ImageCall => ({
  operation: 'image',
  model: 'owner/model',
  stream: false,
  prompt: 'a cat',
  references: [],
  count: 1,
  extras: {},
  ...own,
});

export const NO_OPTIONS: ResponseOptions = {
  usageInStream: false,
  withCost: false,
  hideReasoning: false,
  logprobs: false,
};
export const USAGE_WANTED: ResponseOptions = { ...NO_OPTIONS, usageInStream: true };

export const runToEnd = <In, Out>(
  machine: Pick<Machine<In, Out>, 'push' | 'end'>,
  items: readonly NoInfer<In>[],
): Out[] => [...items.flatMap((item) => machine.push(item)), ...machine.end()];

/** The field that a fault of these kinds names; undefined if there was none. */
export const fieldOf = (work: () => unknown, kinds: readonly FaultKind[] = ['malformed']): string | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError && kinds.includes(error.fault.kind)) return error.fault.field ?? '(body)';
    throw error;
  }
  return undefined;
};
