import { expect, test } from 'vitest';
import { copyForms, requestPath } from './copy-forms.ts';
import type { RequestDetail } from './source.ts';

const linesFor = (account: string | null): readonly string[] =>
  copyForms({ id: 'r1' } as RequestDetail, account)
    .filter(({ name }) => name !== 'Markdown')
    .map(({ text }) => text());

test('members copy calls below their account, operators those of all accounts', () => {
  const [curl, cli] = linesFor('acme');
  expect(curl).toContain("'/admin/v1/accounts/acme/requests/r1'");
  expect(cli).toBe('trivium requests show r1 --account acme');
  const [operatorCurl, operatorCli] = linesFor(null);
  expect(operatorCurl).toContain("'/admin/v1/requests/r1'");
  expect(operatorCli).toBe('trivium requests show r1');
  expect(requestPath('r1', 'acme', '/replay')).toBe('/admin/v1/accounts/acme/requests/r1/replay');
});
