// Which versions of Node.js can run this. Loaded before anything else, so it uses nothing that an old one lacks.

const OLDEST_MAJOR = 24;

/** What to do; undefined when the version will do. */
export const nodeProblem = (version: string): string | undefined =>
  Number(version.split('.')[0]) >= OLDEST_MAJOR
    ? undefined
    : `Node.js ${OLDEST_MAJOR} or newer is needed, this is v${version}: install it from https://nodejs.org`;
