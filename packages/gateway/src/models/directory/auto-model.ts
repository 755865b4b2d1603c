/** `trivium/auto`: a name that leaves the choice among the operator's models to the gateway. */
import type { ModelCard } from '@trivium/protocol/canonical';
import type { DirectoryEntry } from '../../kernel/target.ts';

export const AUTO_MODEL = 'trivium/auto';

/** Undefined if none of the models can be called. */
export function autoEntry(models: readonly DirectoryEntry[]): DirectoryEntry | undefined {
  const callable = models.filter(({ targets }) => targets.length > 0);
  if (callable.length === 0) return undefined;
  return {
    id: AUTO_MODEL,
    outputModalities: new Set(callable.flatMap(({ outputModalities }) => [...outputModalities])),
    targets: callable.flatMap(({ targets }) => targets),
    choice: callable.map(({ id }) => id),
  };
}

/** What holds for every model it may choose. Prices are those of the models themselves. */
export function autoCard(models: readonly ModelCard[]): ModelCard | undefined {
  const [first] = models;
  if (first === undefined) return undefined;
  return {
    id: AUTO_MODEL,
    displayName: 'Auto',
    description: `Chooses for each call among ${models.map(({ id }) => id).join(', ')}.`,
    createdDay: models.reduce(
      (oldest, { createdDay }) => (createdDay < oldest ? createdDay : oldest),
      first.createdDay,
    ),
    ownedBy: 'trivium',
    inputModalities: first.inputModalities.filter((one) => models.every((card) => card.inputModalities.includes(one))),
    outputModalities: first.outputModalities.filter((one) =>
      models.every((card) => card.outputModalities.includes(one)),
    ),
    reasoning: models.every(({ reasoning }) => reasoning),
    contextLength: Math.min(...models.map(({ contextLength }) => contextLength)),
    maxOutputTokens: Math.min(...models.map(({ maxOutputTokens }) => maxOutputTokens)),
    pricings: {},
  };
}
