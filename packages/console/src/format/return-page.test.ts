import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { returnPage } from './return-page.ts';
import { parseSearch, stringifySearch } from './search.ts';

type Parameter = { readonly name: string; readonly schema: { readonly pattern: string; readonly maxLength: number } };
type Document = { readonly paths: Record<string, { readonly get: { readonly parameters: readonly Parameter[] } }> };

const DOCUMENT = new URL('../../../../docs/reference/admin-api.json', import.meta.url);
const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
const { pattern, maxLength } =
  paths['/admin/v1/session/oidc/{id}/start']?.get.parameters.find(({ name }) => name === 'to')?.schema ?? ({} as never);

const isTaken = (page: string): boolean => new RegExp(pattern).test(page) && page.length <= maxLength;

test('every page of the console is one that signing in returns to', () => {
  const search = { model: 'openai/*', account: 'ann@example.com', key: "it's (a) 钥匙!" };
  const page = returnPage(`/requests${stringifySearch(search)}#x`);
  expect(isTaken(page)).toBe(true);
  expect(parseSearch(page.slice(page.indexOf('?')))).toEqual(search);
});

test('a page that is too long leads to the start page', () => {
  expect(returnPage(`/requests?key=${'x'.repeat(400)}`)).toBe('/console/');
  expect(isTaken('/console/')).toBe(true);
});
