/** The OpenAPI 3.1 document of the admin API, generated from the routes. */
import type { TSchema } from 'typebox';
import type { Audience } from './listener-facts.ts';
import type { RouteShape } from './route.ts';

export const ADMIN_MOUNT = '/admin/v1';

/** Named schemas appear once, under components. */
function extract(schema: unknown, named: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => extract(item, named));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...own } = schema as Readonly<Record<string, unknown>>;
  const plain = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, extract(value, named)]));
  if (typeof $id !== 'string') return plain;
  named.set($id, plain);
  return { $ref: `#/components/schemas/${$id}` };
}

const pathParameters = (path: string): object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const queryParameters = (query: TSchema | undefined, named: Map<string, unknown>): object[] => {
  const { properties = {}, required = [] } = (query ?? {}) as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    schema: extract(schema, named),
  }));
};

const json = (schema: unknown, media = 'application/json'): object => ({ [media]: { schema } });

const AUDIENCES: Readonly<Record<string, string>> = {
  public: 'For everyone, without a credential.',
  operator: 'For operators.',
};

function operationOf(
  { name, summary, permission, path, body, query, status = 200, answer, media }: RouteShape,
  named: Map<string, unknown>,
): object {
  const parameters = [...pathParameters(path), ...queryParameters(query, named)];
  return {
    operationId: name,
    summary,
    description:
      AUDIENCES[permission] ??
      `For operators, and for keys and members of the account that manage it as ${permission} or more.`,
    ...(permission === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: json(extract(body, named)) } }),
    responses: {
      [status]: { description: 'Done.', content: json(extract(answer, named), media) },
      default: { description: 'Not done.', content: json({ $ref: '#/components/schemas/Problem' }) },
    },
  };
}

const PROBLEM = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' }, field: { type: 'string' } },
    },
  },
};

const isForMembers = ({ permission }: RouteShape): boolean => permission !== 'operator';

/** `members`: without the routes for operators. */
export function openApiDocument(routes: readonly RouteShape[], audience: Audience = 'operators'): object {
  const named = new Map<string, unknown>([['Problem', PROBLEM]]);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of audience === 'operators' ? routes : routes.filter(isForMembers)) {
    const path = `${ADMIN_MOUNT}${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, named) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trivium admin API',
      version: '1',
      description: 'Accounts, members, keys and what operators do with them.',
    },
    security: [{ secret: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        secret: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-trivium' },
      },
      schemas: Object.fromEntries([...named].sort(([one], [other]) => one.localeCompare(other))),
    },
  };
}
