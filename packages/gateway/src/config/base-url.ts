// Rules for the base URL of a provider.

import { isPrivateHost, parseHttpUrl } from './urls.ts';

const VARIABLE = /\{([a-z]+)\}/g;

/** Each continues a sentence that begins with the setting. */
export function problemsOfBaseUrl(
  baseUrl: string,
  variables: Readonly<Record<string, unknown>>,
  allowInsecure: boolean,
): readonly string[] {
  const problems: string[] = [];
  const absent = [...baseUrl.matchAll(VARIABLE)]
    .map((match) => match[1] ?? '')
    .filter((name) => variables[name] === undefined);
  if (absent.length > 0) problems.push(`has no value for {${absent.join('}, {')}} in "variables"`);
  const url = parseHttpUrl(baseUrl.replace(VARIABLE, 'x'));
  if (url === undefined) return [...problems, 'must be an http or https URL'];
  if (url.username !== '' || url.password !== '') problems.push('must not hold a user or password; use "credential"');
  if (url.search !== '' || url.hash !== '') problems.push('must not have a query or a fragment');
  if (url.protocol === 'http:' && !allowInsecure && !isPrivateHost(url.hostname))
    problems.push('is plain http to a public host; use https, or set upstream.allowInsecure');
  return problems;
}
