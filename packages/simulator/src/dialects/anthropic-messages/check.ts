// Validates one request completely, in the order in which Anthropic does.

import { judgeSignature } from '../../cloud/aws-signature.ts';
import { asNumber, asText, type JsonRecord } from '../../json-value.ts';
import type { SealIssuer } from '../../seals.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions } from '../dialect.ts';
import { bearerOf, findFamily, firstOf, isAccepted } from '../judgement.ts';
import { type MessagesAddress, plainModel } from './address.ts';
import { checkCache } from './check-cache.ts';
import { checkConversation } from './check-conversation.ts';
import { checkMedia } from './check-media.ts';
import { checkOutput, checkSampling, checkThinking, checkTools } from './check-parameters.ts';
import { checkSeals } from './check-seals.ts';
import { turnsOf } from './conversation.ts';
import { BODY_VERSIONS, type MessagesProfile, VERSIONS } from './profiles.ts';
import { at, badRequest, type MessagesRefusal, wordProblem } from './refusal.ts';
import { messagesShapes } from './shapes.ts';

export function credentialOf(headers: VendorRequest['headers']): string {
  return headerText(headers['x-api-key']) || bearerOf(headers.authorization);
}

export function checkHead(
  request: VendorRequest,
  profile: MessagesProfile,
  options: DialectOptions,
): MessagesRefusal | undefined {
  const { headers } = request;
  const credential = credentialOf(headers);
  const bearer = bearerOf(headers.authorization);
  if (profile.manner === 'bedrock') {
    // A signature, or a key of the service itself as a bearer token.
    const isKey = bearer !== '' && isAccepted(bearer, options);
    const objection = isKey ? undefined : judgeSignature(request, 'bedrock', new Date());
    if (objection !== undefined) return { status: 403, ...objection };
  } else if (credential === '' || !isAccepted(credential, options)) {
    const isBearer = headerText(headers['x-api-key']) === '';
    const wrong = isBearer ? 'Invalid bearer token' : 'invalid x-api-key';
    const message = credential === '' ? 'x-api-key header is required' : wrong;
    return { status: 401, type: 'authentication_error', message };
  }
  const version = headerText(headers['anthropic-version']);
  if (!profile.needsVersion || VERSIONS.includes(version)) return undefined;
  if (version === '') return badRequest('anthropic-version: header is required');
  return badRequest(`anthropic-version: "${version}" is not a valid version`);
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

export interface BodyContext {
  readonly profile: MessagesProfile;
  readonly issuer: SealIssuer;
  readonly version: string;
  readonly isCount: boolean;
}

export function unknownModel(model: string): MessagesRefusal {
  return { status: 404, type: 'not_found_error', message: `model: ${model}` };
}

export function checkBody(body: JsonRecord, context: BodyContext): MessagesRefusal | undefined {
  const { profile, issuer } = context;
  const model = asText(body['model']);
  const family = findFamily(model, profile.families);
  const problem = messagesShapes.first(context.isCount ? 'Count' : 'Create', body, profile.ignoresUnknown);
  if (problem !== undefined) return wordProblem(problem);
  if (family === undefined) return unknownModel(model);
  const limit = family.maxOutputTokens;
  const asked = asNumber(body['max_tokens']) ?? 0;
  if (asked > limit) {
    const message = `${asked} > ${limit}, which is the maximum allowed number of output tokens for ${model}`;
    return at(['max_tokens'], message);
  }
  return (
    checkConversation(body, family) ??
    firstOf(turnsOf(body), ({ blocks }, index) => checkMedia(blocks, ['messages', index, 'content'])) ??
    checkTools(body) ??
    checkThinking(body, family) ??
    checkSampling(body, family, context.version) ??
    checkOutput(body, family) ??
    checkCache(body) ??
    (profile.verifiesSeals ? checkSeals(body, issuer) : undefined)
  );
}
