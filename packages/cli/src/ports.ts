// Port numbers as people type them.

import { InvalidArgumentError } from 'commander';

const MAX_PORT = 65_535;

export const parsePort = (text: string): number => {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= MAX_PORT)) throw new InvalidArgumentError('must be a port number (0 takes any free one)');
  return port;
};
