// Validates one request completely, in the order in which OpenAI does.
import type { IncomingHttpHeaders } from 'node:http';
import { asText, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions } from '../dialect.ts';
import { bearerOf, findFamily, isJsonContent, NEVER_VALID } from '../judgement.ts';
import { checkMessages } from './check-messages.ts';
import { checkCombinations, checkModelLimits, checkShape } from './check-parameters.ts';
import { checkResponseFormat, checkTools } from './check-tools.ts';
import type { ChatProfile } from './profiles.ts';
import { badRequest, type ChatRefusal } from './refusal.ts';
import { relaxed } from './relaxed.ts';

export function checkMethod(request: VendorRequest, allowed: 'GET' | 'POST' = 'POST'): ChatRefusal | undefined {
  if (request.method === allowed) return undefined;
  const message = `Not allowed to ${request.method} on ${request.path}. (HINT: Perhaps you meant to use a different HTTP method?)`;
  return { ...badRequest(message, null, 'method_not_supported'), status: 405 };
}

/** Method, credential and content type; lenient servers look only at the method. */
export function checkHead(
  request: VendorRequest,
  profile: ChatProfile,
  options: DialectOptions,
  allowed: 'GET' | 'POST' = 'POST',
): ChatRefusal | undefined {
  const refusal = checkMethod(request, allowed);
  if (refusal !== undefined || options.lenient) return refusal;
  const unwelcome = checkCredential(request.headers, profile, options);
  return unwelcome ?? (allowed === 'GET' ? undefined : checkContentType(request.headers));
}

export function checkCredential(
  headers: IncomingHttpHeaders,
  profile: ChatProfile,
  options: DialectOptions,
): ChatRefusal | undefined {
  const bearer = bearerOf(headers.authorization);
  const isNeeded = profile.needsCredential || options.credential !== undefined;
  if (bearer === '' && !isNeeded) return undefined;
  if (bearer === '') {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
    return { ...badRequest(message, null), status: 401 };
  }
  const isRight = options.credential === undefined ? !bearer.startsWith(NEVER_VALID) : bearer === options.credential;
  if (isRight) return undefined;
  const masked = bearer.length < 12 ? '*'.repeat(bearer.length) : `${bearer.slice(0, 7)}****${bearer.slice(-4)}`;
  return { ...badRequest(`Incorrect API key provided: ${masked}.`, null, 'invalid_api_key'), status: 401 };
}

export function checkContentType(headers: IncomingHttpHeaders): ChatRefusal | undefined {
  const type = headers['content-type'] ?? '';
  if (isJsonContent(type)) return undefined;
  const message = `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests.`;
  return badRequest(message, null);
}

export function unknownModel(model: string): ChatRefusal {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { ...badRequest(message, null, 'model_not_found'), status: 404 };
}

export function checkModel(model: string, profile: ChatProfile): ChatRefusal | undefined {
  return findFamily(model, profile.families) === undefined ? unknownModel(model) : undefined;
}

export function checkBody(given: JsonRecord, profile: ChatProfile): ChatRefusal | undefined {
  const ignoreUnknown = profile.ignoresUnknown;
  const body = ignoreUnknown ? relaxed(given) : given;
  const family = findFamily(asText(body['model']), profile.families);
  return (
    checkShape(body, profile) ??
    checkModel(asText(body['model']), profile) ??
    checkMessages(body, ignoreUnknown) ??
    checkTools(body, ignoreUnknown) ??
    checkResponseFormat(body, ignoreUnknown) ??
    checkCombinations(body) ??
    (ignoreUnknown || family === undefined ? undefined : checkModelLimits(body, family))
  );
}
