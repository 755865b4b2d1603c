/** Schemas of the admin API: they validate, type and document it at once. */

import Type, { type Static, type TSchema, type TString, type TStringOptions } from 'typebox';
import { ROLES } from '../../people/accounts/rights.ts';
import { FORMS } from './forms.ts';

export const closed = { additionalProperties: false } as const;
const MAX_LIST = 1000;

export type Moment = TString & { readonly format: 'date-time' };
export const moment = (description: string, more: TStringOptions = {}) =>
  Type.String({ format: 'date-time', description, ...more }) as Moment;
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const listOf = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { maxItems: MAX_LIST, description }));
/** A column of the console's list of these; `width`: a CSS track. A title that the console does not have yet comes in all its languages. */
export const column = (
  title: string | { readonly en: string; readonly de: string; readonly 'zh-Hans': string },
  width: string,
) => ({ 'x-column': { title, width } });
export const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: FORMS.plainText,
  description: 'Display name.',
});

export const role = Type.Enum([...ROLES], { description: 'Each role includes the permissions of the one before.' });

export const usd = Type.String({ pattern: FORMS.usd, description: 'US dollars, e.g. `20.00`; up to nine decimals.' });
export const UpstreamErrorView = Type.Object(
  {
    status: Type.Optional(Type.Integer({ description: 'Absent: there was no answer.' })),
    code: Type.Optional(Type.String({ description: 'Code of a connection error, e.g. `ECONNREFUSED`.' })),
    upstreamRequestId: Type.Optional(Type.String({ description: "The upstream's own id of the request." })),
    text: Type.String({ description: "Beginning of the provider's message, redacted; else the known cause." }),
  },
  { ...closed, $id: 'UpstreamError' },
);
export const Page = Type.Object(
  {
    after: Type.Optional(Type.String({ maxLength: 200, description: 'Cursor: `next` of the previous page.' })),
    limit: Type.Optional(
      Type.String({ pattern: FORMS.pageLimit, description: 'Page size, at most 200. Default: 50.' }),
    ),
  },
  closed,
);
/** Query parameters of lists. */
export const word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
export const time = (description: string) => Type.Optional(Type.String({ pattern: FORMS.isoTime, description }));
export const sorting = {
  sort: Type.Optional(Type.Enum(['id', 'name', 'createdAt'], { description: 'Default: `id`.' })),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default: `asc`.' })),
};
export const listOfItems = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next: nullable(Type.String()) }, closed);

export type Page = Static<typeof Page>;
