/** Where entries of a queue are kept: below the app that a model's path begins with, whatever follows in it. */
const OWNER_AND_APP = 2;

/** `model` is the path of a model, with or without a slash before it; `id` is ready to stand in one. */
export const entryPath = (model: string, id: string): string => {
  const app = model
    .split('/')
    .filter((step) => step !== '')
    .slice(0, OWNER_AND_APP);
  return `/${app.join('/')}/requests/${id}`;
};

const ENTRY = /\/[^/]+\/[^/]+\/requests\/[^/?#]+$/;

/** The path of an entry in an address of it; whose address that is, is not asked: only paths of the host itself are gone to. */
export const entryIn = (address: string): string => ENTRY.exec(address)?.[0] ?? '/';
