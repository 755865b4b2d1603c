// From `signIn` and `callerTokens` in the file to issuers with resolved secrets.

import type { CallerIssuer, SignInIssuer } from '../people/identity/issuers.ts';
import type { Building } from './building.ts';
import type { SignInSettings } from './config.ts';
import type { ConfigPath } from './problem.ts';
import type { CallerTokensData, SignInData } from './schema-people.ts';
import { isPrivateHost, parseHttpUrl } from './urls.ts';

const checkUrl = (text: string, path: ConfigPath, building: Building): void => {
  const url = parseHttpUrl(text);
  if (url === undefined) building.report(path, 'must be an https URL');
  else if (url.protocol === 'http:' && !isPrivateHost(url.hostname))
    building.report(path, 'must be https; http is for private networks only');
};

const checkGrants = (
  grants: SignInIssuer['grants'],
  path: ConfigPath,
  hasDatabase: boolean,
  building: Building,
): void => {
  for (const [at, { role, account }] of grants.entries()) {
    const place = [...path, 'grants', at];
    if (role === 'operator' && account !== undefined)
      building.report([...place, 'account'], 'is not for operators, who act for all accounts');
    if (role !== 'operator' && account === undefined) building.report(place, 'needs an account for this role');
    if (role !== 'operator' && !hasDatabase) building.report(place, 'makes members, which need a database');
  }
};

export function buildSignIn(data: SignInData, hasDatabase: boolean, building: Building): SignInSettings {
  const issuers = Object.entries(data.issuers).map(([id, { clientSecret, ...issuer }]): SignInIssuer => {
    const path = ['signIn', 'issuers', id];
    checkUrl(issuer.issuer, [...path, 'issuer'], building);
    checkGrants(issuer.grants, path, hasDatabase, building);
    if (!issuer.scopes.includes('openid')) building.report([...path, 'scopes'], 'must have openid');
    const secret = clientSecret === undefined ? undefined : building.secret(clientSecret, [...path, 'clientSecret']);
    return { ...issuer, id, ...(secret !== undefined && { clientSecret: secret }) };
  });
  return { issuers, keys: data.keys };
}

export function buildCallerIssuers(
  data: CallerTokensData,
  hasDatabase: boolean,
  building: Building,
): readonly CallerIssuer[] {
  return Object.entries(data.issuers).map(([id, issuer]): CallerIssuer => {
    const path = ['callerTokens', 'issuers', id];
    checkUrl(issuer.issuer, [...path, 'issuer'], building);
    if (issuer.jwksUrl !== undefined) checkUrl(issuer.jwksUrl, [...path, 'jwksUrl'], building);
    if ((issuer.account === undefined) === (issuer.accountClaim === undefined))
      building.report(path, 'needs either "account" or "accountClaim"');
    if ((issuer.member || issuer.accountClaim !== undefined) && !hasDatabase)
      building.report(path, 'needs a database for members, or for accounts that tokens name');
    return { ...issuer, id };
  });
}
