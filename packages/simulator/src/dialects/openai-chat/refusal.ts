// Errors in OpenAI's wording. A check returns a Refusal or undefined; nothing throws.

export interface ChatRefusal {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

export function badRequest(message: string, param: string | null, code: string | null = null): ChatRefusal {
  return { status: 400, message, type: 'invalid_request_error', param, code };
}

export function unsupportedParameter(name: string, advice = ''): ChatRefusal {
  const message = `Unsupported parameter: '${name}' is not supported with this model.${advice}`;
  return badRequest(message, name, 'unsupported_parameter');
}

/** `['messages', 0, 'content']` as `messages[0].content`. */
export function bracketPath(segments: readonly (string | number)[]): string {
  return segments
    .map((segment, at) => (typeof segment === 'number' ? `[${segment}]` : at === 0 ? segment : `.${segment}`))
    .join('');
}

/** The older form, `messages.[0].content`, which OpenAI still uses for rules about whole conversations. */
export function dottedPath(segments: readonly (string | number)[]): string {
  return segments.map((segment) => (typeof segment === 'number' ? `[${segment}]` : segment)).join('.');
}
