// Replies and renderers that several vendors share.
import type { Renderer, Reply } from './dialect.ts';

export const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const HTML_HEADERS = { 'content-type': 'text/html; charset=UTF-8', server: 'cloudflare' } as const;

/** The page a proxy in front of a vendor sends when the vendor is down. */
export function badGatewayPage(): Reply {
  const title = '502 Bad Gateway';
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n`;
  return { status: 502, headers: HTML_HEADERS, body };
}

/** For paths whose answers are complete when they are understood: only errors need rendering. */
export function replyOnly(errorReply: Renderer['errorReply']): Renderer {
  const never = (): never => {
    throw new Error('this answer is not streamed');
  };
  return { plain: never, streamHeaders: {}, frames: never, errorReply, errorFrame: never };
}
