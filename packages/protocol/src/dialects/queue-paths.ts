/** The path of a queue entry: below the app, which is the first two segments of a model's path. */
const OWNER_AND_APP = 2;

/** `model` is the path of a model, with or without a leading slash; `id` is already encoded for use in a path. */
export const entryPath = (model: string, id: string): string => {
  const app = model
    .split('/')
    .filter((step) => step !== '')
    .slice(0, OWNER_AND_APP);
  return `/${app.join('/')}/requests/${id}`;
};

const ENTRY = /\/[^/]+\/[^/]+\/requests\/[^/?#]+$/;

/**
 * The path of an entry in its URL. The URL's host is ignored: the gateway only requests paths of the configured host.
 */
export const entryIn = (address: string): string => ENTRY.exec(address)?.[0] ?? '/';
