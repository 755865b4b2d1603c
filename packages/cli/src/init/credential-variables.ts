// The environment variables in which people usually have the credential of a provider.

/** Where it is not the provider's id followed by _API_KEY. */
const OTHERS: Readonly<Record<string, string>> = {
  alibaba: 'DASHSCOPE_API_KEY',
  'amazon-bedrock': 'AWS_CREDENTIALS',
  azure: 'AZURE_OPENAI_API_KEY',
  'azure-deployments': 'AZURE_OPENAI_API_KEY',
  byteplus: 'ARK_API_KEY',
  google: 'GEMINI_API_KEY',
  'google-vertex': 'GOOGLE_SERVICE_ACCOUNT_JSON',
  moonshotai: 'MOONSHOT_API_KEY',
  volcengine: 'ARK_API_KEY',
};

export const usualVariable = (provider: string): string =>
  OTHERS[provider] ?? `${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The error does not repeat the value: it may be the secret itself. */
export const requireVariableName = (text: string, what: string): string => {
  if (!NAME.test(text)) throw new Error(`${what}: give the name of an environment variable, not the secret itself`);
  return text;
};
