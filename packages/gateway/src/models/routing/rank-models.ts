/**
 * Which of several models to try first, from the caller's task type and complexity: the task type decides how input and
 * output prices are weighed, the complexity where in the price order to start. Pure, and documented in
 * docs/call/routing.md.
 */
import type { Complexity, TaskType } from '@trivium/protocol/canonical';
import { byCost } from './by-factor.ts';

export type RankingFacts = {
  readonly promptPicoUsd: bigint | undefined;
  readonly completionPicoUsd: bigint | undefined;
  /** It can reason at one of its hosts. */
  readonly thinks: boolean;
};

/** Weights of input and output tokens: conversations send the history again, an embedding has no output. */
export const TASK_SHARES: Readonly<Record<TaskType, { readonly prompt: bigint; readonly completion: bigint }>> = {
  chat: { prompt: 3n, completion: 1n },
  completion: { prompt: 1n, completion: 1n },
  embedding: { prompt: 1n, completion: 0n },
};

export function taskPrice({ promptPicoUsd, completionPicoUsd }: RankingFacts, task: TaskType): bigint | undefined {
  const { prompt, completion } = TASK_SHARES[task];
  if (promptPicoUsd === undefined) return undefined;
  if (completion === 0n) return prompt * promptPicoUsd;
  return completionPicoUsd === undefined ? undefined : prompt * promptPicoUsd + completion * completionPicoUsd;
}

/** Equal models keep the given order; a model without a price comes last. */
export function rankModels<M extends { readonly facts: RankingFacts }>(
  models: readonly M[],
  task: TaskType,
  complexity: Complexity,
): readonly M[] {
  const priced = models.map((model) => ({ model, price: taskPrice(model.facts, task) }));
  const cheapest = priced.toSorted((one, other) => byCost(one.price, other.price));
  return placed(cheapest, complexity).map(({ model }) => model);
}

type Priced<M> = { readonly model: M; readonly price: bigint | undefined };

function placed<M extends { readonly facts: RankingFacts }>(
  cheapest: readonly Priced<M>[],
  complexity: Complexity,
): readonly Priced<M>[] {
  switch (complexity) {
    case 'low':
      return cheapest;
    case 'medium':
      return fromTheMiddle(cheapest);
    case 'high':
      return cheapest.toSorted(
        (one, other) =>
          Number(one.price === undefined) - Number(other.price === undefined) ||
          Number(other.model.facts.thinks) - Number(one.model.facts.thinks) ||
          byCost(other.price, one.price),
      );
  }
}

/**
 * The middle price first (the cheaper of two middles), then outwards, the cheaper side before the more expensive one.
 */
function fromTheMiddle<M>(cheapest: readonly Priced<M>[]): readonly Priced<M>[] {
  const known = cheapest.filter(({ price }) => price !== undefined);
  const middle = Math.floor((known.length - 1) / 2);
  const outwards = known
    .map((priced, place) => ({ priced, distance: Math.abs(place - middle), place }))
    .sort((one, other) => one.distance - other.distance || one.place - other.place)
    .map(({ priced }) => priced);
  return [...outwards, ...cheapest.slice(known.length)];
}
