// The page a proxy in front of a vendor sends when the vendor is down.
import type { Reply } from './dialect.ts';

const HTML_HEADERS = { 'content-type': 'text/html; charset=UTF-8', server: 'cloudflare' } as const;

export function badGatewayPage(): Reply {
  const title = '502 Bad Gateway';
  const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n`;
  return { status: 502, headers: HTML_HEADERS, body };
}
