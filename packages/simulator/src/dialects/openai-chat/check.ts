// Validates one request completely, in the order in which OpenAI does.
import type { IncomingHttpHeaders } from 'node:http';
import { asText, type JsonRecord } from '../../json-value.ts';
import type { DialectOptions, VendorRequest } from '../dialect.ts';
import { firstOf } from '../judgement.ts';
import { checkMessages } from './check-messages.ts';
import { checkOrder } from './check-order.ts';
import { checkCombinations, checkModelLimits, checkShape } from './check-parameters.ts';
import { checkResponseFormat, checkTools } from './check-tools.ts';
import { findFamily } from './models.ts';
import type { ChatProfile } from './profiles.ts';
import { badRequest, type ChatRefusal } from './refusal.ts';
import { relaxed } from './relaxed.ts';

/** Always rejected, so that tests of bad credentials need no configuration. */
const NEVER_VALID = 'sk-invalid';

export function checkMethod(request: VendorRequest, allowed: 'GET' | 'POST'): ChatRefusal | undefined {
  if (request.method === allowed) return undefined;
  const message = `Not allowed to ${request.method} on ${request.path}. (HINT: Perhaps you meant to use a different HTTP method?)`;
  return { status: 405, message, type: 'invalid_request_error', param: null, code: 'method_not_supported' };
}

export function checkCredential(
  headers: IncomingHttpHeaders,
  profile: ChatProfile,
  options: DialectOptions,
): ChatRefusal | undefined {
  const [, bearer = ''] = /^Bearer +(.+)$/u.exec(headers.authorization ?? '') ?? [];
  const isNeeded = profile.needsCredential || options.credential !== undefined;
  if (bearer === '') {
    if (!isNeeded) return undefined;
    return unauthorized(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      null,
    );
  }
  const isRight = options.credential === undefined ? !bearer.startsWith(NEVER_VALID) : bearer === options.credential;
  return isRight ? undefined : unauthorized(`Incorrect API key provided: ${mask(bearer)}.`, 'invalid_api_key');
}

function unauthorized(message: string, code: string | null): ChatRefusal {
  return { status: 401, message, type: 'invalid_request_error', param: null, code };
}

function mask(secret: string): string {
  return secret.length < 12 ? '*'.repeat(secret.length) : `${secret.slice(0, 7)}****${secret.slice(-4)}`;
}

export function checkContentType(headers: IncomingHttpHeaders): ChatRefusal | undefined {
  const type = headers['content-type'] ?? '';
  if (/^application\/json\s*(;|$)/iu.test(type)) return undefined;
  return badRequest(
    `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests.`,
    null,
  );
}

export function checkModel(model: string, profile: ChatProfile): ChatRefusal | undefined {
  if (findFamily(model, profile.families) !== undefined) return undefined;
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { status: 404, message, type: 'invalid_request_error', param: null, code: 'model_not_found' };
}

export function checkBody(given: JsonRecord, profile: ChatProfile): ChatRefusal | undefined {
  const ignoreUnknown = profile.ignoresUnknown;
  const body = ignoreUnknown ? relaxed(given) : given;
  return firstOf(
    () => checkShape(body, profile),
    () => checkModel(asText(body['model']), profile),
    () => checkMessages(body, ignoreUnknown),
    () => checkOrder(body),
    () => checkTools(body, ignoreUnknown),
    () => checkResponseFormat(body, ignoreUnknown),
    () => checkCombinations(body),
    () => (ignoreUnknown ? undefined : checkFamily(body, profile)),
  );
}

function checkFamily(body: JsonRecord, profile: ChatProfile): ChatRefusal | undefined {
  const family = findFamily(asText(body['model']), profile.families);
  return family === undefined ? undefined : checkModelLimits(body, family);
}
