// Where a host lists its models, derived from the path of an offer: the cheapest request that needs a valid credential.

import type { Offer } from './provider.ts';

/** A path that ends like this has its list beside it. */
const SIBLINGS = ['/chat/completions', '/responses', '/embeddings', '/images/generations', '/messages'];
const OF_ONE_MODEL = /\/models\/\{model\}:[A-Za-z]+$/;

/** Undefined if no such list is known. */
export const listPathOf = ({ path }: Offer): string | undefined => {
  if (OF_ONE_MODEL.test(path)) return path.replace(OF_ONE_MODEL, '/models');
  const sibling = SIBLINGS.find((end) => path.endsWith(end));
  return sibling === undefined ? undefined : `${path.slice(0, -sibling.length)}/models`;
};
