/** One key for a host, a model and a credential, for state kept about them. Reveals no secret. */
export const routeKeyOf = (provider: string, modelId: string, credentialHash: string): string =>
  `${provider} ${modelId} ${credentialHash}`;

export const providerOf = (routeKey: string): string => routeKey.slice(0, routeKey.indexOf(' '));

export function partsOf(routeKey: string): {
  readonly provider: string;
  readonly model: string;
  readonly credential: string;
} {
  const [provider = '', model = '', credential = ''] = routeKey.split(' ');
  return { provider, model, credential };
}
