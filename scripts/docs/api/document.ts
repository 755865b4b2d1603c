/** As much of an OpenAPI 3.1 document as the pages of the reference are made from. */
import type { Schema, Schemas } from './example-of.ts';

type Content = { readonly schema: Schema; example?: unknown };
export type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  description?: string;
  readonly schema: Schema;
  example?: unknown;
};
export type Response = {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
};
type ApiOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
};
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Response>>;
  };
};

export type Call = { readonly path: string; readonly method: string; readonly operation: ApiOperation };

export const callsOf = ({ paths }: ApiDocument): readonly Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

const last = (ref: string): string => ref.split('/').at(-1) ?? '';

export const parametersOf = (document: ApiDocument, { operation }: Call): readonly Parameter[] =>
  (operation.parameters ?? []).flatMap((one) =>
    one.$ref === undefined ? [one] : (document.components.parameters?.[last(one.$ref)] ?? []),
  );

export const responsesOf = (document: ApiDocument, { operation }: Call): readonly (readonly [string, Response])[] =>
  Object.entries(operation.responses).map(([status, one]) => [
    status,
    one.$ref === undefined ? one : (document.components.responses?.[last(one.$ref)] ?? one),
  ]);
