/** For servers of tests, as for those of `trivium dev`. */
export { freePort } from '../../packages/cli/src/embedded/free-port.ts';
