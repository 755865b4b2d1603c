/**
 * The serving processes and their configuration at the admin API. Without a database: only the process that answers.
 */

import { notFound } from '../api/problem.ts';
import { route } from '../api/route.ts';
import { Configuration, ConfigurationDiff, ConfigurationDiffQuery, ConfigurationQuery, Nodes } from './contract.ts';

export const nodeRoutes = [
  route({
    method: 'GET',
    path: '/nodes',
    name: 'listNodes',
    summary: 'Every process that serves: version, listeners, configuration, load and what waits for the database.',
    permission: 'operator',
    inMemory: true,
    answer: Nodes,
    run: async ({ nodes }) => ({ items: await nodes.list(), next: null }),
  }),
  route({
    method: 'GET',
    path: '/config',
    name: 'getConfiguration',
    summary: 'The settings in force, without secrets, and what says each: file, environment, database or default.',
    permission: 'operator',
    inMemory: true,
    query: ConfigurationQuery,
    answer: Configuration,
    run: async ({ nodes, query: { node } }) => {
      const found = await nodes.configuration(node);
      if (found === undefined) throw notFound('Node', node);
      return found;
    },
  }),
  route({
    method: 'GET',
    path: '/config/diff',
    name: 'diffConfiguration',
    summary:
      'What differs between a node and the file as it is now, or another node, and whether it takes a restart to apply.',
    permission: 'operator',
    inMemory: true,
    query: ConfigurationDiffQuery,
    answer: ConfigurationDiff,
    run: async ({ nodes, query: { node, against } }) => {
      const diff = await nodes.diff(node, against);
      if (diff === undefined) throw notFound('Node', [node, against].filter((id) => id !== undefined).join(', '));
      return diff;
    },
  }),
];
