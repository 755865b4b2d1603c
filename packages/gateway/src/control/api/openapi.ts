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

/** The errors of a route, by what it needs and does; all have one form. */
const ERRORS: Readonly<
  Record<string, { readonly name: string; readonly description: string; readonly example: object }>
> = {
  400: {
    name: 'Invalid',
    description: 'The body, the query or a parameter is malformed; `field` names the place.',
    example: { code: 'invalid', message: 'must be a string', field: 'name' },
  },
  401: {
    name: 'Unauthenticated',
    description: 'No credential, or an unknown, revoked or expired one.',
    example: {
      code: 'unauthenticated',
      message: 'A credential is needed: the operator secret, or a key that manages its account.',
    },
  },
  403: {
    name: 'Forbidden',
    description: 'The credential may not do this.',
    example: { code: 'forbidden', message: 'This key may not use the admin API.' },
  },
  404: {
    name: 'NotFound',
    description: 'It does not exist, or belongs to another account.',
    example: { code: 'not-found', message: 'Account "acme" not found.' },
  },
  409: {
    name: 'Conflict',
    description: 'It exists already, or its state does not allow this.',
    example: { code: 'conflict', message: 'Account "acme" exists already.' },
  },
  429: {
    name: 'RateLimited',
    description: 'Too many tries with wrong credentials, or too many at once.',
    example: { code: 'rate-limited', message: 'Too many attempts. Try again in a minute.' },
  },
  503: {
    name: 'Unavailable',
    description: 'The database cannot be reached, or is not configured.',
    example: { code: 'unavailable', message: 'The database cannot be reached.' },
  },
};

const errorsOf = ({ name, permission, path, body, query, method }: RouteShape): readonly string[] => [
  ...(body !== undefined || query !== undefined ? ['400'] : []),
  ...(permission !== 'public' || name === 'signIn' ? ['401'] : []),
  ...(permission !== 'public' ? ['403'] : []),
  ...(path.includes('{') ? ['404'] : []),
  ...(method !== 'GET' && permission !== 'public' ? ['409'] : []),
  '429',
  '503',
];

const AUDIENCES: Readonly<Record<string, string>> = {
  public: 'For everyone, without a credential.',
  operator: 'For operators.',
};

function operationOf(route: RouteShape, named: Map<string, unknown>): object {
  const { name, summary, permission, path, body, query, status = 200, answer, media } = route;
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
      ...Object.fromEntries(
        errorsOf(route).map((code) => [code, { $ref: `#/components/responses/${ERRORS[code]?.name}` }]),
      ),
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
      responses: Object.fromEntries(
        Object.values(ERRORS).map(({ name, description, example }) => [
          name,
          {
            description,
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Problem' }, example: { error: example } },
            },
          },
        ]),
      ),
      schemas: Object.fromEntries([...named].sort(([one], [other]) => one.localeCompare(other))),
    },
  };
}
