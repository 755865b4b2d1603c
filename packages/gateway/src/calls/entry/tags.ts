/** Request tags: those the account has declared, read from the header, from `metadata` and from `user`. */
import { GatewayError, type JsonObject } from '@trivium/protocol/canonical';
import { listedIn, type RawHeaders } from '../../kernel/caller-port.ts';
import { type DeclaredTag, MAX_TAG_VALUE, OTHER_VALUE, type Tags } from '../../kernel/tags.ts';

const HEADER = 'x-trivium-tags';
/** The tag for the end user, whichever member of the format names the user. */
const USER_TAG = 'user';
const USER_ID = 'user_id';

/** The members of a body that may hold tags. */
type Described = { readonly metadata?: JsonObject | undefined; readonly user?: string | undefined };

/**
 * Throws if a required tag is missing. The header takes precedence over the body: a proxy may set it. `fixed`: those that
 * the caller has, whatever the request says.
 */
export function tagsOf(
  headers: RawHeaders,
  body: Described,
  declared: readonly DeclaredTag[],
  fixed?: Tags | undefined,
): Tags {
  const given = headerTags(headers);
  const tags: Record<string, string> = Object.create(null);
  for (const { key, required } of declared) {
    const own = fixed !== undefined && Object.hasOwn(fixed, key) ? fixed[key] : undefined;
    const value = own ?? given.get(key) ?? bodyTag(body, key) ?? '';
    if (value === '' && required) throw missing(key);
    tags[key] = value;
  }
  return tags;
}

function bodyTag({ metadata, user }: Described, key: string): string | undefined {
  const own = tagValue(metadata?.[key]);
  if (own !== undefined || key !== USER_TAG) return own;
  return tagValue(user) ?? tagValue(metadata?.[USER_ID]);
}

function headerTags(headers: RawHeaders): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  if (!headers.has(HEADER)) return tags;
  for (const entry of (listedIn(headers)(HEADER) ?? '').split(',')) {
    if (entry.trim() === '') continue;
    const at = entry.indexOf('=');
    const value = at < 1 ? undefined : tagValue(decoded(entry.slice(at + 1)));
    if (value === undefined)
      throw new GatewayError({
        kind: 'malformed',
        message: `${HEADER} must be a list such as team=search,project=x; commas in values are written as %2C.`,
        field: HEADER,
      });
    tags.set(entry.slice(0, at).trim(), value);
  }
  return tags;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end up in reports.
const CONTROL = /[\u0000-\u001f\u007f]+/g;

/**
 * Undefined if the value is empty or not a scalar. Values that are too long are reported as one shared value, to bound
 * cardinality.
 */
function tagValue(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = String(value).replace(CONTROL, ' ').trim();
  if (text === '') return undefined;
  return text.length > MAX_TAG_VALUE ? OTHER_VALUE : text;
}

const missing = (key: string): GatewayError =>
  new GatewayError({
    kind: 'malformed',
    message: `This account requires the tag "${key}". Send it in the header ${HEADER}, e.g. "${HEADER}: ${key}=…", or in the metadata of the request.`,
    field: HEADER,
  });
