/** The document of the admin API as the gateway serves it, and with an example of every body, answer and parameter. */
import { adminDocument } from '../../../packages/gateway/src/control/slices.ts';
import type { ApiDocument } from './document.ts';
import { exampleOf, parameterExample, type Schema } from './example-of.ts';

/** Bodies that show more than what is required, or what only people can choose well. */
const BODIES: Readonly<Record<string, object>> = {
  signIn: { secret: 'sk-trivium-…' },
  createAccount: { id: 'acme', name: 'Acme', kind: 'prepaid' },
  changeAccount: { name: 'Acme Ltd' },
  addMember: { name: 'Ann', email: 'ann@example.com', role: 'developer' },
  createKey: { name: 'backend', rights: { models: ['openai/*'], rateLimits: { requestsPerMinute: 600 } } },
  changeKey: { rights: { models: ['openai/*', 'anthropic/*'] } },
  rotateKey: { graceSeconds: 3600 },
};

/** Ids in a path, by what stands before them. */
const PATH_IDS: Readonly<Record<string, string>> = {
  keys: 'key_4f1c2a90b7d3',
  members: 'member_7b2e90c4d1aa',
  requests: '01KA3M6W0X4Q3R8C5JH0T2D9VB',
  usage: '01KA3M6W0X4Q3R8C5JH0T2D9VB',
  operations: 'Zk3vX0aQd1uJ8mT2bWc5Rg',
  providers: 'openai',
  oidc: 'company',
  policies: 'europe',
  rules: 'budget.reached',
  orders: 'order_5d0c81e2',
  webhooks: 'wh_2c90d7',
  destinations: 'dest_91ab04',
  deliveries: '88',
  prices: '311',
  'price-versions': '4f1c2a90b7d3e815',
  alerts: '1042',
};

const IN_PATHS: Readonly<Record<string, string>> = {
  account: 'Id of the account.',
  id: 'Its id.',
  owner: 'Owner of the model.',
  name: 'Name of the model.',
};

const pathExample = (path: string, name: string): string => {
  if (name === 'account') return 'acme';
  if (name === 'owner') return 'openai';
  if (name === 'name') return 'gpt-5.5';
  const before = path.split('/').at(path.split('/').indexOf('{id}') - 1) ?? '';
  return PATH_IDS[before] ?? 'id_4f1c2a90';
};

export function adminDocumentWithExamples(): ApiDocument {
  const document = structuredClone(adminDocument()) as ApiDocument;
  const { schemas } = document.components;
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods)) {
      const { operationId, requestBody, responses, parameters = [] } = operation;
      for (const parameter of parameters) {
        if (parameter.in === 'path') {
          parameter.description ??= IN_PATHS[parameter.name] ?? '';
          parameter.example = pathExample(path, parameter.name);
        } else if (parameter.in === 'query')
          parameter.example = parameterExample(parameter.name, parameter.schema as Schema, operationId);
      }
      for (const content of Object.values(requestBody?.content ?? {}))
        content.example = BODIES[operationId] ?? exampleOf(content.schema, schemas, operationId, false);
      for (const [status, { content = {} }] of Object.entries(responses))
        for (const [media, one] of Object.entries(content))
          if (status !== 'default' && media === 'application/json')
            one.example = exampleOf(one.schema, schemas, operationId, true);
    }
  return document;
}
