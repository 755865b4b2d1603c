// Validates one request completely, in the order in which Google does.
import { asRecord, type JsonRecord } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions } from '../dialect.ts';
import { bearerOf, findFamily, isAccepted } from '../judgement.ts';
import type { GenerateAddress } from './address.ts';
import { checkConfig } from './check-config.ts';
import { checkContents } from './check-contents.ts';
import { checkSeals } from './check-seals.ts';
import { checkTools } from './check-tools.ts';
import { geminiFamilies } from './models.ts';
import { type GenerateRefusal, invalid, wordProblem } from './refusal.ts';
import { generateShapes } from './shapes.ts';

export function credentialOf(request: VendorRequest): string {
  const key = headerText(request.headers['x-goog-api-key']);
  if (request.vendor === 'vertex') return bearerOf(request.headers.authorization) || key;
  return key || (new URLSearchParams(request.query).get('key') ?? '');
}

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

export function checkCredential(request: VendorRequest, options: DialectOptions): GenerateRefusal | undefined {
  const credential = credentialOf(request);
  if (request.vendor === 'vertex') {
    if (credential !== '' && isAccepted(credential, options)) return undefined;
    const message =
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.';
    const details = [{ '@type': ERROR_INFO, reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED', domain: 'googleapis.com' }];
    return { code: 401, status: 'UNAUTHENTICATED', message, details };
  }
  if (credential === '') {
    const message =
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
    return { code: 403, status: 'PERMISSION_DENIED', message };
  }
  if (isAccepted(credential, options)) return undefined;
  const details = [{ '@type': ERROR_INFO, reason: 'API_KEY_INVALID', domain: 'googleapis.com' }];
  return invalid('API key not valid. Please pass a valid API key.', details);
}

export function checkBody(
  body: JsonRecord,
  address: Extract<GenerateAddress, { kind: 'call' }>,
  issuer: SealIssuer,
): GenerateRefusal | undefined {
  const isVertex = issuer.vendor === 'vertex';
  const isCount = address.action === 'countTokens';
  const shapes = isVertex ? generateShapes.vertex : generateShapes.google;
  const problem = shapes.first(isCount ? 'Count' : 'Generate', body);
  if (problem !== undefined) return wordProblem(problem);
  const family = findFamily(address.model, geminiFamilies);
  if (family === undefined) {
    const message = isVertex
      ? `Publisher Model \`${address.resource}\` was not found or your project does not have access to it. Please ensure you are using a valid model version.`
      : `${address.resource} is not found for API version v1beta, or is not supported for ${address.action}. Call ListModels to see the list of available models and their supported methods.`;
    return { code: 404, status: 'NOT_FOUND', message };
  }
  const inner = isCount && !isVertex ? asRecord(body['generateContentRequest'] ?? body) : body;
  return (
    checkContents(inner, isVertex) ??
    (isCount ? undefined : (checkTools(inner, family) ?? checkConfig(inner, family))) ??
    checkSeals(inner, issuer, family.needsSignature && !isCount)
  );
}
