// Where a host lists its models, told by the path of an offer: the cheapest thing that only a good credential gets.

import type { Offer } from './provider.ts';

/** A path that ends so has its list beside it. */
const SIBLINGS = ['/chat/completions', '/responses', '/embeddings', '/images/generations', '/messages'];
const OF_ONE_MODEL = /\/models\/\{model\}:[A-Za-z]+$/;

/** Undefined where no such list is known. */
export const listPathOf = ({ path }: Offer): string | undefined => {
  if (OF_ONE_MODEL.test(path)) return path.replace(OF_ONE_MODEL, '/models');
  const sibling = SIBLINGS.find((end) => path.endsWith(end));
  return sibling === undefined ? undefined : `${path.slice(0, -sibling.length)}/models`;
};
