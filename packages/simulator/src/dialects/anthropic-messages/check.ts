// Validates one request completely, in the order in which Anthropic does.

import { judgeSignature } from '../../cloud/aws-signature.ts';
import { asText, type JsonRecord } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import type { DialectOptions, VendorRequest } from '../dialect.ts';
import { bearerOf, firstOf, headerText, isAccepted, isJsonContent } from '../judgement.ts';
import { type MessagesAddress, plainModel } from './address.ts';
import { checkCache } from './check-cache.ts';
import { checkConversation } from './check-conversation.ts';
import { checkMedia } from './check-media.ts';
import { checkSampling, checkThinking } from './check-parameters.ts';
import { checkSeals } from './check-seals.ts';
import { checkOutput, checkTools } from './check-tools.ts';
import { BODY_VERSIONS, findFamily, type MessagesProfile, VERSIONS } from './profiles.ts';
import { at, badRequest, type MessagesRefusal, wordProblem } from './refusal.ts';
import { countShape, createShape } from './wire-parameters.ts';

export function credentialOf(headers: VendorRequest['headers']): string {
  return headerText(headers['x-api-key']) || bearerOf(headers.authorization);
}

export function checkHead(
  request: VendorRequest,
  profile: MessagesProfile,
  options: DialectOptions,
): MessagesRefusal | undefined {
  return firstOf(
    () => (profile.manner === 'bedrock' ? checkAws(request, options) : checkCredential(request.headers, options)),
    () => (profile.needsVersion ? checkVersion(headerText(request.headers['anthropic-version'])) : undefined),
  );
}

/** A signature, or a key of the service itself as a bearer token. */
function checkAws(request: VendorRequest, options: DialectOptions): MessagesRefusal | undefined {
  const bearer = bearerOf(request.headers.authorization);
  if (bearer !== '' && isAccepted(bearer, options)) return undefined;
  const objection = judgeSignature(request, 'bedrock', new Date());
  return objection === undefined ? undefined : { status: 403, ...objection };
}

/** For paths that name model and streaming: the body as the API's own path takes it, or the refusal. */
export function directBody(
  body: JsonRecord,
  call: Extract<MessagesAddress, { kind: 'model-call' }>,
  profile: MessagesProfile,
): { readonly body: JsonRecord } | MessagesRefusal {
  const { anthropic_version: version, anthropic_beta: _betas, ...rest } = body;
  const wanted = BODY_VERSIONS[profile.manner];
  if (version === undefined) return at(['anthropic_version'], 'Field required');
  if (version !== wanted) return at(['anthropic_version'], `Input should be '${wanted}'`);
  if (rest['model'] !== undefined) return at(['model'], 'Extra inputs are not permitted');
  if (profile.manner === 'bedrock' && rest['stream'] !== undefined)
    return at(['stream'], 'Extra inputs are not permitted');
  if (profile.manner === 'vertex' && (rest['stream'] === true) !== call.streamed)
    return at(['stream'], 'Input does not fit the method called');
  return { body: { ...rest, model: plainModel(call.model), stream: call.streamed } };
}

function checkCredential(headers: VendorRequest['headers'], options: DialectOptions): MessagesRefusal | undefined {
  const credential = credentialOf(headers);
  if (credential === '') return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
  if (isAccepted(credential, options)) return undefined;
  const isBearer = headerText(headers['x-api-key']) === '';
  return {
    status: 401,
    type: 'authentication_error',
    message: isBearer ? 'Invalid bearer token' : 'invalid x-api-key',
  };
}

function checkVersion(version: string): MessagesRefusal | undefined {
  if (version === '') return badRequest('anthropic-version: header is required');
  if (VERSIONS.includes(version)) return undefined;
  return badRequest(`anthropic-version: "${version}" is not a valid version`);
}

export function checkContentType(headers: VendorRequest['headers']): MessagesRefusal | undefined {
  return isJsonContent(headers['content-type'])
    ? undefined
    : badRequest('Content-Type: Input should be `application/json`');
}

export interface BodyContext {
  readonly profile: MessagesProfile;
  readonly issuer: SealIssuer;
  readonly version: string;
  readonly isCount: boolean;
}

export function checkModel(model: string, profile: MessagesProfile): MessagesRefusal | undefined {
  if (findFamily(model, profile) !== undefined) return undefined;
  return { status: 404, type: 'not_found_error', message: `model: ${model}` };
}

export function checkBody(body: JsonRecord, context: BodyContext): MessagesRefusal | undefined {
  const { profile, issuer } = context;
  const shape = context.isCount ? countShape : createShape;
  const options = { ignoreUnknown: profile.ignoresUnknown };
  const model = asText(body['model']);
  const family = findFamily(model, profile);
  return firstOf(
    () => wordProblem(shape(body, [], options)),
    () => checkModel(model, profile),
    () => (family === undefined ? undefined : checkLimit(body, model, family.maxOutputTokens)),
    () => checkConversation(body, family),
    () => checkMedia(body),
    () => checkTools(body),
    () => (family === undefined ? undefined : checkThinking(body, family)),
    () => (family === undefined ? undefined : checkSampling(body, family, context.version)),
    () => (family === undefined ? undefined : checkOutput(body, family)),
    () => checkCache(body),
    () => (profile.verifiesSeals ? checkSeals(body, issuer) : undefined),
  );
}

function checkLimit(body: JsonRecord, model: string, limit: number): MessagesRefusal | undefined {
  const asked = body['max_tokens'];
  if (typeof asked !== 'number' || asked <= limit) return undefined;
  const message = `${asked} > ${limit}, which is the maximum allowed number of output tokens for ${model}`;
  return at(['max_tokens'], message);
}
