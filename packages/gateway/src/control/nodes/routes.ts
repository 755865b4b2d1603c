/**
 * The serving processes and their configuration at the admin API. Without a database: only the process that answers.
 */

import { notFound } from '../api/problem.ts';
import { routeWith } from '../api/route.ts';
import { Configuration, ConfigurationDiff, ConfigurationDiffQuery, ConfigurationQuery, Nodes } from './contract.ts';
import type { NodePorts } from './ports.ts';

const route = routeWith<NodePorts>();

export const nodeRoutes = [
  route({
    method: 'GET',
    path: '/nodes',
    name: 'listNodes',
    summary: 'Lists serving processes with version, listeners, configuration, load and backlog.',
    permission: 'operator',
    inMemory: true,
    answer: Nodes,
    run: async ({ nodes }) => ({ items: await nodes.list(), next: null }),
  }),
  route({
    method: 'GET',
    path: '/config',
    name: 'getConfiguration',
    summary: 'Returns the settings in force without secrets, and the source of each.',
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
      'Compares the settings of a node with its current file or another node, and says whether a restart is needed.',
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
